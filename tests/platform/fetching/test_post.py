"""The request of `post`, its address, and its result."""

import logging
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from storepost.platform.fetching import HTTP_OR_HTTPS, FetchFailed, UrlNotAllowed, guard, post
from storepost.platform.fetching.guard import Failure, UrlRefusal
from tests.platform.fetching.conftest import Resolver, Wire
from tests.platform.fetching.servers import OK, Server, saying, serving

FIRST, SECOND = "8.8.8.8", "1.1.1.1"


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(OK) as running:
        yield running


@pytest.fixture
def shop(server: Server, resolver: Resolver, wire: Wire) -> Server:
    """`http://shop.example/`, at a public address."""
    resolver.answers["shop.example"] = [[FIRST]]
    wire.repoint(FIRST, 80, server.port)
    return server


def send(url: str, **headers: str) -> tuple[int, bytes]:
    answer = post(url, body=b'{"a":1}', headers=headers, timeout=5, schemes=HTTP_OR_HTTPS)
    return answer.status, answer.body


def test_request_line_headers_and_body(shop: Server, wire: Wire) -> None:
    answer = post(
        "http://Shop.example/hook/a?b=c%20d#part",
        body=b'{"a":1}',
        headers={
            "content-type": "application/json",
            "webhook-id": "one",
            "user-agent": "other",
            "accept-encoding": "gzip",
            "connection": "keep-alive",
        },
        timeout=5,
        schemes=HTTP_OR_HTTPS,
    )
    assert (answer.status, answer.body) == (200, b"ok")
    assert answer.headers["CONTENT-LENGTH"] == "2"
    assert shop.lines[0] == "POST /hook/a?b=c%20d HTTP/1.1"
    assert shop.body == b'{"a":1}'
    sent = dict(line.lower().split(": ", 1) for line in shop.lines[1:])
    assert len(sent) == len(shop.lines) - 1
    assert sent == {
        "host": "shop.example",
        "content-length": "7",
        "content-type": "application/json",
        "webhook-id": "one",
        "accept-encoding": "identity",
        "connection": "close",
        "user-agent": "storepost",
    }
    assert wire.connected == [(FIRST, 80)]


@pytest.mark.parametrize(
    ("url", "address", "port", "host"),
    [
        ("http://shop.example:8080/", FIRST, 8080, "shop.example:8080"),
        ("http://shop.example:80/", FIRST, 80, "shop.example"),
        ("http://shop.example?q", FIRST, 80, "shop.example"),
        ("http://9.9.9.9/", "9.9.9.9", 80, "9.9.9.9"),
        ("http://9.9.9.9:81/", "9.9.9.9", 81, "9.9.9.9:81"),
        ("http://[2606:4700::1111]/", "2606:4700::1111", 80, "[2606:4700::1111]"),
        ("http://[2606:4700::1111]:81/", "2606:4700::1111", 81, "[2606:4700::1111]:81"),
    ],
)
def test_host_header_and_port_by_url(
    url: str, address: str, port: int, host: str, shop: Server, wire: Wire
) -> None:
    wire.repoint(address, port, shop.port)
    assert send(url) == (200, b"ok")
    assert shop.header("host") == [host]
    assert shop.lines[0] == ("POST /?q HTTP/1.1" if "?" in url else "POST / HTTP/1.1")
    assert wire.connected == [(address, port)]


@pytest.mark.parametrize("later", ["127.0.0.1", "169.254.169.254", "::1", SECOND])
def test_dns_is_resolved_once_per_request(
    later: str, shop: Server, resolver: Resolver, wire: Wire
) -> None:
    resolver.answers["shop.example"] = [[FIRST], [later]]
    assert send("http://shop.example/") == (200, b"ok")
    assert resolver.queries == ["shop.example"]
    assert wire.connected == [(FIRST, 80)]


def test_each_request_resolves_and_checks_again(
    shop: Server, resolver: Resolver, wire: Wire
) -> None:
    resolver.answers["shop.example"] = [[FIRST], ["127.0.0.1"]]
    assert send("http://shop.example/") == (200, b"ok")
    with pytest.raises(UrlNotAllowed) as refused:
        send("http://shop.example/")
    assert refused.value.reason == UrlRefusal.NOT_PUBLIC.value
    assert wire.connected == [(FIRST, 80)]


def test_next_address_is_tried_if_one_refuses_the_connection(
    shop: Server, resolver: Resolver, wire: Wire
) -> None:
    resolver.answers["shop.example"] = [["2606:4700::1111", SECOND, FIRST]]
    assert send("http://shop.example/") == (200, b"ok")
    assert wire.connected == [("2606:4700::1111", 80), (SECOND, 80), (FIRST, 80)]


def test_all_addresses_unreachable_fails(resolver: Resolver, wire: Wire) -> None:
    resolver.answers["shop.example"] = [[FIRST, SECOND]]
    with pytest.raises(FetchFailed) as failed:
        send("http://shop.example/hook?key=secret")
    assert failed.value.reason == Failure.UNREACHABLE.value
    assert wire.connected == [(FIRST, 80), (SECOND, 80)]


