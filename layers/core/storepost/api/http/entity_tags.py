"""`ETag`, `If-Match` and `If-None-Match` of single resources (RFC 9110, sections 8.8 and 13).

An entity tag is a hash of what `GET` answers, so all that a reader sees counts. It is strong, as
answers to callers aren't compressed. A write with `If-Match` is refused with 412 unless `GET` would
answer a resource with that tag at the moment of the commit:

    GET → the route, which reads what it decides on → GET once more → the transaction

The second GET is after the route's own reads. The transaction is conditioned on the rows that the
GET read, as far as the write has them: a change of them in between makes the request a lost race,
which is decided again. The first GET only saves a request that is too late the work of the route.
"""

import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from inspect import signature
from typing import Any, get_args, get_origin, get_type_hints

from aws_lambda_powertools.event_handler import Depends, Response
from aws_lambda_powertools.event_handler.api_gateway import ApiGatewayResolver, Route
from aws_lambda_powertools.event_handler.depends import build_dependency_tree, solve_dependencies
from aws_lambda_powertools.event_handler.middlewares import NextMiddleware
from pydantic import BaseModel

from storepost.accounts.identity.model import SignedInPerson
from storepost.accounts.identity.repository import find_person
from storepost.api.http.answers import JSON, AnswerValidation, as_sent
from storepost.api.http.callers import MayCall
from storepost.api.http.lists import Page
from storepost.api.http.powertools_private import routes_of, validated
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.recorded_reads import recorded_reads
from storepost.values.problems import NotFound, PreconditionFailed

_TAG = re.compile(r'(?:W/)?"[^"]*"')
_HASHED = 24
"""Characters of the hash in a tag: 96 bits."""
_CHANGING = frozenset({"PUT", "PATCH"})
_MADE_OR_READ = frozenset({200, 201})

_validation = AnswerValidation()


@cache
def is_single(route: Callable[..., Any]) -> bool:
    """Returns whether a GET answers one resource of a caller's, and no list."""
    answered = answered_by(route)
    if answered is None or issubclass(answered, Page):
        return False
    return _caller_check(route) is not None


@cache
def answered_by(route: Callable[..., Any]) -> type[BaseModel] | None:
    """Returns the shape that a route answers, by itself or in a response."""
    returned = get_type_hints(route).get("return")
    [answered] = get_args(returned) if get_origin(returned) is Response else [returned]
    return answered if isinstance(answered, type) and issubclass(answered, BaseModel) else None


def is_changing(method: str) -> bool:
    """Returns whether a method observes `If-Match`, if its path can be read by GET."""
    return method in _CHANGING


def entity_tags(app: ApiGatewayResolver, next_middleware: NextMiddleware) -> Response[Any]:
    """Returns the answer with its tag, or 304 if the caller has it already."""
    response = as_sent(app, next_middleware(app))
    route: Route = app.context["_route"]
    reader = _reader(app, route)
    if (
        reader is None
        or response.status_code not in _MADE_OR_READ
        or not _answers_resource(route, reader)
    ):
        return response
    tag = _tag_of(str(response.body))
    response.headers["ETag"] = tag
    if route.method == "GET" and _names(app.current_event.headers.get("if-none-match"), tag):
        return Response(304, headers={"ETag": tag})
    return response


def expect_match(app: ApiGatewayResolver, changes: Changes | None = None) -> None:
    """Raises PreconditionFailed if the request's `If-Match` doesn't name the resource as it is.

    `changes` are conditioned on its not changing until they are committed.
    """
    if_match = app.current_event.headers.get("if-match")
    route: Route = app.context["_route"]
    if if_match is None or not is_changing(route.method):
        return
    reader = _reader(app, route)
    if reader is None:
        return
    with recorded_reads() as rows:
        tag = _current_tag(app, reader)
    if tag is None and changes is None:
        return  # the route reports better what is missing
    if tag is None or not _names(if_match, tag, strongly=True):
        raise PreconditionFailed()
    if changes is not None:
        changes.expect_unchanged(rows)


def _reader(app: ApiGatewayResolver, route: Route) -> Route | None:
    """Returns the GET of the route's path, if it answers a single resource."""
    routes = routes_of(app)
    found = (each for each in routes if each.method == "GET" and each.path == route.path)
    reader = next(found, None)
    return reader if reader and is_single(reader.func) else None


_parameters = cache(signature)
dependencies_of = cache(build_dependency_tree)


def _answers_resource(route: Route, reader: Route) -> bool:
    """Returns whether the answer is the resource as GET answers it, which the tag is of."""
    return answered_by(route.func) is answered_by(reader.func)


def _current_tag(app: ApiGatewayResolver, reader: Route) -> str | None:
    """Returns the tag of what GET would answer now; None if it would answer 404."""
    arguments = app.context["_route_args"]
    names = _parameters(reader.func).parameters
    values = {name: arguments[name] for name in names if name in arguments}
    try:
        found = reader.func(**{**values, **_solved(app, reader)})
    except NotFound:
        return None
    response = validated(_validation, reader, Response(200, JSON, found))
    return _tag_of(str(as_sent(app, response).body))


def _solved(app: ApiGatewayResolver, reader: Route) -> dict[str, Any]:
    """Returns what GET depends on; its caller is the request's own, who may do more."""
    solved: dict[Callable[..., Any], Any] = app.context["_dependency_cache"]
    check, own = _caller_check(reader.func), _caller_check(app.context["_route"].func)
    assert check is not None and own is not None  # noqa: S101, PT018 - both have a caller
    caller = solved[own]
    if isinstance(caller, SignedInPerson):  # the person is part of what GET answers
        caller = replace(caller, person=find_person(caller.person.scope) or caller.person)
    return solve_dependencies(
        dependant=dependencies_of(reader.func),
        request=app.request,
        dependency_cache={**solved, check: caller},
    )


@cache
def _caller_check(route: Callable[..., Any]) -> Callable[..., Any] | None:
    """Returns the function that finds and checks a route's caller; None without a caller."""
    for hint in get_type_hints(route, include_extras=True).values():
        depends = [each for each in get_args(hint) if isinstance(each, Depends)]
        if depends and any(isinstance(each, MayCall) for each in get_args(hint)):
            return depends[0].dependency
    return None


def _tag_of(body: str) -> str:
    return f'"{hashlib.sha256(body.encode()).hexdigest()[:_HASHED]}"'


def _names(header: str | None, tag: str, *, strongly: bool = False) -> bool:
    """Returns whether a header's list of tags has this one; `*` means any."""
    if header is None:
        return False
    if header.strip() == "*":
        return True
    tags = _TAG.findall(header)
    return tag in (tags if strongly else [each.removeprefix("W/") for each in tags])
