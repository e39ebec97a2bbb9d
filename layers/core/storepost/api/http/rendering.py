"""Problems as answers: the only module that knows their form on the wire."""

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError

from storepost.api.http.answers import as_json
from storepost.api.http.origin import base_url
from storepost.api.http.powertools_private import routes_of
from storepost.values.field_errors import field_errors
from storepost.values.logs import log_unexpected
from storepost.values.problems import (
    Internal,
    MethodNotAllowed,
    NotFound,
    Problem,
    ValidationFailed,
)

CONTENT_TYPE = "application/problem+json"


def render(app: APIGatewayHttpResolver, problem: Problem) -> Response[str]:
    """Returns the problem as an answer."""
    return Response(
        problem.status,
        CONTENT_TYPE,
        as_json(problem.document(base_url(app.current_event))),
        headers=dict(problem.headers),
    )


_NO_PATH = (
    "No operation has this path. Paths begin with `/v1`, are case-sensitive and don't end in a "
    "slash. An external id with a `/` goes into the query, as `externalId`."
)


def from_validation(app: APIGatewayHttpResolver, error: RequestValidationError) -> Problem:
    """Returns the problem of a request that isn't valid."""
    errors = error.errors()
    if any(e["loc"][0] == "response" for e in errors):
        return unexpected(error)  # our own answer doesn't match its schema: that is our fault
    return ValidationFailed(errors=field_errors(errors, _sent(app), shape_of_body(app)))


def missing(app: APIGatewayHttpResolver) -> Problem:
    """Answers 404, or 405 with `Allow` if the path has other methods."""
    path = app.current_event.path
    routes = routes_of(app)
    methods = {route.method for route in routes if route.rule.match(path)}
    if "GET" in methods:
        methods.add("HEAD")
    if methods:
        return MethodNotAllowed(headers={"Allow": ", ".join(sorted(methods))})
    return NotFound(_NO_PATH)


def unexpected(error: BaseException) -> Internal:
    """Answers 500, and writes a line in the log."""
    log_unexpected(error)
    return Internal()


def shape_of_body(app: APIGatewayHttpResolver) -> object:
    """Returns the type that the route's body has, or None without a body."""
    bodies = app.context["_route"].dependant.body_params
    return bodies[0].field_info.annotation if bodies else None


def _sent(app: APIGatewayHttpResolver) -> object:
    """Returns the body as JSON, or None if it isn't JSON."""
    try:
        return app.current_event.json_body
    except ValueError:
        return None
