"""Pages as answers, to whoever would rather have one."""

from collections.abc import Callable, Mapping
from typing import Any

from aws_lambda_powertools.event_handler import Response

from storepost.api.http.app import ProblemPage, Resolver
from storepost.api.http.negotiation import Representation, preferred, preferred_language
from storepost.api.reference.pages import WebPage
from storepost.values.languages import Language
from storepost.values.problems import Problem

HTML = "text/html; charset=utf-8"
BY_ACCEPT = {"Vary": "Accept"}
BY_LANGUAGE = {"Vary": "Accept-Language"}
BY_BOTH = {"Vary": "Accept, Accept-Language"}


def page_response(
    page: WebPage, headers: Mapping[str, str] | None = None, *, status: int = 200
) -> Response[Any]:
    """The page as an answer."""
    return Response(status, HTML, page.html, headers={**page.headers, **(headers or {})})


def problem_pages(
    operations: frozenset[str], page: Callable[[Problem, Language | None], WebPage]
) -> ProblemPage:
    """What `create_app` takes for operations whose problems a browser gets as `page` says them.

    Any other program gets the problem as always. No cache may keep either: they may be kept by
    their status alone (404 and 410 in RFC 9110, section 15.1), and a dead link can come to life.
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
