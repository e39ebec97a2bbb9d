"""Pages as answers, for callers that prefer one."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Header
from aws_lambda_powertools.event_handler.openapi.types import OpenAPIResponse

from storepost.api.http.app import ProblemPage, Resolver
from storepost.api.http.negotiation import Representation, preferred, preferred_language
from storepost.api.reference.documents import etag_of, is_known
from storepost.api.reference.web_page import WebPage
from storepost.values.languages import Language
from storepost.values.problems import Problem

HTML = "text/html; charset=utf-8"
UNCHANGED_PAGE: OpenAPIResponse = {
    "description": "The page hasn't changed since the answer with this `ETag`."
}
BY_ACCEPT = {"Vary": "Accept"}
BY_LANGUAGE = {"Vary": "Accept-Language"}
BY_BOTH = {"Vary": "Accept, Accept-Language"}

TagOfPage = Annotated[
    str | None,
    Header(
        alias="if-none-match",
        description="The `ETag` of a page that you have: 304 is answered where it hasn't changed "
        "since.",
    ),
]
"""A route's parameter for the tag of the page that the caller has."""


def page_response(
    page: WebPage,
    headers: Mapping[str, str] | None = None,
    *,
    status: int = 200,
    if_none_match: str | None = None,
) -> Response[Any]:
    """Returns the page as an answer; 304 where `If-None-Match` has its tag."""
    complete = {**page.headers, **(headers or {})}
    if status != 200 or "no-store" in complete["Cache-Control"]:
        return Response(status, HTML, page.html, headers=complete)
    return text_response(page.html, HTML, if_none_match, complete)


def text_response(
    text: str,
    content_type: str,
    if_none_match: str | None,
    headers: Mapping[str, str] | None = None,
) -> Response[Any]:
    """Returns a text that callers may cache and revalidate; 304 if the caller has it."""
    etag = etag_of(text)
    complete = {"Cache-Control": "no-cache", **(headers or {}), "ETag": etag}
    if is_known(etag, if_none_match):
        return Response(304, content_type, "", headers=complete, compress=False)
    return Response(200, content_type, text, headers=complete)


def problem_pages(
    operations: frozenset[str], page: Callable[[Problem, Language | None], WebPage]
) -> ProblemPage:
    """Returns the function by which `create_app` shows a browser problems as `page` says them.

    Any other program gets the problem as always. No cache may keep either: by their status alone
    they could be (404 and 410 in RFC 9110, section 15.1), and a dead link can come to life.
    """

    def show(app: Resolver, problem: Problem) -> Response[Any] | None:
        if app.operation not in operations:
            return None
        problem.headers |= {**BY_BOTH, "Cache-Control": "no-store"}
        headers = app.current_event.headers
        if preferred(headers.get("accept") or "") is not Representation.HTML:
            return None
        language = preferred_language(headers.get("accept-language") or "")
        return page_response(page(problem, language), problem.headers, status=problem.status)

    return show
