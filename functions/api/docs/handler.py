"""The service about itself: its health, its interface, its problems, and small pages.

The gateway's default route leads here too, so what nobody else answers is this group's 404.
"""

from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Header, Path

from storepost.api.http.app import create_app
from storepost.api.http.lists import Page, PageNumber, Size
from storepost.api.http.negotiation import Preferred, Representation
from storepost.api.http.origin import From
from storepost.api.http.pages import (
    BY_ACCEPT,
    UNCHANGED_PAGE,
    TagOfPage,
    page_response,
    text_response,
)
from storepost.api.reference import documents, pages
from storepost.api.reference.schemas import (
    Health,
    Html,
    InterfaceDocument,
    ProblemCodePage,
    ProblemKind,
)
from storepost.values.pagination import PageRequest, PageSize, cut

# Click trackers of emails add parameters of their own to a link's query.
app = create_app(any_query=frozenset({"pages.get", "service.root"}))

JSON = "application/json"


@app.get("/", operation_id="service.root", include_in_schema=False)
@app.get("/v1", operation_id="service.root", include_in_schema=False)
@app.get("/v1/", operation_id="service.root", include_in_schema=False)
def root(origin: From, representation: Preferred) -> Response[Any]:
    """Where to go from here: the documentation for browsers, addresses as JSON for programs."""
    links = documents.service_links(origin.base_url)
    if representation is Representation.HTML:
        return Response(302, headers={"Location": links["docs"], **BY_ACCEPT})
    return Response(200, JSON, links, headers=BY_ACCEPT)


@app.get("/llms.txt", operation_id="service.llms", include_in_schema=False)
def llms(origin: From) -> Response[Any]:
    """Where programs that read Markdown begin, at the address at which they look for it."""
    return Response(302, headers={"Location": documents.service_links(origin.base_url)["llms"]})


@app.get("/v1/health", operation_id="health.get")
def health() -> Health:
    """Check that the service answers.

    It checks nothing else: neither the database nor a queue.
    """
    return Health()


@app.get(
    "/v1/openapi.json",
    operation_id="openapi.get",
    compress=True,
    responses={
        200: {"description": "The description as a document in OpenAPI 3.1."},
        304: {"description": "The description hasn't changed since the answer with this `ETag`."},
    },
)
def openapi(
    origin: From,
    if_none_match: Annotated[
        str | None,
        Header(
            alias="if-none-match",
            description="The `ETag` of a description that you have: 304 is answered where "
            "it hasn't changed since.",
        ),
    ] = None,
) -> Response[InterfaceDocument]:
    """Get the OpenAPI description.

    It is the whole interface as an OpenAPI 3.1 document, made from the code that serves it.
    `servers` has the address that it was requested under. Send its `ETag` as `If-None-Match` to get
    it only where it has changed.
    """
    return text_response(documents.interface_at(origin.base_url), JSON, if_none_match)


@app.get("/v1/problems", operation_id="problems.list")
def list_problems(
    origin: From,
    representation: Preferred,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Response[Page[ProblemKind] | Html]:
    """List the kinds of problems.

    Each kind stands for an HTTP status and has all of its codes, with what each means and what to
    do about it. A browser gets them as a page.
    """
    kinds = documents.problem_kinds(origin.base_url)
    if representation is Representation.HTML:
        return page_response(pages.problems_page(origin.base_url, kinds), BY_ACCEPT)
    listing = cut(kinds, PageRequest(page, page_size))
    return Response(200, JSON, Page[ProblemKind].of(listing, lambda kind: kind), headers=BY_ACCEPT)


@app.get("/v1/problems/<kind>", operation_id="problems.get")
def get_problem(
    kind: Annotated[
        str,
        Path(
            description="The kind, which is the last part of a problem's `type`: such as "
            "`conflict`."
        ),
    ],
    origin: From,
    representation: Preferred,
) -> Response[ProblemKind | Html]:
    """Get a kind of problem.

    It has what each of the kind's codes means and what to do about it. `type` of a problem leads to
    this page. A browser gets it as a page.
    """
    found = documents.problem_kind(origin.base_url, kind)
    if representation is Representation.HTML:
        return page_response(pages.problem_page(origin.base_url, found), BY_ACCEPT)
    return Response(200, JSON, found, headers=BY_ACCEPT)


@app.get(
    "/v1/problems/<kind>/<code>",
    operation_id="problems.getCode",
    response_description="The code, as JSON or as a page.",
)
def get_problem_code(
    kind: Annotated[str, Path(description="The kind's name, such as `conflict`.")],
    code: Annotated[str, Path(description="The code, such as `stale_update`.")],
    origin: From,
    representation: Preferred,
) -> Response[ProblemCodePage | Html]:
    """Get what a problem's code means.

    It says when the code is answered, and what to do about it. A browser gets it as a page.
    """
    found = documents.problem_code(origin.base_url, kind, code)
    if representation is Representation.HTML:
        return page_response(pages.problem_code_page(origin.base_url, found), BY_ACCEPT)
    return Response(200, JSON, found, headers=BY_ACCEPT)


@app.get(
    "/v1/pages/<page>",
    operation_id="pages.get",
    compress=True,
    responses={
        200: {"description": "The page in HTML; it calls this interface by itself."},
        304: UNCHANGED_PAGE,
    },
)
def link_page(
    page: Annotated[
        str,
        Path(
            description="The page's name: `connect-link`, `invitation`, `password-reset`, "
            "`sign-in` or `verify-address`."
        ),
    ],
    if_none_match: TagOfPage = None,
) -> Response[Html]:
    """Open the page behind a link.

    Links in emails lead to these pages: `invitation`, `password-reset`, `sign-in` and
    `verify-address`; and the install of a shop leads to `connect-link`. What a page needs is in the
    address's fragment (after `#`), which a browser never sends. Where the service has a dashboard
    of its own, links lead there instead.
    """
    return page_response(pages.link_page(page), if_none_match=if_none_match)


lambda_handler = app.handler()
