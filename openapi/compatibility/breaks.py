"""Changes of a newer description that break a client of an older one (docs/guides/versions.md)."""

from collections.abc import Iterator
from typing import Any

from openapi.compatibility.schemas import Comparison, Side

type Json = dict[str, Any]


def breaks(released: Json, current: Json) -> list[str]:
    """Returns each break in words, with the operation and the place."""
    return [*_of_operations(released, current), *_of_webhooks(released, current)]


def _of_operations(released: Json, current: Json) -> Iterator[str]:
    for path, methods in released["paths"].items():
        for method, operation in methods.items():
            now = current["paths"].get(path, {}).get(method)
            name = f"{operation['operationId']} ({method.upper()} {path})"
            if now is None:
                yield f"{name}: is gone"
                continue
            if now["operationId"] != operation["operationId"]:
                yield f"{name}: is called {now['operationId']}"
            old, new = Side(operation, released), Side(now, current)
            for comparison in (_of_callers, _of_parameters, _of_body, _of_answers):
                yield from comparison(old, new, name)


def _of_webhooks(released: Json, current: Json) -> Iterator[str]:
    """Compares webhooks' bodies, which clients read as they read answers."""
    for name, methods in released.get("webhooks", {}).items():
        for method, hook in methods.items():
            now = current.get("webhooks", {}).get(name, {}).get(method)
            if now is None:
                yield f"webhook {name}: is gone"
                continue
            old, new = Side(hook, released), Side(now, current)
            contents = [s.at(s.schema.get("requestBody", {})).schema for s in (old, new)]
            yield from _of_content(old, new, contents[0], contents[1], f"webhook {name}")


def _of_callers(old: Side, new: Side, name: str) -> Iterator[str]:
    before, now = (side.schema.get("x-caller") for side in (old, new))
    if now and not before:
        yield f"{name}: needs credentials now"
    elif now and before and _rank(now["scope"]) > _rank(before["scope"]):
        yield f"{name}: needs {now['scope'] or 'a session'} now"


def _rank(scope: str | None) -> int:
    return ["read", "propose", "write", None].index(scope)


def _of_parameters(old: Side, new: Side, name: str) -> Iterator[str]:
    before, now = _parameters(old), _parameters(new)
    for key, parameter in now.items():
        if parameter.get("required") and not before.get(key, {}).get("required"):
            yield f"{name}: the {key[0]} parameter {key[1]} is required now"
    for key, parameter in before.items():
        where = f"{name}: the {key[0]} parameter {key[1]}"
        if key not in now:
            yield f"{where} is gone"
            continue
        schemas = old.at(parameter["schema"]), new.at(now[key]["schema"])
        yield from Comparison(is_answer=False).lacks(schemas[1], schemas[0], where)
        if schemas[0].schema.get("default") != schemas[1].schema.get("default"):
            yield f"{where}: another default"


def _parameters(side: Side) -> dict[tuple[str, str], Json]:
    found = (side.at(each).schema for each in side.schema.get("parameters", []))
    return {(each["in"], each["name"]): each for each in found}


def _of_body(old: Side, new: Side, name: str) -> Iterator[str]:
    before, now = (side.at(side.schema.get("requestBody", {})).schema for side in (old, new))
    if now.get("required") and not before.get("required"):
        yield f"{name}: a body is required now"
    for media, content in before.get("content", {}).items():
        if media not in now.get("content", {}):
            yield f"{name}: a body of {media} isn't taken any more"
            continue
        schemas = new.at(now["content"][media]["schema"]), old.at(content["schema"])
        yield from Comparison(is_answer=False).lacks(*schemas, f"{name}: body")


def _of_answers(old: Side, new: Side, name: str) -> Iterator[str]:
    before, now = (_successes(side) for side in (old, new))
    for status in sorted(before.keys() - now.keys()):
        yield f"{name}: {status} isn't answered any more"
    for status in sorted(now.keys() - before.keys() - {"304"}):
        yield f"{name}: {status} is answered now"
    for status in sorted(before.keys() & now.keys()):
        yield from _of_content(old, new, before[status], now[status], f"{name}: {status}")


def _successes(side: Side) -> dict[str, Json]:
    answers = side.schema["responses"].items()
    return {status: side.at(answer).schema for status, answer in answers if status < "400"}


def _of_content(old: Side, new: Side, before: Json, now: Json, name: str) -> Iterator[str]:
    """Compares headers and bodies that clients read."""
    lost = before.get("headers", {}).keys() - now.get("headers", {}).keys()
    for header in sorted(lost):
        yield f"{name}: the header {header} is gone"
    for media, content in before.get("content", {}).items():
        if media not in now.get("content", {}):
            yield f"{name}: isn't answered as {media} any more"
            continue
        schemas = old.at(content["schema"]), new.at(now["content"][media]["schema"])
        yield from Comparison(is_answer=True).lacks(*schemas, f"{name}: answer")
