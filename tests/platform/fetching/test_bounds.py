"""Time and bytes: neither a slow nor a talkative server exceeds the bounds."""

import gzip
import itertools
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from storepost.platform.fetching import (
    ANSWER_BYTES,
    HTTP_OR_HTTPS,
    FetchFailed,
    UrlNotAllowed,
    guard,
    post,
)
from storepost.platform.fetching.client import Answer
from storepost.platform.fetching.guard import Failure, UrlRefusal, check_url
from tests.platform.fetching.conftest import Resolver, Wire
from tests.platform.fetching.servers import Script, dripping, saying, serving

ADDRESS = "8.8.8.8"
TIMEOUT = 0.4
HEAD = b"HTTP/1.1 200 OK\r\n"


@contextmanager
def timed_out() -> Iterator[None]:
    """The block fails with a timeout, at the deadline and not long after.

    Every script here would go on for at least 10 s.
    """
    started = time.monotonic()
    with pytest.raises(FetchFailed) as failed:
        yield
    assert failed.value.reason == Failure.TIMED_OUT.value
    assert TIMEOUT <= time.monotonic() - started < TIMEOUT + 3


def send(
    script: Script, wire: Wire, resolver: Resolver, timeout: float, body: bytes = b"{}"
) -> Answer:
    resolver.answers["shop.example"] = [[ADDRESS]]
    with serving(script) as server:
        wire.repoint(ADDRESS, 80, server.port)
        return post(
            "http://shop.example/", body=body, headers={}, timeout=timeout, schemes=HTTP_OR_HTTPS
        )


@pytest.mark.parametrize(
    "script",
    [
        dripping(b"", itertools.repeat(b"H", 200), 0.05),
        dripping(b"", itertools.repeat(b"HTTP/1.1 100 Continue\r\n\r\n", 200), 0.05),
        dripping(HEAD, itertools.repeat(b"a", 200), 0.05),
        dripping(HEAD, itertools.repeat(b"a: b\r\n", 200), 0.05),
        dripping(HEAD + b"Content-Length: 100000\r\n\r\n", itertools.repeat(b"a", 200), 0.05),
        dripping(HEAD + b"\r\n", itertools.repeat(b"a", 200), 0.05),
        dripping(
            HEAD + b"Transfer-Encoding: chunked\r\n\r\n", itertools.repeat(b"1\r\na\r\n", 200), 0.05
        ),
        dripping(b"", [b"too late"], 30),
        dripping(HEAD + b"Content-Length: 9\r\n\r\n", [b"too late!"], 30),
    ],
    ids=[
        "status line",
        "continues",
        "header",
        "headers",
        "body",
        "body until closed",
        "chunks",
        "silence",
        "silence before the body",
    ],
)
def test_slow_server_times_out(script: Script, resolver: Resolver, wire: Wire) -> None:
    with timed_out():
        send(script, wire, resolver, TIMEOUT)


def test_server_that_does_not_read_times_out(resolver: Resolver, wire: Wire) -> None:
    resolver.answers["shop.example"] = [[ADDRESS]]
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        wire.repoint(ADDRESS, 80, deaf.getsockname()[1])
        with timed_out():
            post(
                "http://shop.example/",
                body=bytes(50_000_000),
                headers={},
                timeout=TIMEOUT,
                schemes=HTTP_OR_HTTPS,
            )


def test_slow_response_within_the_timeout_is_complete(resolver: Resolver, wire: Wire) -> None:
    slow = dripping(HEAD + b"Content-Length: 5\r\n\r\n", [b"s", b"l", b"o", b"w", b"!"], 0.05)
    answer = send(slow, wire, resolver, 10)
    assert (answer.status, answer.body) == (200, b"slow!")


