"""`storepost listen`: its output for a request, and the state that it leaves at the service."""

import hashlib
import hmac
import http.client
import json
import os
import subprocess
import sys
import time
from base64 import b64decode, b64encode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import httpx
import pytest
from answering import Service, problem
from storepost_client.cli.listening import _endpoint_here, _store_here

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
STORE = UUID("01937c1e-7b2a-7c3d-8e4f-5a6b7c8d9e0f")
HERE, BEFORE = "http://127.0.0.1:9000/write-backs", "https://shop.example/write-backs"
TOLD = {
    "type": "consent.changed",
    "data": {
        "channel": "email",
        "state": "unsubscribed",
        "address": "ada@example.com",
        "customers": [{"externalId": "customer-1"}, {"externalId": "customer-2"}],
    },
}


class Listener:
    """A listener in a process of its own, which ends after `count` requests."""

    def __init__(self, count: int, *options: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "storepost_client", "listen", "--count", str(count),
             *options],
            env={**os.environ, "STOREPOST_WEBHOOK_SECRET": SECRET,
                 "STOREPOST_URL": "http://127.0.0.1:1/v1"},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stderr is not None
        self.url = urlsplit(self.process.stderr.readline().split()[2])

    def post(self, body: bytes, headers: dict[str, str]) -> int:
        """Sends a request; returns the answer's status."""
        connection = http.client.HTTPConnection(self.url.netloc, timeout=10)
        try:
            connection.request("POST", self.url.path, body, headers)
            with connection.getresponse() as answer:
                return answer.status
        finally:
            connection.close()

    def lines(self) -> list[str]:
        """Returns its output, once it has ended."""
        shown, _ = self.process.communicate(timeout=20)
        assert self.process.returncode == 0
        return shown.splitlines()


@pytest.fixture
def listener(request: pytest.FixtureRequest) -> Iterator[Listener]:
    """A listener with the parameters that a test passes."""
    made = Listener(*request.param)
    yield made
    made.process.kill()
    made.process.communicate()


def signed(body: bytes) -> dict[str, str]:
    """Returns the headers of a write-back that is sent now."""
    timestamp = str(int(time.time()))
    key = b64decode(SECRET.removeprefix("whsec_"))
    made = hmac.digest(key, f"change.store.{timestamp}.".encode() + body, hashlib.sha256)
    signature = f"v1,{b64encode(made).decode()}"
    return {
        "webhook-id": "change.store",
        "webhook-timestamp": timestamp,
        "webhook-signature": signature,
    }


@pytest.mark.parametrize("listener", [(3,)], indirect=True)
def test_it_shows_what_came_and_who_signed_it(listener: Listener) -> None:
    body = json.dumps(TOLD).encode()
    assert listener.post(body, signed(body)) == 204
    assert listener.post(body + b" ", signed(body)) == 401
    assert listener.post(b"", {"content-length": "1000001"}) == 413
    assert listener.post(body, {}) == 401
    first, second, third = listener.lines()
    assert first == (
        "verified  consent.changed  email  unsubscribed  ada@example.com"
        "  customers: customer-1, customer-2"
    )
    assert second == "NOT VERIFIED  No signature is of this secret and this body."
    assert third.startswith("NOT VERIFIED  A header of webhook-id")


@pytest.mark.parametrize("listener", [(2, "--json")], indirect=True)
def test_it_shows_the_same_as_json(listener: Listener) -> None:
    body = json.dumps(TOLD).encode()
    listener.post(body, signed(body))
    listener.post(body, {**signed(body), "webhook-id": "other"})
    first, second = map(json.loads, listener.lines())
    assert first == {"verified": True, "webhookId": "change.store", "body": TOLD}
    assert (second["verified"], second["webhookId"]) == (False, "other")


ORDER = "0199a3c4-51d0-7c1e-9f6e-2b7d8a41c0e1"
EVENT = {"type": "order.created", "data": {"id": ORDER}}


@pytest.mark.parametrize("listener", [(1, "--events", "order.*")], indirect=True)
def test_it_shows_an_event_with_its_resource(listener: Listener) -> None:
    assert listener.url.path == "/events"
    body = json.dumps(EVENT).encode()
    assert listener.post(body, signed(body)) == 204
    assert listener.lines() == [f"verified  order.created  {ORDER}"]


