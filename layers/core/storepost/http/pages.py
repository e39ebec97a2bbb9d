"""Pages as answers, to whoever would rather have one."""

from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from storepost.http.negotiation import Representation, preferred
from storepost.http.rendering import render
from storepost.problems import Problem
from storepost.reference.pages import WebPage

HTML = "text/html; charset=utf-8"
BY_ACCEPT = {"Vary": "Accept"}


def shown(
    page: WebPage, headers: Mapping[str, str] | None = None, *, status: int = 200
) -> Response[Any]:
    """The page as an answer."""
    return Response(status, HTML, page.html, headers={**page.headers, **(headers or {})})


def refused(app: APIGatewayHttpResolver, problem: Problem, page: WebPage) -> Response[Any]:
    """The problem as an answer, or the page that says it to a browser."""
    if preferred(app.current_event.headers.get("accept") or "") is Representation.HTML:
        return shown(page, BY_ACCEPT, status=problem.status)
    problem.headers |= BY_ACCEPT
    return render(app, problem)
