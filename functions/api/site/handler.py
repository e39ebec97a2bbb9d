"""The documentation: guides, and the reference as pages.

Every page is HTML at its address, and Markdown at the same address with `.md`. Only the first is an
operation of the interface; the others are for people to look at.
"""

from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Header

from storepost.api.http.answers import JSON
from storepost.api.http.app import create_app
from storepost.api.http.origin import From
from storepost.api.http.pages import UNCHANGED_PAGE, TagOfPage, page_response, text_response
from storepost.api.reference.schemas import Html
from storepost.api.reference.site.serving import Site

IfNoneMatch = Annotated[str | None, Header(alias="if-none-match")]
AcceptEncoding = Annotated[str | None, Header(alias="accept-encoding")]

PAGES = frozenset({"docs.get", "docs.page", "docs.pageBelow"})
"""Whoever links to a page may add to its query."""
MARKDOWN = "text/markdown; charset=utf-8"
TEXT = "text/plain; charset=utf-8"
STYLE = "text/css; charset=utf-8"
SCRIPT = "text/javascript; charset=utf-8"
FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}

app = create_app(any_query=PAGES)
site = Site.beside(__file__)


@app.get(
    "/v1/docs",
    operation_id="docs.get",
    compress=True,
    responses={
        200: {"description": "The first page of the documentation in HTML."},
        304: UNCHANGED_PAGE,
    },
)
def start(origin: From, if_none_match: TagOfPage = None) -> Response[Html]:
    """Open the documentation.

    It is a page for people. From here all guides are reached, and the reference with every
    operation, shape and problem of the interface.
    """
    return page_response(site.page("index", origin.base_url), if_none_match=if_none_match)


@app.get("/v1/docs/llms.txt", operation_id="docs.llms", include_in_schema=False, compress=True)
def llms(origin: From, if_none_match: IfNoneMatch = None) -> Response[Any]:
    """All pages, for programs that read Markdown."""
    return text_response(site.llms_txt(origin.base_url), TEXT, if_none_match)


@app.get("/v1/docs/sitemap.txt", operation_id="docs.map", include_in_schema=False, compress=True)
def sitemap(origin: From, if_none_match: IfNoneMatch = None) -> Response[Any]:
    """The addresses of all pages."""
    return text_response(site.sitemap(origin.base_url), TEXT, if_none_match)


@app.get("/v1/docs/style.css", operation_id="docs.style", include_in_schema=False, compress=True)
def style(if_none_match: IfNoneMatch = None) -> Response[Any]:
    """The style of all pages."""
    return text_response(site.style(), STYLE, if_none_match)


@app.get("/v1/docs/search.json", operation_id="docs.find", include_in_schema=False, compress=True)
def search_index(if_none_match: IfNoneMatch = None) -> Response[Any]:
    """What the search on the pages looks through."""
    return text_response(site.search_index, JSON, if_none_match)


@app.get(
    "/v1/docs/postman.json", operation_id="docs.postman", include_in_schema=False, compress=True
)
def postman(origin: From, if_none_match: IfNoneMatch = None) -> Response[Any]:
    """The interface as a collection for Postman."""
    return text_response(site.postman(origin.base_url), JSON, if_none_match)


@app.get("/v1/docs/assets/<name>", operation_id="docs.asset", include_in_schema=False)
def asset(name: str, accept_encoding: AcceptEncoding = None):  # type: ignore[no-untyped-def] # noqa: ANN201
    """A script that pages load. What it returns has no type: as JSON bytes can't be checked."""
    if "gzip" in (accept_encoding or ""):
        headers = {**FOR_EVER, "Content-Encoding": "gzip"}
        return Response(200, SCRIPT, site.assets.packed(name), headers=headers)
    return Response(200, SCRIPT, site.assets.plain(name), headers=FOR_EVER)


@app.get("/v1/docs/<name>", operation_id="docs.page", include_in_schema=False, compress=True)
def page(name: str, origin: From, if_none_match: IfNoneMatch = None) -> Response[Any]:
    """A page, or its Markdown."""
    return _page(name, origin.base_url, if_none_match)


@app.get(
    "/v1/docs/<folder>/<name>",
    operation_id="docs.pageBelow",
    include_in_schema=False,
    compress=True,
)
def page_below(
    folder: str, name: str, origin: From, if_none_match: IfNoneMatch = None
) -> Response[Any]:
    """A page in a folder, or its Markdown."""
    return _page(f"{folder}/{name}", origin.base_url, if_none_match)


def _page(path: str, base_url: str, if_none_match: str | None) -> Response[Any]:
    if path.endswith(".md"):
        return text_response(
            site.library.markdown(path.removesuffix(".md")), MARKDOWN, if_none_match
        )
    return page_response(site.page(path, base_url), if_none_match=if_none_match)


lambda_handler = app.handler()