def test_dns_lookup_uses_the_fully_qualified_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the dot, a resolver would try its search list's domains on a name it lacks."""
    calls: list[tuple[object, ...]] = []

    def look_up(*question: object, **kind: object) -> list[tuple[object, ...]]:
        calls.append((*question, kind))
        return [(0, 0, 6, "", (FIRST, 443)), (0, 0, 6, "", ("2606:4700::1111", 443, 0, 0))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    assert guard.resolve("shop.example", 443) == [FIRST, "2606:4700::1111"]
    guard.resolve("shop-stub", 9000)
    stream = {"type": socket.SOCK_STREAM}
    assert calls == [("shop.example.", 443, stream), ("shop-stub", 9000, stream)]


@pytest.mark.parametrize("answers", [None, []])
def test_host_without_address_fails_as_unresolved(
    answers: list[str] | None, resolver: Resolver, wire: Wire
) -> None:
    if answers is not None:
        resolver.answers["shop.example"] = [answers]
    with pytest.raises(FetchFailed) as failed:
        send("http://shop.example/")
    assert failed.value.reason == Failure.UNRESOLVED.value
    assert wire.connected == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("location", ["http://169.254.169.254/", "http://shop.example/elsewhere"])
def test_redirect_is_returned_and_not_followed(
    status: int, location: str, resolver: Resolver, wire: Wire
) -> None:
    resolver.answers["shop.example"] = [[FIRST]]
    redirect = f"HTTP/1.1 {status} Go\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"
    with serving(saying(redirect.encode())) as server:
        wire.repoint(FIRST, 80, server.port)
        answer = post(
            "http://shop.example/", body=b"", headers={}, timeout=5, schemes=HTTP_OR_HTTPS
        )
        assert (answer.status, answer.body) == (status, b"")
        assert answer.headers["location"] == location
        assert len(server.requests) == 1
    assert wire.connected == [(FIRST, 80)]
    assert resolver.queries == ["shop.example"]


@pytest.mark.parametrize("status", [204, 400, 404, 408, 410, 429, 500, 503])
def test_error_status_is_returned_as_response(status: int, resolver: Resolver, wire: Wire) -> None:
    resolver.answers["shop.example"] = [[FIRST]]
    with serving(saying(f"HTTP/1.1 {status} So\r\nRetry-After: 7\r\n\r\n".encode())) as server:
        wire.repoint(FIRST, 80, server.port)
        answer = post(
            "http://shop.example/", body=b"", headers={}, timeout=5, schemes=HTTP_OR_HTTPS
        )
    assert (answer.status, answer.body, answer.headers["retry-after"]) == (status, b"", "7")


def test_proxy_environment_variables_are_ignored(
    shop: Server, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (
        "http_proxy",
        "HTTP_PROXY",
        "https_proxy",
        "HTTPS_PROXY",
        "all_proxy",
        "ALL_PROXY",
    ):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert send("http://shop.example/") == (200, b"ok")
    assert wire.connected == [(FIRST, 80)]
    assert shop.lines[0] == "POST / HTTP/1.1"


def test_cookies_are_not_stored(resolver: Resolver, wire: Wire) -> None:
    resolver.answers["shop.example"] = [[FIRST]]
    baking = saying(b"HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n")
    with serving(baking) as server:
        wire.repoint(FIRST, 80, server.port)
        assert send("http://shop.example/") == send("http://shop.example/") == (200, b"")
        assert len(server.requests) == 2
        assert server.header("cookie") == []


def test_header_injection_is_refused(shop: Server) -> None:
    with pytest.raises(ValueError, match="Invalid header value"):
        send("http://shop.example/", a="b\r\nc: d")
    assert shop.requests == []


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.9\r\n",
        b"220 mail.example ESMTP\r\n",
        b"HTTP/1.1\r\n\r\n",
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/1.1 99999 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 101 + b"\r\n",
        b"HTTP/1.1 200 OK\r\na: " + b"b" * 70_000 + b"\r\n\r\n",
        b"H" * 200_000,
    ],
    ids=lambda answer: repr(answer[:50]),
)
def test_malformed_response_fails_without_the_url_secret(
    answer: bytes, resolver: Resolver, wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    resolver.answers["shop.example"] = [[FIRST]]
    with serving(saying(answer)) as server, caplog.at_level(logging.DEBUG):
        wire.repoint(FIRST, 80, server.port)
        with pytest.raises(FetchFailed) as failed:
            send("http://shop.example/hook?key=hunter2")
    assert failed.value.reason in {Failure.MALFORMED.value, Failure.UNREACHABLE.value}
    assert "hunter2" not in caplog.text
    assert "hunter2" not in "".join(map(repr, chain(failed.value)))


def test_malformed_headers_log_no_url_secret(
    resolver: Resolver, wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    """urllib3 by itself would warn of these with the whole URL."""
    resolver.answers["shop.example"] = [[FIRST]]
    odd = saying(b"HTTP/1.1 200 OK\r\nno colon here\r\nContent-Length: 2\r\n\r\nok")
    with serving(odd) as server:
        wire.repoint(FIRST, 80, server.port)
        assert send("http://shop.example/hook?key=hunter2")[0] == 200
    assert caplog.text == ""


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error and its causes, as a log would print them."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def test_fetching_package_imports_no_heavy_library() -> None:
    heavy = "{'boto3', 'botocore', 'requests', 'httpx', 'cryptography', 'pynamodb'}"
    found = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; sys.path.insert(0, 'layers/core'); import storepost.platform.fetching; "
            f"print(sorted({heavy} & set(sys.modules)))",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout == "[]\n"
