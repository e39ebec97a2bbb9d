"""The HTTP API: routes a request to a function, and makes its event (payload 2.0)."""

import base64
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, unquote
from uuid import uuid4

from local.console import say, say_failure
from local.functions import REQUEST_BYTES, invoke
from local.template import Function, functions


@dataclass(frozen=True)
class Answer:
    """The gateway's answer."""

    status: int
    headers: dict[str, str]
    body: bytes


def http_event(
    method: str,
    path: str,
    *,
    query: str = "",
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
    source_ip: str = "203.0.113.7",
    domain: str = "api.example.com",
) -> dict[str, Any]:
    """Returns the gateway's event of a request; `path` and `query` are as they were sent."""
    sent = {name.lower(): value for name, value in (headers or {}).items()}
    at = datetime.now(UTC)
    event: dict[str, Any] = {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": unquote(path),
        "rawQueryString": query,
        "headers": sent,
        "isBase64Encoded": False,
        "requestContext": {
            "accountId": "123456789012",
            "apiId": "local",
            "domainName": domain,
            "domainPrefix": domain.partition(".")[0],
            "stage": "$default",
            "requestId": str(uuid4()),
            "routeKey": "$default",
            "time": at.strftime("%d/%b/%Y:%H:%M:%S %z"),
            "timeEpoch": int(at.timestamp() * 1000),
            "http": {
                "method": method,
                "path": unquote(path),
                "protocol": "HTTP/1.1",
                "sourceIp": source_ip,
                "userAgent": sent.get("user-agent", ""),
            },
        },
    }
    if query:
        event["queryStringParameters"] = _joined(parse_qsl(query, keep_blank_values=True))
    if body:
        try:
            event["body"] = body.decode()
        except UnicodeDecodeError:
            event |= {"body": base64.b64encode(body).decode(), "isBase64Encoded": True}
    return event


def _joined(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    joined: dict[str, str] = {}
    for name, value in pairs:
        joined[name] = f"{joined[name]},{value}" if name in joined else value
    return joined


@dataclass(frozen=True)
class Route:
    """A path of the template and the function behind it."""

    path: str
    pattern: re.Pattern[str]
    function: Function


@cache
def routes() -> tuple[Route, ...]:
    """Returns the template's routes in the gateway's order of choice, the most specific first."""
    found = [
        Route(properties["Path"], _pattern(properties["Path"]), function)
        for function in functions()
        for properties in function.events_of("HttpApi")
        if properties["Path"] != "$default"
    ]
    return tuple(sorted(found, key=lambda route: _rank(route.path)))


def _pattern(path: str) -> re.Pattern[str]:
    parts = re.split(r"(\{[^}]+\})", path)
    return re.compile("".join(_part(part) for part in parts) + "$")


def _part(part: str) -> str:
    if part.endswith("+}"):
        return ".+"
    return "[^/]+" if part.startswith("{") else re.escape(part)


def _rank(path: str) -> list[int]:
    return [2 if p.endswith("+}") else 1 if p.startswith("{") else 0 for p in path.split("/")]


@cache
def default_function() -> Function:
    """Returns the function of requests that match no route."""
    return next(f for f in functions() for p in f.events_of("HttpApi") if p["Path"] == "$default")


def function_for(path: str) -> Function:
    """Returns the function that handles a path."""
    for route in routes():
        if route.pattern.match(path):
            return route.function
    return default_function()


def handle(event: dict[str, Any]) -> Answer:
    """Runs the function of the event's path, and reads its answer as the gateway does."""
    answer = invoke(function_for(event["rawPath"]), event)
    body = answer.get("body") or ""
    raw = base64.b64decode(body) if answer.get("isBase64Encoded") else body.encode()
    headers = {str(k): str(v) for k, v in (answer.get("headers") or {}).items()}
    return Answer(answer["statusCode"], headers, raw)


def serve(event: dict[str, Any]) -> Answer:
    """Returns the function's answer, or the gateway's own for a failure or excess size."""
    if _bytes(event) > REQUEST_BYTES:
        return own_answer(413, "Request Entity Too Large")
    try:
        answer = handle(event)
    except Exception as error:
        say_failure(function_for(event["rawPath"]).job, error)
        return own_answer(500, "Internal Server Error")
    if len(answer.body) > REQUEST_BYTES:
        say(f"{function_for(event['rawPath']).job}: its answer is over 6 MB")
        return own_answer(500, "Internal Server Error")
    return answer


def own_answer(status: int, message: str) -> Answer:
    """Returns an answer of the gateway itself, which isn't a problem detail."""
    body = json.dumps({"message": message}).encode()
    return Answer(status, {"content-type": "application/json"}, body)


def _bytes(event: dict[str, Any]) -> int:
    """Returns the event's size as Lambda receives it: as JSON, with its body's quotes escaped."""
    return len(json.dumps(event, ensure_ascii=False).encode())