class Shop(ThreadingHTTPServer):
    """The server that messages are forwarded to; it keeps them, and gives its answers in turn."""

    def __init__(self, *answers: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers = iter(answers)
        self.taken: list[tuple[bytes, dict[str, str]]] = []
        Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()


class _Handler(BaseHTTPRequestHandler):
    server: Shop

    def do_POST(self) -> None:
        """Keeps a message."""
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.taken.append((body, {k.lower(): v for k, v in self.headers.items()}))
        self.send_response(next(self.server.answers))
        self.send_header("location", "http://127.0.0.1:1/")
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Logs nothing."""


def test_what_is_verified_is_forwarded_as_it_came_and_its_answer_is_the_answer() -> None:
    body = json.dumps(EVENT).encode()
    with Shop(204, 500, 307) as shop:
        made = Listener(4, "--events", "*", "--forward", f"http://127.0.0.1:{shop.server_port}/")
        try:
            headers = {**signed(body), "content-type": "application/json", "x-other": "stays"}
            assert [made.post(body, headers) for _ in range(3)] == [204, 500, 307]
            assert made.post(body + b" ", headers) == 401
            lines = made.lines()
        finally:
            made.process.kill()
            made.process.communicate()
        shop.shutdown()
    verified = f"verified  order.created  {ORDER}"
    assert lines == [
        verified,
        f"{verified}  forwarded: answered with 500",
        f"{verified}  forwarded: answered with 307",
        "NOT VERIFIED  No signature is of this secret and this body.",
    ]
    assert [taken for taken, _ in shop.taken] == [body] * 3
    _, sent = shop.taken[0]
    assert {name: sent.get(name) for name in signed(body)} == {
        name: headers[name] for name in signed(body)
    }
    assert (sent["content-type"], sent.get("x-other")) == ("application/json", None)


def test_nobody_where_it_is_forwarded_to_is_502() -> None:
    body = json.dumps(EVENT).encode()
    made = Listener(1, "--forward", "http://127.0.0.1:1/", "--json")
    try:
        assert made.post(body, signed(body)) == 502
        [line] = map(json.loads, made.lines())
    finally:
        made.process.kill()
        made.process.communicate()
    assert (line["verified"], line["problem"]) == (True, "forwarded: answered with 502")
    assert line["body"] == EVENT


def test_the_endpoint_for_events_is_deleted_at_the_end() -> None:
    endpoint = {
        "id": str(STORE),
        "url": HERE,
        "description": "storepost listen",
        "events": ["order.*", "consent.changed"],
        "includeImports": False,
        "status": "enabled",
        "disabledReason": None,
        "createdBy": None,
        "createdAt": "2026-01-01T00:00:00.000Z",
        "lastSuccessAt": None,
        "failingSince": None,
    }
    made = {"endpoint": endpoint, "secret": SECRET}
    service = Service([httpx.Response(201, json=made), httpx.Response(204)])

    def interrupted() -> None:
        with service.client() as client, _endpoint_here(client, HERE, endpoint["events"]) as secret:  # type: ignore[arg-type]
            assert secret == SECRET
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [(r.method, r.url.path) for r in service.requests] == [
        ("POST", "/v1/webhook-endpoints"),
        ("DELETE", f"/v1/webhook-endpoints/{STORE}"),
    ]
    assert json.loads(service.requests[0].content) == {
        "url": HERE,
        "events": ["order.*", "consent.changed"],
        "description": "storepost listen",
    }


def requests_of(service: Service) -> list[tuple[str, str, Any]]:
    """Returns the method, the end of the path and the body of each request."""
    return [
        (r.method, r.url.path.partition(str(STORE))[2], json.loads(r.content or b"null"))
        for r in service.requests
    ]


def test_the_store_gets_back_the_address_that_it_had() -> None:
    had = {"url": BEFORE, "lastSucceededAt": None, "lastError": None}
    service = Service(
        [
            httpx.Response(200, json=had),
            httpx.Response(200, json={"url": BEFORE, "secret": SECRET}),
            httpx.Response(200, json={"url": HERE, "secret": None}),
            httpx.Response(200, json={"url": BEFORE, "secret": None}),
        ]
    )

    def interrupted() -> None:
        with service.client() as client, _store_here(client, STORE, HERE) as secret:
            assert secret == SECRET
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert requests_of(service) == [
        ("GET", "/write-back", None),
        ("POST", "/write-back/rotate", None),
        ("PUT", "/write-back", {"url": HERE}),
        ("PUT", "/write-back", {"url": BEFORE}),
    ]


def test_a_store_that_had_none_has_none_again() -> None:
    service = Service(
        [
            problem(404, "not_found"),
            httpx.Response(200, json={"url": HERE, "secret": SECRET}),
            httpx.Response(204),
        ]
    )
    with service.client() as client, _store_here(client, STORE, HERE) as secret:
        assert secret == SECRET
    assert [each[:2] for each in requests_of(service)] == [
        ("GET", "/write-back"),
        ("PUT", "/write-back"),
        ("DELETE", "/write-back"),
    ]
