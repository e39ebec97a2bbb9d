"""A conversation: requests to one URL over a connection that is kept while it works."""

import itertools
import time
from collections.abc import Callable
from threading import Event

import pytest

from storepost.platform.fetching import (
    HTTP_OR_HTTPS,
    Answer,
    Conversation,
    FetchFailed,
    UrlNotAllowed,
)
from storepost.platform.fetching.guard import Failure, UrlRefusal
from tests.platform.fetching.conftest import Resolver, Wire
from tests.platform.fetching.servers import Script, Server, dripping, saying, serving

ADDRESS, OTHER = "8.8.8.8", "1.1.1.1"
URL = "http://shop.example/admin/api"


def in_turn(*answers: bytes) -> Script:
    """Another answer to each request."""
    remaining = itertools.chain(answers)
    return lambda connection: connection.sendall(next(remaining))


def of(body: bytes, *headers: str) -> bytes:
    """An answer with a `Content-Length`."""
    head = "".join(f"{header}\r\n" for header in (f"Content-Length: {len(body)}", *headers))
    return f"HTTP/1.1 200 OK\r\n{head}\r\n".encode() + body


def say(conversation: Conversation, body: bytes = b"{}", max_bytes: int = 1000) -> Answer:
    return conversation.post(body=body, headers={"a": "b"}, timeout=5, max_bytes=max_bytes)


def until(holds: Callable[[], bool]) -> None:
    """Waits for an effect of the server's side of the socket."""
    end = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.001)


@pytest.fixture
def talk(resolver: Resolver, wire: Wire) -> Callable[[Server], Conversation]:
    """A conversation with a server behind a public address."""

    def with_server(server: Server) -> Conversation:
        resolver.answers["shop.example"] = [[ADDRESS]]
        wire.repoint(ADDRESS, 80, server.port)
        return Conversation(URL, schemes=HTTP_OR_HTTPS)

    return with_server


Talk = Callable[[Server], Conversation]


def test_all_requests_reuse_one_connection(talk: Talk, wire: Wire, resolver: Resolver) -> None:
    with (
        serving(in_turn(of(b"one"), of(b"two"), of(b"")), turns=3) as server,
        talk(server) as conversation,
    ):
        bodies = [say(conversation, body).body for body in (b"1", b"22", b"333")]
        assert bodies == [b"one", b"two", b""]
        assert server.body == b"333"
        assert server.lines[0] == "POST /admin/api HTTP/1.1"
        assert server.header("connection") == ["keep-alive"]
        assert server.header("a") == ["b"]
    assert wire.connected == [(ADDRESS, 80)]
    assert resolver.queries == ["shop.example"]


@pytest.mark.parametrize("last", [of(b"bye"), of(b"bye", "Connection: close")])
def test_connection_closed_by_the_server_is_reopened(last: bytes, talk: Talk, wire: Wire) -> None:
    with serving(saying(last)) as server, talk(server) as conversation:
        for _ in range(3):
            assert say(conversation).body == b"bye"
            until(lambda: conversation._open is None or not conversation._open[0].is_connected)
        assert len(server.requests) == 3
    assert wire.connected == [(ADDRESS, 80)] * 3


def test_new_connection_is_authorized_again(talk: Talk, wire: Wire, resolver: Resolver) -> None:
    with serving(saying(of(b"ok", "Connection: close"))) as server, talk(server) as conversation:
        assert say(conversation).body == b"ok"
        resolver.answers["shop.example"] = [["169.254.169.254"]]
        with pytest.raises(UrlNotAllowed) as refused:
            say(conversation)
    assert refused.value.reason == UrlRefusal.NOT_PUBLIC.value
    assert wire.connected == [(ADDRESS, 80)]


def test_plain_http_is_refused_by_default(talk: Talk, wire: Wire) -> None:
    with pytest.raises(UrlNotAllowed):
        say(Conversation(URL))
    assert wire.connected == []


@pytest.mark.parametrize(("size", "fits"), [(0, True), (9, True), (10, True), (11, False)])
def test_response_over_max_bytes_is_refused(size: int, fits: bool, talk: Talk) -> None:
    with serving(in_turn(of(b"x" * size)), turns=1) as server, talk(server) as conversation:
        if fits:
            assert len(say(conversation, max_bytes=10).body) == size
        else:
            with pytest.raises(FetchFailed) as failed:
                say(conversation, max_bytes=10)
            assert failed.value.reason == Failure.TOO_LONG.value


@pytest.mark.parametrize(
    "broken", [b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort", b"nonsense\r\n\r\n"]
)
def test_broken_response_closes_the_connection(broken: bytes, talk: Talk, wire: Wire) -> None:
    with serving(in_turn(broken, of(b"whole")), turns=1) as server, talk(server) as conversation:
        with pytest.raises(FetchFailed) as failed:
            say(conversation)
        assert failed.value.reason == Failure.MALFORMED.value
        assert say(conversation).body == b"whole"
    assert wire.connected == [(ADDRESS, 80)] * 2


def test_each_request_has_its_own_deadline(talk: Talk) -> None:
    """A second request, on the kept connection, ends at a deadline of its own."""
    first = Event()

    def script(connection: object) -> None:
        if first.is_set():
            dripping(b"HTTP/1.1 200 OK\r\n", itertools.repeat(b"a", 400), 0.05)(connection)  # type: ignore[arg-type]
        else:
            first.set()
            saying(of(b"one"))(connection)  # type: ignore[arg-type]

    with serving(script, turns=2) as server, talk(server) as conversation:
        assert conversation.post(body=b"", headers={}, timeout=30, max_bytes=10).body == b"one"
        started = time.monotonic()
        with pytest.raises(FetchFailed) as failed:
            conversation.post(body=b"", headers={}, timeout=0.4, max_bytes=10)
        assert failed.value.reason == Failure.TIMED_OUT.value
        assert 0.4 <= time.monotonic() - started < 3.4


def test_close_is_idempotent_and_allows_reconnection(talk: Talk, wire: Wire) -> None:
    with serving(in_turn(of(b"one"), of(b"two")), turns=2) as server:
        conversation = talk(server)
        conversation.close()
        assert say(conversation).body == b"one"
        conversation.close()
        assert say(conversation).body == b"two"
        conversation.close()
        conversation.close()
    assert wire.connected == [(ADDRESS, 80)] * 2
