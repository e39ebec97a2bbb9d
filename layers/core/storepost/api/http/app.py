"""The one factory of resolvers: what happens to a request before and after its route.

    authenticate → validate the request → once → validate the answer → the route

Powertools validates before it resolves a route's dependencies; here an anonymous caller with a bad
query gets the problem of the missing credentials first.
"""

import gc
import re
from collections.abc import Callable
from time import perf_counter
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.api_gateway import BaseRouter, ResponseBuilder
from aws_lambda_powertools.event_handler.depends import (
    DependencyResolutionError,
    solve_dependencies,
)
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.middlewares import NextMiddleware
from aws_lambda_powertools.event_handler.middlewares.openapi_validation import (
    OpenAPIRequestValidationMiddleware,
)
from aws_lambda_powertools.event_handler.openapi.exceptions import (
    RequestUnsupportedContentType,
    RequestValidationError,
)
from aws_lambda_powertools.utilities.data_classes.common import BaseProxyEvent
from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.accounts.identity.limits import Limit, count_for_source
from storepost.accounts.workspaces.problems import NoActiveWorkspace, RoleTooSmall
from storepost.api.http.answers import JSON, AnswerValidation, as_json, as_sent
from storepost.api.http.budgets import headers_of
from storepost.api.http.deadline import DeadlineReached, deadline
from storepost.api.http.entity_tags import dependencies_of, entity_tags
from storepost.api.http.forms import FORM, MULTIPART, media_type, read_form
from storepost.api.http.head import as_get, is_head, without_body
from storepost.api.http.locations import location_of
from storepost.api.http.negotiation import accepts_gzip, varying
from storepost.api.http.once import first_answer, once
from storepost.api.http.origin import origin_of
from storepost.api.http.powertools_private import routes_of
from storepost.api.http.query import contradictions, name_parameters, unknown_parameters
from storepost.api.http.query_forms import add_query_forms
from storepost.api.http.rendering import from_validation, missing, render, unexpected
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.ledger import Ledger
from storepost.platform.persistence.patience import Patience, patience
from storepost.values.json_reading import MAX_DEPTH, TooDeep, read_json
from storepost.values.logs import add_log_keys, log_keys, log_unexpected, logger
from storepost.values.metrics import count, flush
from storepost.values.problems import (
    Busy,
    MalformedRequest,
    PayloadTooLarge,
    Problem,
    UnsupportedMediaType,
)

BODY_BYTES = 1_000_000
LARGE_BODY_BYTES = 5_000_000
CONTENTION = frozenset({"conflict", "busy"})
"""The codes of problems that are caused by other writers."""
_NOT_STORED = {"Cache-Control": "no-store"}
_ALWAYS = {
    **_NOT_STORED,
    "Strict-Transport-Security": "max-age=31536000",
    "X-Content-Type-Options": "nosniff",
}
"""Headers of every answer (OWASP, "REST Security Cheat Sheet"); a page may be stored."""
_READABLE_FORM = "Send a form that is text in UTF-8."
_EXACT = 2**53
"""Below it a float holds every whole number exactly."""

type Handler = Callable[[dict[str, Any], LambdaContext], dict[str, Any]]
type ProblemPage = Callable[[Resolver, Problem], Response[Any] | None]
"""The page for a person that shows a problem; None if the caller is no person."""