def test_slow_dns_resolver_times_out_without_connecting(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    def resolve(host: str, port: int) -> list[str]:
        time.sleep(30)
        return [ADDRESS]

    monkeypatch.setattr(guard, "resolve", resolve)
    with timed_out():
        post("https://shop.example/", body=b"", headers={}, timeout=TIMEOUT)
    assert wire.connected == []


def test_check_url_refuses_when_dns_resolution_times_out(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    def resolve(host: str, port: int) -> list[str]:
        time.sleep(30)
        return [ADDRESS]

    monkeypatch.setattr(guard, "resolve", resolve)
    monkeypatch.setattr(guard, "_LOOKUP_SECONDS", 0.1)
    with pytest.raises(UrlNotAllowed) as refused:
        check_url("https://shop.example/", schemes=HTTP_OR_HTTPS)
    assert refused.value.reason == UrlRefusal.UNRESOLVED.value


def test_unreachable_addresses_share_the_connect_timeout(
    resolver: Resolver, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A `connect` that gets no answer waits as long as it may; the next address is still tried."""
    silent = {"1.1.1.1": 0.0, "1.0.0.1": 0.0}
    through = socket.socket.connect

    def connect(self: socket.socket, address: tuple[str, int]) -> None:
        if address[0] not in silent:
            return through(self, address)
        silent[address[0]] = self.gettimeout() or 0.0
        time.sleep(silent[address[0]])
        raise TimeoutError

    monkeypatch.setattr(socket.socket, "connect", connect)
    resolver.answers["shop.example"] = [[*silent, ADDRESS]]
    with serving(saying(HEAD + b"Content-Length: 2\r\n\r\nok")) as server:
        wire.repoint(ADDRESS, 80, server.port)
        answer = post(
            "http://shop.example/", body=b"", headers={}, timeout=1.5, schemes=HTTP_OR_HTTPS
        )
    assert answer.body == b"ok"
    assert list(silent.values()) == pytest.approx([0.5, 0.5], abs=0.25)


@pytest.mark.parametrize("timeout", [0, -1])
def test_expired_timeout_sends_no_request(timeout: float, resolver: Resolver, wire: Wire) -> None:
    resolver.answers["shop.example"] = [[ADDRESS]]
    with pytest.raises(FetchFailed) as failed:
        post("https://shop.example/", body=b"", headers={}, timeout=timeout)
    assert failed.value.reason == Failure.TIMED_OUT.value
    assert wire.connected == []


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: 1000000\r\n\r\n",
        b"\r\n",
        b"Transfer-Encoding: chunked\r\n\r\nf4240\r\n",
    ],
    ids=["with a length", "until closed", "chunked"],
)
def test_large_response_is_truncated(head: bytes, resolver: Resolver, wire: Wire) -> None:
    content = bytes(range(250)) * 4_000
    answer = send(saying(HEAD + head + content), wire, resolver, 10)
    assert (answer.status, answer.body) == (200, content[:65_536])


def test_endless_response_is_truncated(resolver: Resolver, wire: Wire) -> None:
    answer = send(dripping(HEAD + b"\r\n", itertools.repeat(b"a" * 5_000), 0), wire, resolver, 10)
    assert answer.body == b"a" * ANSWER_BYTES


def test_gzip_bomb_is_truncated_undecompressed(resolver: Resolver, wire: Wire) -> None:
    bomb = gzip.compress(bytes(20_000_000))
    head = b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb)
    assert send(saying(HEAD + head + bomb), wire, resolver, 10).body == bomb[:65_536]


def test_large_request_body_arrives_complete(resolver: Resolver, wire: Wire) -> None:
    resolver.answers["shop.example"] = [[ADDRESS]]
    body = bytes(range(256)) * 10_000
    with serving(saying(HEAD + b"Content-Length: 0\r\n\r\n")) as server:
        wire.repoint(ADDRESS, 80, server.port)
        answer = post(
            "http://shop.example/", body=body, headers={}, timeout=10, schemes=HTTP_OR_HTTPS
        )
        assert server.body == body
    assert (answer.status, answer.body) == (200, b"")
