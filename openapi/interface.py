"""The whole interface in OpenAPI 3.1: the completed descriptions of all groups in one document."""

import json
from collections.abc import Iterator
from typing import Any

from openapi.code_samples import add_code_samples
from openapi.definition_kinds import add_definition_kinds
from openapi.discriminators import add_discriminators
from openapi.entity_tags import PARAMETERS
from openapi.examples import add_examples
from openapi.groups import Group, groups
from openapi.navigation import tag_groups, tags
from openapi.operations import HEADERS, Document, complete
from openapi.refusals import examples, share_refusals
from openapi.webhooks import webhook_schemas, webhooks
from storepost.values.component_names import publicly_named

_REFERENCE = "#/components/schemas/"
_PREFIX = "/v1"
_SERVER = {
    "url": _PREFIX,
    "description": "The base address, in production and in a local run",
    "x-internal": False,
}

_ABOUT = """\
The programmatic interface of an open-source email platform for e-commerce.

Every path is relative to the base address, which ends in the version segment `/v1`.

**Callers.** A request carries `Authorization: Bearer <token>`: an API key, which belongs to one \
workspace and has one scope (`read` < `propose` < `write`), or the session token of a signed-in \
person. No request names the workspace: it is the key's, or the session's active one.

**Problems.** Every failure is a problem detail (RFC 9457, `application/problem+json`). Branch on \
`type` and `code`; `detail` is for people. What each kind and code means, and how to fix it, \
is explained at the address in `type`. `path` in `errors` is a JSON Pointer into the body, else \
`query.page`, `path.id` or `header.idempotency-key`.

**Retries.** Every write with a caller takes the header `idempotency-key`: for 24 hours a retry \
with the same key and the same request gets the first answer, with `idempotency-replayed: true`.

**Budgets.** An API key, and a signed-in person over all sessions, may make 50 requests a second, \
and all callers of a workspace together 100, unless the service's operator chose other numbers; \
a burst may be twice as many. Every answer to a known caller says in `RateLimit-Policy` which \
budgets the request was counted for (`"key";q=100;w=2`: 100 requests in 2 seconds) and in \
`RateLimit` what is left of them (`"key";r=93;t=1`: 93 requests, and more in a second), as \
structured fields (RFC 9651) by the IETF's draft-ietf-httpapi-ratelimit-headers. Past one of them \
the answer is 429 `rate_limited` with `Retry-After`. This is checked right after the credentials, \
before what the caller may do, and every request counts, one that fails and a retry too; a \
person's own operations (`/me`, `/sessions`) count for no workspace. The counting is approximate: \
by up to 20 requests for each of the service's containers that a caller meets. Of the operations \
that read another server while the caller waits, previews and checks of feeds, four of a \
workspace run at once.

**Request ids.** Every answer has the header `request-id`. Name it where you ask about a request.

**Lost updates.** What `GET` answers of a single resource has an `ETag`. A `PUT` or `PATCH` of the \
same path with that tag in `If-Match` is 412 `precondition_failed` if anything of the resource \
changed since, counts among it; the check and the write are one. `GET` with the tag in \
`If-None-Match` is 304 while nothing changed.

**HEAD** is answered wherever GET is, as GET without the body. No cache may keep an answer to a \
known caller (`Cache-Control: no-store`). `Location` says where what was made can be read.

**Lists** answer `{items, total, page, pageSize}`; totals are exact, and a page past the end is \
200 without items.

**Values.** Money is an integer in minor units with an ISO 4217 code. Moments are answered in UTC \
with milliseconds and `Z`; any offset is accepted. Bodies refuse unknown fields, and \
queries unknown parameters. Ids, numbers and booleans of queries are spelled as answers have them. \
A `PATCH` without fields changes nothing, but where it has one field alone: that is required.

**Form.** Paths are case-sensitive and don't end in a slash. Answers are JSON whatever `Accept` \
asks for, but on pages for people. A body is ignored where an operation has none.

**Sizes.** A body over 1 MB is 413 (5 MB where the operation says so). JSON has at most 100 \
levels, and an object with fields of ours at most 100 of them. A problem names at most 50 errors.

**What the gateway answers itself is no problem detail**: 429 when the service as a whole gets too \
many requests, 413 past 6 MB, and a 5xx when a function crashed or ran out of time. Those bodies \
are `{"message": …}`.
"""

_PROBLEM: Document = {
    "type": "object",
    "description": "Every failure is answered in this shape (RFC 9457, problem details).",
    "required": ["type", "title", "status"],
    "properties": {
        "type": {
            "type": "string",
            "format": "uri",
            "description": "The kind of problem, one for each HTTP status: an address where it and "
            "its codes are explained.",
        },
        "title": {
            "type": "string",
            "description": "What went wrong in a few words, the same for every problem with this "
            "code. It is for people, and its wording may change.",
        },
        "status": {"type": "integer", "description": "The HTTP status of the answer, once more."},
        "detail": {
            "type": "string",
            "description": "What went wrong this time and what to do about it. It is for people, "
            "and its wording may change.",
        },
        "code": {
            "type": "string",
            "description": "Names the cause for programs: decide by it what to do next. A code "
            "never changes its meaning.",
        },
        "errors": {
            "type": "array",
            "description": "Each place of the request that is wrong, 50 at most. Left out where "
            "no single place is.",
            "items": {
                "type": "object",
                "required": ["path", "message"],
                "properties": {
                    "path": {
                        "type": "string",
                        "description": "Where it is: a JSON Pointer into the body, such as "
                        "`/lineItems/0/quantity`, or `query.page`, `path.id`, "
                        "`header.idempotency-key`.",
                    },
                    "message": {
                        "type": "string",
                        "description": "What is wrong there and what would be right, for people.",
                    },
                },
            },
        },
    },
}


