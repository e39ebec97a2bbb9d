"""Sends operations the inputs of the corpus, and judges their answers."""

import gzip
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Any
from uuid import uuid4

from local import gateway
from storepost.values.scope import WorkspaceScope
from tests.harness.answers import operations
from tests.harness.world import CANARY, Answer, Someone, World
from tests.hostile import corpus

_PARAMETER = re.compile(r"{(\w+)}")


@dataclass(frozen=True)
class Sent:
    """A request without its caller."""

    name: str
    method: str
    path: str
    query: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True)
class Operation:
    """An operation of the interface's description."""

    id: str
    method: str
    path: str
    example: object
    takes_form: bool

    @property
    def has_body(self) -> bool:
        """Whether it reads a body."""
        return self.takes_form or self.example is not None


def every_operation() -> dict[str, Operation]:
    """The operations by id."""
    found = {}
    for path, method, described in operations():
        content = described.get("requestBody", {}).get("content", {})
        found[described["operationId"]] = Operation(
            described["operationId"],
            method,
            path,
            content.get(corpus.JSON, {}).get("example"),
            takes_form=bool(content) and corpus.JSON not in content,
        )
    return found


class Target:
    """A workspace with one of each resource that bodies name, and a caller with all rights."""

    def __init__(self, world: World) -> None:
        """Made by requests."""
        self._world = world
        self._addresses = count()
        self.owner: Someone = world.person()
        self.workspace: WorkspaceScope = world.workspace(self.owner)
        self._ids = {"stores": world.store(self.owner)}
        profile = {"email": f"ann.{CANARY}@example.com"}
        made = self.owner.call("POST", "/profiles", profile)
        self._ids["profiles"] = made.json["id"]

    def path(self, operation: Operation, segment: str | None = None) -> str:
        """The operation's path; the hostile `segment`, if any, is its last parameter."""
        kind = operation.path.split("/")[1]
        known = self._ids.get(kind) if operation.has_body else None
        names = _PARAMETER.findall(operation.path)
        path = operation.path
        for name in names:
            value = known if name == "id" and known else str(uuid4())
            if segment is not None and name == names[-1]:
                value = segment
            path = path.replace("{" + name + "}", value)
        return path

    def ask(self, sent: Sent, token: str) -> Answer:
        """The answer, judged."""
        found = gateway.handle(self.event(sent, token))
        answer = unpacked(Answer(found.status, found.headers, found.body))
        judge(sent, answer)
        return answer

    def event(self, sent: Sent, token: str) -> dict[str, Any]:
        """The gateway's event; each is from another address."""
        number = next(self._addresses)
        return gateway.http_event(
            sent.method,
            f"/v1{sent.path}",
            query=sent.query,
            headers={"authorization": f"Bearer {token}", **sent.headers},
            body=sent.body,
            source_ip=f"198.18.{number // 256 % 256}.{number % 256}",
        )

    def token(self) -> str:
        """A new session of the owner, as one operation may end a session that another needs."""
        return self._world.sign_in(self.owner.id, self.workspace)[0]


def unpacked(answer: Answer) -> Answer:
    """The answer with its body as it was before the function compressed it."""
    if answer.header("content-encoding") != "gzip":
        return answer
    return Answer(answer.status, answer.headers, gzip.decompress(answer.body))


def judge(sent: Sent, answer: Answer) -> None:
    """Whatever was sent, the answer is complete, and isn't a fault of the service."""
    assert answer.status < 500, (sent, answer.body)
    if answer.status >= 400 and "json" in (answer.header("content-type") or ""):
        answer.problem()
    if answer.header("content-type") == "application/json":
        json.loads(answer.body, parse_constant=_refuse)


def _refuse(constant: str) -> None:
    raise AssertionError(constant)


def requests_to(operation: Operation, target: Target) -> Iterator[Sent]:
    """All inputs of the corpus for the operation."""
    sources: list[Callable[[Operation, Target], Iterator[Sent]]] = [_queries, _headers]
    if _PARAMETER.search(operation.path):
        sources.append(_segments)
    if operation.takes_form:
        sources.append(_forms)
    elif operation.has_body:
        sources += [_documents, _values]
    for source in sources:
        yield from source(operation, target)


def part_of(requests: Iterator[Sent], first: int, step: int) -> Iterator[Sent]:
    """Every n-th of them."""
    return islice(requests, first, None, step)


def _queries(operation: Operation, target: Target) -> Iterator[Sent]:
    for name, query in corpus.QUERIES.items():
        yield Sent(f"query: {name}", operation.method, target.path(operation), query)


def _headers(operation: Operation, target: Target) -> Iterator[Sent]:
    body = json.dumps(operation.example).encode() if operation.has_body else b""
    for name, headers in corpus.HEADERS.items():
        path, sent = target.path(operation), {"content-type": corpus.JSON, **headers}
        # The query has an error, so that a request whose headers pass has no effect.
        yield Sent(f"header: {name}", operation.method, path, "nobody=1", sent, body)


def _segments(operation: Operation, target: Target) -> Iterator[Sent]:
    for name, segment in corpus.SEGMENTS.items():
        path = target.path(operation, segment)
        body = json.dumps(operation.example).encode() if operation.has_body else b""
        sent = {"content-type": corpus.JSON}
        yield Sent(f"path: {name}", operation.method, path, headers=sent, body=body)


def _documents(operation: Operation, target: Target) -> Iterator[Sent]:
    for name, body in corpus.DOCUMENTS.items():
        sent = {"content-type": corpus.JSON}
        path = target.path(operation)
        yield Sent(f"body: {name}", operation.method, path, headers=sent, body=body)


def _values(operation: Operation, target: Target) -> Iterator[Sent]:
    for where, template in corpus.replaced(operation.example):
        for name, value in corpus.VALUES.items():
            body = template.replace("\0", value).encode()
            sent = {"content-type": corpus.JSON}
            path = target.path(operation)
            yield Sent(f"{where}: {name}", operation.method, path, headers=sent, body=body)


def _forms(operation: Operation, target: Target) -> Iterator[Sent]:
    for name, (kind, body) in corpus.FORMS.items():
        path, sent = target.path(operation), {"content-type": kind}
        yield Sent(f"form: {name}", operation.method, path, headers=sent, body=body)
