"""Whatever an operation answers in a test must stand in its description: the status and the code.

The description's problems are read off the code (`openapi.reach`); this is what shows that none is
missing there.
"""

import json
import re
from typing import Any

from local import functions
from storepost.reference.documents import interface

_PARAMETER = re.compile(r"{\w+}")
# Told of once, for all operations: the path has no such method, or there is no such path.
_EVERYWHERE = frozenset({"method_not_allowed"})


class ToldAnswers:
    """Compares the functions' answers with the interface's description."""

    def __init__(self) -> None:
        """Nothing was untold yet."""
        self.untold: list[str] = []
        self._operations = [
            (re.compile("/v1" + _PARAMETER.sub("[^/]+", path) + "$"), method.upper(), operation)
            for path, methods in sorted(interface()["paths"].items(), key=lambda p: "{" in p[0])
            for method, operation in methods.items()
        ]

    def install(self) -> None:
        """From now on every answer is looked at."""
        plain = functions.handler_of

        def watched(function: str) -> Any:
            handler = plain(function)

            def handle(event: Any, context: Any) -> Any:
                answer = handler(event, context)
                if isinstance(event, dict) and "rawPath" in event:
                    self.look_at(event, answer)
                return answer

            return handle

        functions.handler_of = watched  # type: ignore[assignment]

    def look_at(self, event: dict[str, Any], answer: dict[str, Any]) -> None:
        """Keeps an answer of an operation that its description doesn't know."""
        method, path = event["requestContext"]["http"]["method"], event["rawPath"]
        for pattern, verb, operation in self._operations:
            if verb == method and pattern.match(path):
                told = _is_told(operation, answer)
                if not told:
                    self.untold.append(f"{operation['operationId']}: {_name(answer)}")
                return


def _is_told(operation: dict[str, Any], answer: dict[str, Any]) -> bool:
    code = code_of(answer)
    if code in _EVERYWHERE:
        return True
    told = operation["responses"].get(str(answer["statusCode"]))
    return told is not None and (code is None or code in codes_in(told))


def codes_in(told: dict[str, Any]) -> list[str]:
    """The problems' codes that a described response may have."""
    reference = told.get("$ref")
    if reference:
        told = interface()["components"]["responses"][reference.rsplit("/", 1)[1]]
    content = told.get("content", {}).get("application/problem+json")
    codes: list[str] = content["schema"]["properties"]["code"]["enum"] if content else []
    return codes


def code_of(answer: dict[str, Any]) -> str | None:
    """The problem's code, or None where the answer is no problem."""
    headers = {name.lower(): value for name, value in answer.get("headers", {}).items()}
    if headers.get("content-type") != "application/problem+json":
        return None
    code: str = json.loads(answer["body"])["code"]
    return code


def _name(answer: dict[str, Any]) -> str:
    return f"{answer['statusCode']} {code_of(answer) or ''}".strip()
