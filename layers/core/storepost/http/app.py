"""The one factory of resolvers: what happens to a request before and after its route.

    authenticate → validate the request → once → validate the answer → the route

Powertools validates before it resolves a route's dependencies; here an anonymous caller with a bad
query is told of the missing credentials first.
"""

import re
from collections.abc import Callable
from functools import cache
from time import perf_counter
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.depends import (
    DependencyResolutionError,
    DependencyTree,
    build_dependency_tree,
    solve_dependencies,
)
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.middlewares import NextMiddleware
from aws_lambda_powertools.event_handler.middlewares.openapi_validation import (
    OpenAPIRequestValidationMiddleware,
    OpenAPIResponseValidationMiddleware,
)
from aws_lambda_powertools.event_handler.openapi.exceptions import (
    RequestUnsupportedContentType,
    RequestValidationError,
)
from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.http.deadline import deadline
from storepost.http.once import as_sent, first_answer, once
from storepost.http.rendering import from_validation, missing, render, unexpected
from storepost.logs import logger
from storepost.persistence.changes import Changes
from storepost.problems import MalformedRequest, PayloadTooLarge, Problem, UnsupportedMediaType
from storepost.workspaces.problems import NoActiveWorkspace, RoleTooSmall

BODY_BYTES = 1_000_000
LARGE_BODY_BYTES = 5_000_000
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"

type Handler = Callable[[dict[str, Any], LambdaContext], dict[str, Any]]


class Resolver(APIGatewayHttpResolver):
    """A group's routes."""

    def __init__(self, *, large_bodies: frozenset[str], forms: frozenset[str]) -> None:
        """`large_bodies` and `forms` are the ids of operations that take 5 MB, or a form."""
        super().__init__(enable_validation=False)
        self.large_bodies = large_bodies
        self.forms = forms
        self.operation: str | None = None
        """The id of the operation that runs, for the log; the context is gone by then."""

    @staticmethod
    def _compile_regex(rule: str, base_regex: str = "^{}$") -> re.Pattern[str]:
        """A path's parameter may have every character but the slash; Powertools' lacks some."""
        return re.compile(base_regex.format(re.sub(r"<(\w+)>", r"(?P<\1>[^/]+)", rule)))

    def handler(self) -> Handler:
        """The group's Lambda handler."""

        def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
            began, self.operation = perf_counter(), None
            with deadline(context.get_remaining_time_in_millis()):
                answer = self.resolve(event, context)
            logger.info(
                "request",
                extra={
                    "operation": self.operation,
                    "status": answer["statusCode"],
                    "milliseconds": round((perf_counter() - began) * 1000, 1),
                    "requestId": event["requestContext"]["requestId"],
                },
            )
            return answer

        return lambda_handler


def create_app(
    *, large_bodies: frozenset[str] = frozenset(), forms: frozenset[str] = frozenset()
) -> Resolver:
    """A resolver for a group's routes."""
    app = Resolver(large_bodies=large_bodies, forms=forms)
    app.use(
        middlewares=[
            _authenticate,
            _validate_request,
            once,
            OpenAPIResponseValidationMiddleware(),
        ]
    )
    app.exception_handler(Problem)(lambda error: render(app, error))
    app.exception_handler(RequestValidationError)(lambda error: render(app, from_validation(error)))
    app.exception_handler(RequestUnsupportedContentType)(
        lambda _: render(app, UnsupportedMediaType())
    )
    app.exception_handler(UnicodeDecodeError)(lambda _: render(app, MalformedRequest()))
    app.exception_handler(NotFoundError)(lambda _: render(app, missing(app)))
    app.exception_handler(Exception)(lambda error: render(app, unexpected(error)))
    return app


@cache
def _dependencies(route: Callable[..., Any]) -> DependencyTree:
    return build_dependency_tree(route)


def _authenticate(app: Resolver, next_middleware: NextMiddleware) -> Response[Any]:
    """Solves the route's dependencies first, the caller among them."""
    app.context["changes"] = Changes()
    route = app.context["_route"]
    app.operation = route.operation_id
    if route.has_dependencies:
        try:
            solve_dependencies(
                dependant=_dependencies(route.func),
                request=app.request,
                dependency_cache=app.context.setdefault("_dependency_cache", {}),
            )
        except DependencyResolutionError as error:
            cause = error.__cause__
            if isinstance(cause, RoleTooSmall | NoActiveWorkspace) and (kept := first_answer(app)):
                return kept
            raise cause or error from None
    return as_sent(app, next_middleware(app))


_validation: Any = OpenAPIRequestValidationMiddleware()  # type: ignore[no-untyped-call]


def _validate_request(app: Resolver, next_middleware: NextMiddleware) -> Response[Any]:
    """The body's size and type, then everything that the route's annotations say."""
    route, event = app.context["_route"], app.current_event
    body = event.body or ""
    size = len(body) if event.is_base64_encoded else len(body.encode())
    most = LARGE_BODY_BYTES if route.operation_id in app.large_bodies else BODY_BYTES
    if size > most * (4 / 3 if event.is_base64_encoded else 1):
        raise PayloadTooLarge(f"This operation takes at most {most // 1_000_000} MB.")
    if body and route.dependant.body_params:
        sent = (event.headers.get("content-type") or "").split(";")[0].strip().lower()
        if sent != (FORM if route.operation_id in app.forms else JSON):
            raise UnsupportedMediaType()
    response: Response[Any] = _validation(app, next_middleware)
    return response