class NameClash(Exception):  # noqa: N818 - it is what happened
    """Two groups use one name for different components or operations."""


def interface() -> Document:
    """Returns the document, which is deterministic for the same code."""
    paths: Document = {}
    schemas: Document = {"Problem": _PROBLEM}
    found = groups()
    for group in found:
        described = _described(group)
        _add(paths, described["paths"], schemas, described["schemas"])
    _add({}, {}, schemas, publicly_named(webhook_schemas(), _REFERENCE, names=True))
    document: Document = {
        "openapi": "3.1.0",
        "info": {
            "title": "Storepost",
            "version": "1",
            "summary": "The email platform API for e-commerce",
            "description": _ABOUT,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [_SERVER],
        "tags": tags(found),
        "x-tagGroups": tag_groups(found),
        "paths": dict(sorted(paths.items())),
        "webhooks": webhooks(),
        "components": _components(schemas),
    }
    _demand_unique_operations(document)
    share_refusals(document)
    add_definition_kinds(document["components"]["schemas"])
    add_discriminators(document, document["components"]["schemas"])
    _prune(document)
    _take_defaults_off(document["components"]["schemas"])
    add_examples(document)
    add_code_samples(document)
    return document


def text() -> str:
    """Returns the document's text."""
    return json.dumps(interface(), indent=1, ensure_ascii=False) + "\n"


def _described(group: Group) -> Document:
    raw = group.app.get_openapi_schema(title=group.name, version="1", openapi_version="3.1.0")
    whole = json.loads(raw.model_dump_json(by_alias=True, exclude_none=True))
    document = publicly_named(whole, _REFERENCE)
    paths: Document = {}
    schemas: Document = document.get("components", {}).get("schemas", {})
    for operation in group.operations:
        method = operation.method.lower()
        described = document["paths"][operation.path][method]
        complete(group, operation, described, schemas)
        path = operation.path.removeprefix(_PREFIX)
        paths.setdefault(path, {})[method] = described
    return {"paths": paths, "schemas": schemas}


def _add(paths: Document, more: Document, schemas: Document, named: Document) -> None:
    for path, methods in more.items():
        if paths.setdefault(path, {}).keys() & methods.keys():
            raise NameClash(f"two operations are {path}")
        paths[path] |= methods
    for name, schema in named.items():
        if schemas.setdefault(name, schema) != schema:
            raise NameClash(f"two schemas are called {name}; rename one of the classes")


def _components(schemas: Document) -> Document:
    return {
        "schemas": dict(sorted(schemas.items())),
        "responses": {},
        "examples": examples(),
        "parameters": {
            **PARAMETERS,
            "IdempotencyKey": {
                "name": "idempotency-key",
                "in": "header",
                "required": False,
                "description": "Makes a retry safe: choose a new value for each write, such as a "
                "UUID, and send the same one when you retry it. For 24 hours the same request "
                "with the same key does nothing more and gets the first answer.",
                "schema": {"type": "string", "minLength": 1, "maxLength": 255},
            },
        },
        "headers": HEADERS,
        "securitySchemes": {
            "bearer": {
                "type": "http",
                "scheme": "bearer",
                "description": "An API key (`stp_…`) or the session token of a signed-in person "
                "(`sts_…`), as `Authorization: Bearer <token>`.",
            }
        },
    }


def _demand_unique_operations(document: Document) -> None:
    ids = [o["operationId"] for methods in document["paths"].values() for o in methods.values()]
    twice = {each for each in ids if ids.count(each) > 1}
    if twice:
        raise NameClash(f"two operations are called {', '.join(sorted(twice))}")


def _prune(document: Document) -> None:
    """Removes the components that nothing refers to, such as Powertools' own error shapes."""
    components = document["components"]
    reached: set[tuple[str, str]] = set()
    waiting = [*_references(document["paths"]), *_references(document["webhooks"])]
    while waiting:
        kind, name = each = waiting.pop()
        if each not in reached:
            reached.add(each)
            waiting += _references(components[kind][name])
    for kind in ("schemas", "responses", "examples"):
        named = components[kind].items()
        components[kind] = {name: value for name, value in named if (kind, name) in reached}


def _take_defaults_off(schemas: Document) -> None:
    """Moves a field's default to its description: some generators require fields with defaults."""
    for schema in schemas.values():
        for field in schema.get("properties", {}).values():
            is_said = "left out" in field.get("description", "")
            if field.pop("default", None) is False and not is_said:
                field["description"] += " Left out, it is `false`."


def _references(value: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - JSON
    """Yields the kind and the name of each component that a part of the document refers to."""
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            _, _, kind, name = value["$ref"].split("/")
            yield kind, name
        for inner in value.values():
            yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)