class Resolver(APIGatewayHttpResolver):
    """A group's routes."""

    def __init__(
        self,
        *,
        large_bodies: frozenset[str],
        forms: frozenset[str],
        any_query: frozenset[str],
        unreadable_limit: Limit | None,
        problem_page: ProblemPage | None,
    ) -> None:
        """`large_bodies` and `forms` are the ids of operations that take 5 MB, or a form.

        `any_query` has operations whose query others write, and which accept unknown parameters.
        """
        super().__init__(
            enable_validation=False, serializer=as_json, json_body_deserializer=_read_json
        )
        self.large_bodies = large_bodies
        self.forms = forms
        self.any_query = any_query
        self.unreadable_limit = unreadable_limit
        self.problem_page = problem_page
        self.operation: str | None = None
        """The id of the operation that runs, for the log; the context is gone by then."""
        self.workspace: str | None = None
        """The id of the caller's workspace, for the log."""
        self.problem: str | None = None
        """The code of the problem that was answered, for the log."""
        self.caller_headers: dict[str, str] = {}
        """Headers of every answer to a known caller."""
        self.compresses = False
        """Whether the route compresses its answers if the caller accepts that."""

    @staticmethod
    def _compile_regex(rule: str, base_regex: str = "^{}$") -> re.Pattern[str]:
        """Allows every character but the slash in a path's parameter; Powertools allows fewer."""
        return re.compile(base_regex.format(re.sub(r"<(\w+)>", r"(?P<\1>[^/]+)", rule)))

    def handler(self) -> Handler:
        """Returns the group's Lambda handler; everything is imported by now."""
        for route in routes_of(self):
            name_parameters(route.func)
        add_query_forms(self, self._dynamic_routes)
        gc.freeze()  # the imports stay, so no collection need look at them again

        def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
            self.operation = self.workspace = self.problem = None
            self.caller_headers = {}
            self.compresses = False
            with log_keys(requestId=event["requestContext"]["requestId"]):
                event = _plain_unless_gzip(event)
                if is_head(event):
                    return without_body(self._answer(as_get(event), context))
                return self._answer(event, context)

        return lambda_handler

    def _answer(self, event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
        """Returns the answer, and writes its line of the log and its metrics."""
        began, remaining = perf_counter(), context.get_remaining_time_in_millis()
        with patience(remaining) as own:
            try:
                with deadline(remaining):
                    answer = self.resolve(event, context)
            except DeadlineReached as error:
                answer = self._out_of_time(event, error, own)
        request_id = event["requestContext"]["requestId"]
        if self.compresses:
            answer["headers"]["Vary"] = varying(answer["headers"].get("Vary"))
        # Not part of the kept answer: a retry has its own. An unknown caller may get a token, too.
        answer["headers"] = {
            **_ALWAYS,
            **answer["headers"],
            **self.caller_headers,
            **location_of(self.operation, self.current_event, answer),
            "request-id": request_id,
        }
        about = {"operation": self.operation, "workspaceId": self.workspace}
        logger.info(
            "request",
            extra={
                **about,
                "status": answer["statusCode"],
                "code": self.problem,
                "retries": own.retries,
                "milliseconds": round((perf_counter() - began) * 1000, 1),
            },
        )
        count("Requests")
        if own.retries:
            count("Retries", own.retries)
        if self.problem in CONTENTION:
            count("Conflicts")
        flush(**about, requestId=request_id)
        return answer

    def _out_of_time(
        self, event: dict[str, Any], error: DeadlineReached, own: Patience
    ) -> dict[str, Any]:
        # The signal may have come before the resolver knew the event.
        BaseRouter.current_event = self._to_proxy_event(event)
        response = _render(self, Busy() if own.is_used_up else unexpected(error))
        return self._build_response(ResponseBuilder(response, serializer=self._serializer))


def _plain_unless_gzip(event: dict[str, Any]) -> dict[str, Any]:
    """Removes an `accept-encoding` that refuses gzip: Powertools looks for the word alone."""
    headers = event.get("headers", {})
    sent = headers.get("accept-encoding")
    if sent is None or accepts_gzip(sent):
        return event
    kept = {name: value for name, value in headers.items() if name != "accept-encoding"}
    return {**event, "headers": kept}


def create_app(
    *,
    large_bodies: frozenset[str] = frozenset(),
    forms: frozenset[str] = frozenset(),
    any_query: frozenset[str] = frozenset(),
    unreadable_limit: Limit | None = None,
    problem_page: ProblemPage | None = None,
) -> Resolver:
    """Returns a resolver for a group's routes.

    For routes without a caller, a body that can't be read counts as an attempt of its source under
    `unreadable_limit`: otherwise a stranger could send any number of them.
    """
    app = Resolver(
        large_bodies=large_bodies,
        forms=forms,
        any_query=any_query,
        unreadable_limit=unreadable_limit,
        problem_page=problem_page,
    )
    app.use(
        middlewares=[
            _authenticate,
            _validate_request,
            entity_tags,
            once,
            AnswerValidation(),
        ]
    )
    app.exception_handler(Problem)(lambda error: _render(app, error))
    app.exception_handler(RequestValidationError)(
        lambda error: _render(app, from_validation(app, error))
    )
    app.exception_handler(RequestUnsupportedContentType)(
        lambda _: _render(app, UnsupportedMediaType())
    )
    app.exception_handler(NotFoundError)(lambda _: _render(app, missing(app)))
    app.exception_handler(Exception)(lambda error: _render(app, unexpected(error)))
    return app


def _render(app: Resolver, problem: Problem) -> Response[str]:
    app.problem = problem.code
    page = app.problem_page(app, problem) if app.problem_page else None
    return page or render(app, problem)


def _authenticate(app: Resolver, next_middleware: NextMiddleware) -> Response[Any]:
    """Solves the route's dependencies first, the caller among them."""
    app.context |= {"changes": Changes(), "ledger": Ledger()}
    route = app.context["_route"]
    # If no route matched, Powertools uses one of its own, named after the path.
    app.operation = route.operation_id if route in routes_of(app) else None
    app.compresses = route.compress
    add_log_keys(operation=app.operation)
    if route.has_dependencies:
        try:
            solve_dependencies(
                dependant=dependencies_of(route.func),
                request=app.request,
                dependency_cache=app.context.setdefault("_dependency_cache", {}),
            )
        except DependencyResolutionError as error:
            cause = error.__cause__
            if isinstance(cause, RoleTooSmall | NoActiveWorkspace) and (
                stored := first_answer(app)
            ):
                return stored
            raise cause or error from None
        finally:
            if "caller" in app.context:
                app.caller_headers = {**_NOT_STORED, **headers_of(app.context)}
            _name_workspace(app)
    return as_sent(app, next_middleware(app))


def _name_workspace(app: Resolver) -> None:
    """Adds the caller's workspace to all later lines of the log."""
    workspace = app.context.get("workspace")
    if workspace is not None:
        app.workspace = str(workspace.id)
        add_log_keys(workspaceId=app.workspace)


_validation: Any = OpenAPIRequestValidationMiddleware()  # type: ignore[no-untyped-call]


def _validate_request(app: Resolver, next_middleware: NextMiddleware) -> Response[Any]:
    """Validates the body's size, type and form, then all that the route's annotations say."""
    try:
        _read_request(app)
    except Exception:
        if app.unreadable_limit and app.context["_route"].dependant.body_params:
            count_for_source(app.unreadable_limit, origin_of(app.request).ip_address)
        raise
    return next_middleware(app)


def _read_request(app: Resolver) -> None:
    """Parses and validates the request.

    Any other exception of a parser or a validator is the request's fault as well: they are too many
    to know what each raises in cases that nobody foresaw.
    """
    route, event = app.context["_route"], app.current_event
    is_form = route.operation_id in app.forms
    try:
        max_bytes = LARGE_BODY_BYTES if route.operation_id in app.large_bodies else BODY_BYTES
        _check_size(event, max_bytes)
        if event.body and route.dependant.body_params:
            _check_form(event) if is_form else _check_json(event)
        _check_parameters(app)
    except (Problem, RequestValidationError, RequestUnsupportedContentType):
        raise
    except TooDeep as error:
        raise MalformedRequest(f"Send JSON of at most {MAX_DEPTH} levels.") from error
    except Exception as error:
        if not isinstance(error, ValueError):
            log_unexpected(error)
        raise MalformedRequest(_READABLE_FORM if is_form else None) from error


def _check_parameters(app: Resolver) -> None:
    """Validates what the route's annotations say, and what holds for the query of every route."""
    route, event = app.context["_route"], app.current_event
    # If no route matched, the answer is about the path and method alone.
    is_any = app.operation is None or route.operation_id in app.any_query
    wrong = [] if is_any else unknown_parameters(route, event)
    path = dict(app.context["_route_args"])
    try:
        _validation(app, _nothing_more)
    except RequestValidationError as error:
        raise RequestValidationError([*wrong, *error.errors()]) from error
    wrong += contradictions(route, event, path, app.context["_route_args"])
    if wrong:
        raise RequestValidationError(wrong)


def _nothing_more(_app: APIGatewayHttpResolver) -> Response[Any]:
    """Replaces the rest of the middlewares, whose errors aren't the request's."""
    return Response(200)


def _check_size(event: BaseProxyEvent, max_bytes: int) -> None:
    body = event.body or ""
    size = len(body.encode())
    if event.is_base64_encoded:
        size = size * 3 // 4 - body[-2:].count("=")
    if size > max_bytes:
        raise PayloadTooLarge(f"This operation takes at most {max_bytes // 1_000_000} MB.")


def _check_json(event: BaseProxyEvent) -> None:
    sent = media_type(event)
    if sent != JSON:
        raise UnsupportedMediaType()
    # Powertools compares it as it was sent, but its case means nothing (RFC 9110, section 8.3.1).
    event["headers"]["content-type"] = sent
    _ = event.json_body


def _check_form(event: BaseProxyEvent) -> None:
    if media_type(event) not in {FORM, MULTIPART}:
        raise UnsupportedMediaType(f"Send the form as `{FORM}` or `{MULTIPART}`.")
    read_form(event)


def _read_json(text: str) -> Any:  # noqa: ANN401 - whatever JSON can say
    return read_json(text, parse_constant=_no_json, parse_float=_number)


def _number(text: str) -> float:
    """Returns an int for `3.0`, a whole number in JSON (JSON Schema 2020-12, section 4.2.3)."""
    number = float(text)
    return int(number) if number.is_integer() and abs(number) < _EXACT else number


def _no_json(constant: str) -> None:
    """Refuses NaN and the infinities: Python's parser accepts them, JSON doesn't (RFC 8259, 6)."""
    raise ValueError(constant)
