"""The service about itself: its health, its interface, its problems, and small pages.

The gateway's default route leads here too, so what nobody else answers is this group's 404.
"""

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Header

from storepost.api.http.app import create_app
from storepost.api.http.lists import Page, PageNumber, Size
from storepost.api.http.negotiation import Preferred, Representation
from storepost.api.http.origin import From
from storepost.api.http.pages import BY_ACCEPT, page_response
from storepost.api.reference import documents, pages
from storepost.api.reference.schemas import Health, Html, InterfaceDocument, ProblemKind
from storepost.values.pagination import PageRequest, PageSize, cut

# What counts the clicks in an email adds to a link's query whatever it likes.
app = create_app(any_query=frozenset({"docs.get", "pages.get"}))

JSON = "application/json"


@app.get("/v1/health", operation_id="health.get")
def health() -> Health:
    """Whether the service answers; nothing behind it is asked."""
    return Health()


@app.get("/v1/openapi.json", operation_id="openapi.get", compress=True)
def openapi(
    origin: From, if_none_match: Annotated[str | None, Header(alias="if-none-match")] = None
) -> Response[InterfaceDocument]:
    """The whole interface, with the address that it was asked under."""
    text, etag = documents.interface_at(origin.base_url)
    headers = {"ETag": etag, "Cache-Control": "no-cache"}
    if documents.is_known(etag, if_none_match):
        return Response(304, JSON, "", headers=headers, compress=False)
    return Response(200, JSON, text, headers=headers)


@app.get("/v1/docs", operation_id="docs.get", compress=True)
def reference(origin: From) -> Response[Html]:
    """The API reference as a page."""
    return page_response(pages.reference_page(origin.base_url))


@app.get("/v1/problems", operation_id="problems.list")
def list_problems(
    origin: From,
    representation: Preferred,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Response[Page[ProblemKind] | Html]:
    """What each kind of problem and its codes mean, by status: JSON, or a page for browsers."""
    kinds = documents.problem_kinds(origin.base_url)
    if representation is Representation.HTML:
        return page_response(pages.problems_page(origin.base_url, kinds), BY_ACCEPT)
    listing = cut(kinds, PageRequest(page, page_size))
    return Response(200, JSON, Page[ProblemKind].of(listing, lambda kind: kind), headers=BY_ACCEPT)


@app.get("/v1/problems/<kind>", operation_id="problems.get")
def get_problem(kind: str, origin: From, representation: Preferred) -> Response[ProblemKind | Html]:
    """What a kind of problem and its codes mean and how to mend them: where `type` points."""
    found = documents.problem_kind(origin.base_url, kind)
    if representation is Representation.HTML:
        return page_response(pages.problem_page(origin.base_url, found), BY_ACCEPT)
    return Response(200, JSON, found, headers=BY_ACCEPT)


@app.get("/v1/pages/<page>", operation_id="pages.get", compress=True)
def link_page(page: str) -> Response[Html]:
    """A page behind a link: `connect-link`, and in emails `invitation`, `password-reset`,
    `sign-in`, `verify-address`.

    What it needs stands in the address's fragment, which is never sent.
    """
    return page_response(pages.link_page(page))


lambda_handler = app.handler()
