"""The requests that a guide has its readers send by curl, and the answers that it shows."""

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from tests.docs.commands import typed
from tests.harness.world import Answer, World

_BLOCK = re.compile(r"^```(sh|json)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_VARIABLE = re.compile(r"\$(\w+)")
_PLURAL = re.compile(r"(?<=ch)es$|s$")
_ADDRESS = "$STOREPOST_URL"
ANYTHING = "…"
"""Stands in a guide's JSON for whatever the service chose."""


@dataclass
class Request:
    """A command of curl, and what the guide says that it answers."""

    method: str = "GET"
    target: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    body: str | None = None
    shown: Any = None


def requests_of(text: str) -> Iterator[Request]:
    """Those of a guide, in its order; JSON that follows one is its answer, or a part of it."""
    found: list[Request] = []
    for language, block in _BLOCK.findall(text):
        if language == "sh":
            found += [_request(shlex.split(line)) for line in typed(block) if _is_one(line)]
        elif found:
            found[-1].shown = json.loads(block)
    yield from found


def _is_one(line: str) -> bool:
    return line.startswith("curl ") and _ADDRESS in line


def _request(words: list[str]) -> Request:
    made, rest = Request(), iter(words[1:])
    for word in rest:
        if word == "-X":
            made.method = next(rest)
        elif word == "-H":
            name, _, value = next(rest).partition(": ")
            made.headers[name.lower()] = value
        elif word == "-d":
            made.body = next(rest)
        else:
            made.target = word
    return made


@dataclass
class Reader:
    """Somebody who types a guide's commands, and puts the ids that come back into variables."""

    world: World
    variables: dict[str, str]

    def send_requests(self, page: Path) -> None:
        """Sends the page's requests; each is answered as the page shows, else with a success."""
        for request in requests_of(page.read_text("utf-8")):
            answer = self.send(request)
            self.world.deliver()
            context = (page.name, request.method, request.target, answer.status, answer.body)
            if isinstance(request.shown, dict) and isinstance(request.shown.get("status"), int):
                assert answer.status == request.shown["status"], context
            else:
                assert answer.status < 300, context
            if request.shown is not None:
                assert is_shown(request.shown, answer.json), context

    def send(self, request: Request) -> Answer:
        """Sends it; a variable that nobody has set yet is an error."""
        target = self._filled(request.target).removeprefix(_ADDRESS)
        path, _, query = target.partition("?")
        body = None if request.body is None else self._filled(request.body).encode()
        answer = self.world.call(
            request.method,
            path,
            headers={name: self._filled(value) for name, value in request.headers.items()},
            query=dict(parse_qsl(query, keep_blank_values=True)),
            body=body,
        )
        self._keep(path, answer)
        return answer

    def _filled(self, text: str) -> str:
        known = {"STOREPOST_URL": _ADDRESS, **self.variables}
        return _VARIABLE.sub(lambda found: known[found[1]], text)

    def _keep(self, path: str, answer: Answer) -> None:
        """`$STORE_ID` is the id of the store that was answered last, and so on."""
        if answer.status >= 300 or not answer.body or not isinstance(answer.json, dict):
            return
        listed = answer.json.get("items", [])
        # A key or an endpoint stands beside its secret, under a name of its own.
        inner = [each for each in answer.json.values() if isinstance(each, dict)]
        one = answer.json if "id" in answer.json else next(iter(listed + inner), {})
        name = _PLURAL.sub("", path.rstrip("/").rpartition("/")[2]).upper().replace("-", "_")
        if "id" in one:
            self.variables[f"{name}_ID"] = one["id"]


def is_shown(shown: Any, answered: Any) -> bool:
    """Whether the answer has all that the guide shows of it."""
    if shown == ANYTHING:
        return answered is not None
    if isinstance(shown, dict):
        return isinstance(answered, dict) and all(
            name in answered and is_shown(value, answered[name]) for name, value in shown.items()
        )
    if isinstance(shown, list):
        return (
            isinstance(answered, list)
            and len(shown) == len(answered)
            and all(is_shown(*pair) for pair in zip(shown, answered, strict=True))
        )
    return bool(shown == answered)
