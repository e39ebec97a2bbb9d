"""Every operation of the description is callable, with its parameters, its body and its answer."""

import json
import keyword
import re
import types
import typing
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlencode
from uuid import UUID

import httpx
import pytest
from answering import Service
from storepost_client import Pages, Unset
from storepost_client.cli import operations as cli
from storepost_client.cli.main import parser

_DESCRIPTION = json.loads(
    (Path(__file__).parents[3] / "layers/core/storepost/api/reference/openapi.json").read_text()
)
_ID = "01937c1e-7b2a-7c3d-8e4f-5a6b7c8d9e0f"
PARSER = parser()
type Json = dict[str, Any]


def described() -> Iterator[tuple[str, str, Json]]:
    """Yields each operation of the description with its method and path."""
    for path, item in _DESCRIPTION["paths"].items():
        for method in ("get", "put", "post", "patch", "delete"):
            if method in item:
                yield method, path, item[method]


EACH = pytest.mark.parametrize(
    ("method", "path", "operation"),
    [pytest.param(*each, id=each[2]["operationId"]) for each in described()],
)


def snake(name: str) -> str:
    """Returns the name in Python, such as `put_write_back` for `putWriteBack`."""
    named = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return f"{named}_" if keyword.iskeyword(named) else named


def resolved(part: Json) -> Json:
    """Resolves a reference of the description."""
    while "$ref" in part:
        names = part["$ref"].removeprefix("#/").split("/")
        part = _DESCRIPTION
        for name in names:
            part = part[name]
    return part


def example(content: Json) -> Any:
    """Returns the example of the first media type."""
    first = next(iter(content.values()))
    if "example" in first:
        return first["example"]
    return next(iter(first["examples"].values()))["value"] if "examples" in first else None


def made(hint: Any, value: Any) -> Any:
    """Returns a value of the generated type, made from JSON."""
    if hasattr(hint, "from_dict"):
        return hint.from_dict(value)
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is list:
        return [made(parts[0], each) for each in value]
    if origin in {typing.Union, types.UnionType}:
        for part in (p for p in parts if p not in {type(None), Unset}):
            with_it = attempt(part, value)
            if with_it is not None:
                return with_it
    return value


def attempt(hint: Any, value: Any) -> Any:
    """Like `made`, but None if the value doesn't fit the type."""
    try:
        found = made(hint, value)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
    return found if moments(plain(found)) == moments(value) else None


def plain(value: Any) -> Any:
    """Returns a generated value as JSON."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    return [plain(each) for each in value] if isinstance(value, list) else value


def moments(value: Any) -> Any:
    """Returns JSON with its times parsed, as the client writes them with another UTC offset."""
    if isinstance(value, dict):
        return {name: moments(each) for name, each in value.items()}
    if isinstance(value, list):
        return [moments(each) for each in value]
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+\d\d:\d\d)", value):
        return datetime.fromisoformat(value)
    return value


def hints(call: Any) -> Json:
    """The types of a call's parameters."""
    return typing.get_type_hints(call.func)


def arguments(call: Any, operation: Json) -> tuple[list[Any], Json]:
    """Returns the operation's required arguments, and its body if there is an example."""
    places, named, known = [], {}, hints(call)
    for parameter in map(resolved, operation.get("parameters", [])):
        if parameter["in"] == "path":
            is_uuid = known[snake(parameter["name"])] is UUID
            places.append(UUID(_ID) if is_uuid else "a/b é")
        elif parameter.get("required"):
            named[snake(parameter["name"])] = "needed"
    body = operation.get("requestBody")
    if body and (body.get("required") or example(body["content"]) is not None):
        payload = example(body["content"])
        named["body"] = made(known["body"], payload)
    return places, named


def answer(operation: Json) -> tuple[httpx.Response, Any]:
    """Returns the described success, and its example."""
    status = min(int(status) for status in operation["responses"] if int(status) < 400)
    content = resolved(operation["responses"][str(status)]).get("content", {})
    if not content:
        return httpx.Response(status), None
    if "application/json" in content:
        payload = example(content)
        return httpx.Response(status, json=payload), payload
    return httpx.Response(status, text="<p>", headers={"content-type": "text/html"}), "<p>"


@EACH
def test_each_is_called_as_it_is_described(method: str, path: str, operation: Json) -> None:
    response, sent = answer(operation)
    service = Service([response])
    with service.client() as client:
        group, _, verb = operation["operationId"].partition(".")
        call = getattr(getattr(client, snake(group)), snake(verb))
        places, named = arguments(call, operation)
        got = call(*places, **named)
        if isinstance(got, Pages):
            got = got.page()
    (request,) = service.requests
    assert request.method == method.upper()
    assert unquote(request.url.raw_path.decode().partition("?")[0]) == "/v1" + re.sub(
        r"\{[^}]+\}", lambda _: str(places.pop(0)), path
    )
    assert bodies(request, operation)
    assert moments(plain(got)) == moments(sent)
    is_write = method != "get" and bool(operation.get("security"))
    assert ("idempotency-key" in request.headers) == is_write


def bodies(request: httpx.Request, operation: Json) -> bool:
    """Whether the sent body is the description's example, in its media type."""
    body = operation.get("requestBody")
    if not body or (not body.get("required") and example(body["content"]) is None):
        return request.content == b"" and "content-type" not in request.headers
    kind = next(iter(body["content"]))
    if request.headers["content-type"] != kind:
        return False
    if kind != "application/json":
        return request.content == urlencode(example(body["content"])).encode()
    return bool(moments(json.loads(request.content)) == moments(example(body["content"])))


@EACH
def test_each_answers_its_pages_one_by_one(method: str, path: str, operation: Json) -> None:
    parameters = [resolved(p)["name"] for p in operation.get("parameters", [])]
    service = Service([])
    with service.client() as client:
        group, _, verb = operation["operationId"].partition(".")
        call = getattr(getattr(client, snake(group)), snake(verb))
        known = hints(call)["return"]
    paged = method == "get" and {"page", "pageSize"} <= set(parameters)
    assert (getattr(known, "__origin__", None) is Pages) == paged


@EACH
def test_each_successful_answer_has_one_type(method: str, path: str, operation: Json) -> None:
    found = {
        json.dumps(content[kind]["schema"], sort_keys=True)
        for status, said in operation["responses"].items()
        if int(status) < 300
        for content in [resolved(said).get("content", {})]
        for kind in ["application/json"]
        if kind in content
    }
    assert len(found) <= 1


@EACH
def test_each_is_a_command(method: str, path: str, operation: Json) -> None:
    group, _, verb = operation["operationId"].partition(".")
    words = [cli.kebab(group), cli.kebab(verb)]
    for parameter in map(resolved, operation.get("parameters", [])):
        if parameter["in"] == "path":
            words.append("x")
        elif parameter.get("required"):
            words += [f"--{cli.kebab(parameter['name'])}", "x"]
    if operation.get("requestBody", {}).get("required"):
        words += ["--body", "{}"]
    options = PARSER.parse_args(words)
    assert (options.operation.method, options.operation.path) == (method.upper(), path)


def test_there_is_nothing_else() -> None:
    with Service([]).client() as client:
        groups = {n: g for n, g in vars(client).items() if type(g).__module__.count(".api.")}
        found = {f"{n}.{verb}" for n, group in groups.items() for verb in vars(group)}
    ids = (operation["operationId"].split(".") for _, _, operation in described())
    assert found == {f"{snake(group)}.{snake(verb)}" for group, verb in ids}
