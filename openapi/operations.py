"""Completes Powertools' description of an operation: its caller, problems and idempotency."""

import inspect
from collections.abc import Iterable
from typing import Any, get_args, get_origin, get_type_hints

from aws_lambda_powertools.event_handler import Depends, Response

from openapi.entity_tags import IF_MATCH, tag_parameters, tagged
from openapi.groups import Group, Operation
from openapi.parameters import completed
from openapi.reach import problems_of
from openapi.refusals import BUDGETS, REQUEST_ID, refusals
from openapi.responses import answered_text, routes_own, success_text
from storepost.accounts.identity.model import ApiKeyHolder, KeyScope, SignedInPerson
from storepost.accounts.identity.problems import ScopeTooSmall
from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.api.http.answers import JSON
from storepost.api.http.callers import MayCall
from storepost.api.http.forms import FORM, MULTIPART
from storepost.api.http.locations import LOCATIONS
from storepost.api.http.once import SealedAnswer
from storepost.platform.budgets.problems import RateLimited
from storepost.platform.persistence.deletions import KNOWN_FOR
from storepost.platform.persistence.idempotency import IdempotencyInProgress, IdempotencyKeyReused
from storepost.values.problems import (
    Busy,
    Conflict,
    Internal,
    MalformedRequest,
    PayloadTooLarge,
    PreconditionFailed,
    Problem,
    Unauthenticated,
    UnsupportedMediaType,
    ValidationFailed,
)
from storepost.values.wire import SecretAnswer

type Document = dict[str, Any]

IDEMPOTENCY_KEY = {"$ref": "#/components/parameters/IdempotencyKey"}
HEADERS: Document = {
    "ETag": {
        "description": "Names this state of the resource: for `If-Match` of a change and "
        "`If-None-Match` of a `GET`.",
        "schema": {"type": "string"},
        "example": '"5f1d8c0a9a0e4c558e571c9f"',
    },
    "IdempotencyReplayed": {
        "description": "Present where this is the first request's kept answer.",
        "schema": {"const": "true"},
    },
    "Location": {
        "description": "Where what was made, or set going, can be read.",
        "schema": {"type": "string", "format": "uri"},
    },
    "RateLimit": {
        "description": "What is left of each budget: `r` requests, and more in `t` seconds.",
        "schema": {"type": "string"},
        "example": '"key";r=93;t=1, "workspace";r=180;t=1',
    },
    "RateLimitPolicy": {
        "description": "The budgets that a caller's request is counted for: `q` requests in `w` "
        "seconds.",
        "schema": {"type": "string"},
        "example": '"key";q=100;w=2, "workspace";q=200;w=2',
    },
    "RequestId": {
        "description": "The request's id, to be named in a question about it.",
        "schema": {"type": "string"},
    },
    "RetryAfter": {
        "description": "When to try again, in seconds.",
        "schema": {"type": "integer", "minimum": 1},
    },
    "Challenge": {"description": "RFC 6750's challenge.", "schema": {"const": "Bearer"}},
}
_REPLAYED = {"idempotency-replayed": {"$ref": "#/components/headers/IdempotencyReplayed"}}
_CALLERS = (SignedInPerson, ApiKeyHolder, WorkspaceCaller)
_MEDIA = "contentMediaType"
_KEYS = {
    KeyScope.READ: "any API key",
    KeyScope.PROPOSE: "an API key of scope `propose` or `write`",
    KeyScope.WRITE: "an API key of scope `write`",
}


def complete(group: Group, operation: Operation, document: Document, schemas: Document) -> None:
    """Adds the missing parts to Powertools' description; `schemas` are the named components."""
    caller = caller_of(operation)
    parameters = [completed(found) for found in document.pop("parameters", [])]
    if caller and operation.method != "GET":
        parameters.append(IDEMPOTENCY_KEY)
    parameters += tag_parameters(group, operation)
    summary, _, rest = inspect.cleandoc(operation.function.__doc__ or "").partition("\n\n")
    document |= {
        "tags": [group.name],
        "summary": " ".join(summary.split()).removesuffix("."),
        "description": "\n\n".join(
            filter(
                None, [rest, _repeated(operation), _caller_text(caller), _bound(group, operation)]
            )
        ),
        "security": [{"bearer": []}] if caller else [],
    }
    if caller:
        document["x-caller"] = {
            "scope": caller.scope,
            "keys": caller.which_keys,
            "people": caller.people,
        }
    if parameters:
        document["parameters"] = parameters
    _complete_body(group, operation, document)
    document["responses"] = _successes(group, operation, document, schemas) | refusals(
        problems_for(group, operation, caller, document)
    )


def caller_of(operation: Operation) -> MayCall | None:
    """Returns who may call, from the route's caller type; None if it needs no caller."""
    for annotation in get_type_hints(operation.function, include_extras=True).values():
        kind, *metadata = get_args(annotation) or (annotation,)
        if not any(isinstance(m, Depends) for m in metadata):
            continue
        for each in metadata:
            if isinstance(each, MayCall):
                return each
        if kind in _CALLERS:
            raise TypeError(f"{operation.id}: the caller type {kind} says no MayCall")
    return None


