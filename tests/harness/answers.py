"""Matches the functions' answers to the operations and problems of the interface's description."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from local import functions
from storepost.api.reference.documents import interface

type Look = Callable[[dict[str, Any], dict[str, Any]], None]
"""A callback with a request's event and its answer."""

_PARAMETER = re.compile(r"{\w+}")


def watch(look: Look) -> None:
    """Calls `look` with every answer from now on, after the callbacks registered before it."""
    plain = functions.handler_of

    def watched(function: str) -> Any:
        handler = plain(function)

        def handle(event: Any, context: Any) -> Any:
            answer = handler(event, context)
            if isinstance(event, dict) and "rawPath" in event:
                look(event, answer)
            return answer

        return handle

    functions.handler_of = watched  # type: ignore[assignment]


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yields each path and method of the description, with its operation."""
    for path, methods in interface()["paths"].items():
        for method, operation in methods.items():
            yield path, method.upper(), operation


def operation_of(event: dict[str, Any]) -> dict[str, Any] | None:
    """Returns the operation that a request calls, or None."""
    method, path = event["requestContext"]["http"]["method"], event["rawPath"]
    for pattern, operation in _routes().get((method, path.count("/")), []):
        if pattern.match(path):
            return operation
    return None


def codes_in(response: dict[str, Any]) -> list[str]:
    """Returns the problem codes of a described response."""
    reference = response.get("$ref")
    if reference:
        response = interface()["components"]["responses"][reference.rsplit("/", 1)[1]]
    content = response.get("content", {}).get("application/problem+json")
    codes: list[str] = (
        content["schema"]["allOf"][1]["properties"]["code"]["enum"] if content else []
    )
    return codes


def code_of(answer: dict[str, Any]) -> str | None:
    """Returns the problem's code, or None if the answer isn't a problem."""
    headers = {name.lower(): value for name, value in answer.get("headers", {}).items()}
    if headers.get("content-type") != "application/problem+json" or not answer["body"]:
        return None
    code: str = json.loads(answer["body"])["code"]
    return code


@cache
def _routes() -> dict[tuple[str, int], list[tuple[re.Pattern[str], dict[str, Any]]]]:
    """Returns operations by method and number of slashes; paths without parameters match first."""
    found: dict[tuple[str, int], list[tuple[re.Pattern[str], dict[str, Any]]]] = defaultdict(list)
    for path, method, operation in sorted(operations(), key=lambda o: "{" in o[0]):
        pattern = re.compile("/v1" + _PARAMETER.sub("[^/]+", path) + "$")
        found[method, path.count("/") + 1].append((pattern, operation))
    return found
