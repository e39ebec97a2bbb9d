"""Problems as answers: the one place that knows what they look like on the wire."""

import json
from collections.abc import Iterable
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError

from storepost.http.origin import base_url
from storepost.logs import log_unexpected
from storepost.problems import (
    FieldError,
    Internal,
    MethodNotAllowed,
    NotFound,
    Problem,
    ValidationFailed,
)

CONTENT_TYPE = "application/problem+json"


def render(app: APIGatewayHttpResolver, problem: Problem) -> Response[str]:
    """The problem as an answer."""
    return Response(
        problem.status,
        CONTENT_TYPE,
        json.dumps(problem.document(base_url(app.current_event)), ensure_ascii=False),
        headers=dict(problem.headers),
    )


def from_validation(error: RequestValidationError) -> Problem:
    """What the caller is told of a request that isn't valid."""
    errors = error.errors()
    if any(e["loc"][0] == "response" for e in errors):
        return unexpected(error)  # our own answer broke its schema: a fault of ours
    return ValidationFailed(
        errors=[FieldError(_path(e["loc"]), _message(e)) for e in _distinct(errors)]
    )


def missing(app: APIGatewayHttpResolver) -> Problem:
    """404, or 405 with `Allow` where the path has other methods."""
    path = app.current_event.path
    routes = [*app._static_routes, *app._dynamic_routes]
    methods = sorted({route.method for route in routes if route.rule.match(path)})
    return MethodNotAllowed(headers={"Allow": ", ".join(methods)}) if methods else NotFound()


def unexpected(error: BaseException) -> Internal:
    """500, and a line in the log."""
    log_unexpected(error)
    return Internal()


def _path(loc: tuple[Any, ...]) -> str:
    where, *rest = loc
    if where == "body":
        return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in rest)
    name = ".".join([where, *(str(part) for part in rest[:1])])
    return name.lower() if where == "header" else name


def _message(error: dict[str, Any]) -> str:
    """pydantic's sentence, without the words that only Python's users know."""
    text = str(error["msg"]).removeprefix("Value error, ")
    return text[:1].upper() + text[1:]


def _distinct(errors: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    seen: dict[tuple[str, str], dict[str, Any]] = {}
    for error in errors:
        seen.setdefault((_path(error["loc"]), error["msg"]), error)
    return list(seen.values())
