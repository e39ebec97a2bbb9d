"""Problems as answers: the one place that knows what they look like on the wire."""

from collections.abc import Iterable, Iterator
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError

from storepost.http.origin import base_url
from storepost.http.writing import as_json
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
        as_json(problem.document(base_url(app.current_event))),
        headers=dict(problem.headers),
    )


def from_validation(app: APIGatewayHttpResolver, error: RequestValidationError) -> Problem:
    """What the caller is told of a request that isn't valid."""
    errors = error.errors()
    if any(e["loc"][0] == "response" for e in errors):
        return unexpected(error)  # our own answer broke its schema: a fault of ours
    distinct = _distinct(errors, _sent(app))
    return ValidationFailed(errors=(FieldError(path, _message(e)) for path, e in distinct))


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


def _sent(app: APIGatewayHttpResolver) -> object:
    """The body as JSON, None where it is none."""
    try:
        return app.current_event.json_body
    except ValueError:
        return None


def _path(error: dict[str, Any], body: object) -> str:
    where, *rest = error["loc"]
    if where == "body":
        parts = [*_places(rest, body), *_discriminator(error)]
        return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in parts)
    name = ".".join([where, *(str(part) for part in rest[:1])])
    return name.lower() if where == "header" else name


def _places(parts: list[str | int], body: object) -> Iterator[str]:
    """The names and numbers that lead to a place in the body.

    Where a value has one of several shapes, pydantic puts the shape's name between them.
    """
    for number, part in enumerate(parts):
        if isinstance(body, dict) and _names_shape(part, parts[number + 1 :], body):
            continue
        yield str(part)
        body = _within(body, part)


def _names_shape(part: str | int, rest: list[str | int], body: dict[str, object]) -> bool:
    """Whether the name is that of a shape; a field of the shape may have the same."""
    if part not in body:
        return bool(rest)
    if part not in body.values() or not rest:
        return False
    return rest[0] in body and _within(body[str(part)], rest[0]) is None


def _within(body: object, part: str | int) -> object:
    if isinstance(body, dict):
        return body.get(part)
    if isinstance(body, list) and isinstance(part, int) and part < len(body):
        return body[part]
    return None


def _discriminator(error: dict[str, Any]) -> list[str]:
    """The field that should have said which shape it is."""
    if error["type"] in {"union_tag_invalid", "union_tag_not_found"}:
        return [str(error["ctx"]["discriminator"]).strip("'")]
    return []


def _message(error: dict[str, Any]) -> str:
    """pydantic's sentence, without the words that only Python's users know."""
    text = str(error["msg"]).removeprefix("Value error, ")
    return text[:1].upper() + text[1:]


def _distinct(
    errors: Iterable[dict[str, Any]], body: object
) -> Iterator[tuple[str, dict[str, Any]]]:
    seen: set[tuple[str, str]] = set()
    for error in errors:
        path = _path(error, body)
        if (path, error["msg"]) not in seen:
            seen.add((path, error["msg"]))
            yield path, error
