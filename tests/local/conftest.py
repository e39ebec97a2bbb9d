"""A local run on a free port, over real sockets, without demo data."""

import http.client
import json
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pytest

from local import functions
from local.running import LocalRun
from tests.harness.world import Answer, World

SOON_SECONDS = 15


@dataclass(frozen=True)
class Client:
    """A client of the local run."""

    run: LocalRun

    @property
    def host(self) -> str:
        """Its address and port."""
        return urlsplit(self.run.origin).netloc

    def call(
        self,
        method: str,
        target: str,
        *,
        token: str | None = None,
        json_body: object = None,
        body: bytes | Iterator[bytes] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """A request to a path of the origin."""
        sent = dict(headers or {})
        if token:
            sent["authorization"] = f"Bearer {token}"
        if json_body is not None:
            body = json.dumps(json_body).encode()
            sent["content-type"] = "application/json"
        connection = http.client.HTTPConnection(self.host, timeout=SOON_SECONDS)
        try:
            connection.request(method, target, body=body, headers=sent)
            response = connection.getresponse()
            return Answer(response.status, dict(response.getheaders()), response.read())
        finally:
            connection.close()

    def get(self, target: str) -> Any:
        """The JSON at a path."""
        answer = self.call("GET", target)
        assert answer.status == 200, answer.body
        return answer.json


def soon[T](look: Callable[[], T]) -> T:
    """What `look` returns, once that is true."""
    until = time.monotonic() + SOON_SECONDS
    while not (seen := look()):
        assert time.monotonic() < until, "it never came"
        time.sleep(0.01)
    return seen


@pytest.fixture
def client(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    """A client of a local run whose pumps run."""
    monkeypatch.setenv("FEED_ALLOW_HOSTS", "")
    monkeypatch.setenv("SHOPIFY_STAND_IN", "")
    # A test's own calls to AWS don't count as a function's that a pump runs meanwhile.
    with functions.apart(), socket.create_server(("127.0.0.1", 0)) as listening:
        run = LocalRun(listening)
        run.serve()
        run.pump()
        yield Client(run)
        run.stop()