def problems_for(
    group: Group, operation: Operation, caller: MayCall | None, document: Document
) -> set[type[Problem]]:
    """Returns every problem that the operation may answer."""
    found: set[type[Problem]] = {
        Busy,
        Internal,
        *problems_of(operation.function),
        *_of_input(group, operation, document),
    }
    if caller:
        found |= {Unauthenticated, RateLimited, *caller.problems}
        found |= _of_keys(operation, caller)
    if operation.method != "GET":
        found |= {Conflict, PayloadTooLarge}
    if IF_MATCH in document.get("parameters", []):
        found.add(PreconditionFailed)
    if IDEMPOTENCY_KEY in document.get("parameters", []):
        found |= {IdempotencyInProgress, IdempotencyKeyReused}
        if SecretAnswer.is_behind(operation.function.__annotations__.get("return")):
            found.add(SealedAnswer)
    return found


def _of_keys(operation: Operation, caller: MayCall) -> set[type[Problem]]:
    """Returns the refusal `scope` for a write that no key's scope allows, else nothing."""
    return {ScopeTooSmall} if caller.scope is None and operation.method != "GET" else set()


def _of_input(group: Group, operation: Operation, document: Document) -> set[type[Problem]]:
    if "requestBody" in document:
        limit = group.app.unreadable_limit
        found = {limit.problem} if limit else set[type[Problem]]()
        return found | {MalformedRequest, UnsupportedMediaType, ValidationFailed}
    takes_all = operation.id in group.app.any_query
    return set() if takes_all and not document.get("parameters") else {ValidationFailed}


def _caller_text(caller: MayCall | None) -> str:
    if caller is None:
        return "Anybody may call this; no credentials are needed."
    if caller.scope is None:
        return f"Callable by {caller.people}, and by no API key."
    keys = " ".join(filter(None, [_KEYS[caller.scope], caller.which_keys]))
    return f"Callable by {keys}, or by {caller.people}."


def _repeated(operation: Operation) -> str:
    if operation.method != "DELETE":
        return ""
    return f"Repeated within {KNOWN_FOR.days} days it is answered 204 again, and does nothing more."


def _bound(group: Group, operation: Operation) -> str:
    return "The body may have 5 MB." if operation.id in group.app.large_bodies else ""


def _complete_body(group: Group, operation: Operation, document: Document) -> None:
    if "requestBody" in document and operation.id in group.app.forms:
        content = document["requestBody"]["content"]
        document["requestBody"]["content"] = {FORM: content[JSON], MULTIPART: content[JSON]}


def _successes(
    group: Group, operation: Operation, document: Document, schemas: Document
) -> Document:
    described = document["responses"]
    empty = operation.function.__annotations__.get("return", ...) is None
    first, success = next(iter(described.items()))
    content = None if empty else _media(success["content"][JSON]["schema"])
    answered, statuses = answered_text(content, schemas), list(_statuses(operation, first))
    texts = {each: success_text(each, statuses, answered) for each in statuses}
    texts |= routes_own(described)
    successes = {each: _success(each, document, content, texts[each]) for each in statuses}
    return tagged(group, operation, document, successes)


def _success(status: str, document: Document, content: Document | None, text: str) -> Document:
    headers = REQUEST_ID | (BUDGETS if document["security"] else {})
    if IDEMPOTENCY_KEY in document.get("parameters", []):
        headers |= _REPLAYED
    if document["operationId"] in LOCATIONS and status in {"201", "202"}:
        headers |= {"Location": {"$ref": "#/components/headers/Location"}}
    answer: Document = {"description": text, "headers": headers}
    if content is not None and status < "300":
        answer["content"] = content
    return answer


def _statuses(operation: Operation, declared: str) -> Iterable[str]:
    """Returns the route's one status; for a `Response`, those that its code names."""
    if get_origin(inspect.get_annotations(operation.function).get("return")) is not Response:
        return [declared]
    constants = operation.function.__code__.co_consts
    named = {str(c) for c in constants if isinstance(c, int) and 200 <= c < 400}
    if "if_none_match" in inspect.signature(operation.function).parameters:
        named |= {"200", "304"}
    return sorted(named) or (["200"] if operation.method == "GET" else ["200", "201"])


def _media(schema: Document) -> Document:
    """Returns the content by media type, which a schema names if it isn't JSON."""
    options = schema.get("anyOf", [schema])
    content: Document = {}
    for media in dict.fromkeys(option.get(_MEDIA, JSON) for option in options):
        fitting = [option for option in options if option.get(_MEDIA, JSON) == media]
        content[media] = {"schema": fitting[0] if len(fitting) == 1 else {"anyOf": fitting}}
    return content
