"""Downloads: redirects, each hop checked as the first is, and their bounds."""

import socket
from collections.abc import Callable

import pytest

from storepost.platform.fetching import HTTP_OR_HTTPS, Failure, FetchFailed, UrlNotAllowed, download
from storepost.platform.fetching.guard import UrlRefusal
from tests.platform.fetching.conftest import Resolver, Wire
from tests.platform.fetching.servers import Script, Server, dripping, saying, serving
from tests.platform.fetching.test_hostile import NOT_PUBLIC

PUBLIC, OTHER = "8.8.8.8", "9.9.9.9"
START = "http://shop.example/feed"


def redirect(location: str, status: int = 302) -> bytes:
    """An answer with a redirect."""
    return f"HTTP/1.1 {status} Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n".encode()


def file(body: bytes = b"id\n1\n", headers: dict[str, str] | None = None) -> bytes:
    """An answer with a file."""
    header_lines = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
    length = len(body)
    return f"HTTP/1.1 200 OK\r\n{header_lines}Content-Length: {length}\r\n\r\n".encode() + body


def at_shop(wire: Wire, resolver: Resolver, server: Server) -> None:
    """Has the server answer for shop.example."""
    resolver.answers["shop.example"] = [[PUBLIC]]
    wire.repoint(PUBLIC, 80, server.port)


def whole(
    url: str = START, *, timeout: float = 5, max_bytes: int = 1000, redirects: int = 5
) -> bytes:
    """The file, whole."""
    with download(
        url, timeout=timeout, max_bytes=max_bytes, schemes=HTTP_OR_HTTPS, redirects=redirects
    ) as download_of:
        return b"".join(download_of.pieces)


def failure(attempt: Callable[[], object]) -> Failure:
    """Why the attempt failed."""
    with pytest.raises(FetchFailed) as failed:
        attempt()
    return Failure(failed.value.reason)


def in_turn(*answers: bytes) -> Script:
    """A server with one answer after the other."""
    waiting = list(answers)

    def script(connection: socket.socket) -> None:
        saying(waiting.pop(0))(connection)

    return script


class TestFile:
    """The file at an address."""

    def test_content_with_content_type(self, wire: Wire, resolver: Resolver) -> None:
        with serving(saying(file(headers={"Content-Type": "text/csv; charset=x"}))) as server:
            at_shop(wire, resolver, server)
            with download(START, timeout=5, max_bytes=5, schemes=HTTP_OR_HTTPS) as download_of:
                assert download_of.content_type == "text/csv; charset=x"
                assert b"".join(download_of.pieces) == b"id\n1\n"
        assert server.lines[0] == "GET /feed HTTP/1.1"
        assert server.header("accept-encoding") == ["identity"]

    def test_gzip_content_is_not_decompressed(self, wire: Wire, resolver: Resolver) -> None:
        with serving(saying(file(b"\x1f\x8bxyz", {"Content-Encoding": "gzip"}))) as server:
            at_shop(wire, resolver, server)
            assert whole() == b"\x1f\x8bxyz"

    @pytest.mark.parametrize("status", [204, 301, 304, 401, 404, 500, 503])
    def test_status_other_than_200_fails(self, wire: Wire, resolver: Resolver, status: int) -> None:
        answer = f"HTTP/1.1 {status} Some\r\nContent-Length: 0\r\n\r\n".encode()
        with serving(saying(answer)) as server:
            at_shop(wire, resolver, server)
            assert failure(whole) is Failure.STATUS

    def test_content_length_over_max_bytes_fails(self, wire: Wire, resolver: Resolver) -> None:
        with serving(saying(file(b"x" * 11))) as server:
            at_shop(wire, resolver, server)
            assert failure(lambda: whole(max_bytes=10)) is Failure.TOO_LONG

    def test_body_over_max_bytes_without_content_length_fails(
        self, wire: Wire, resolver: Resolver
    ) -> None:
        with serving(saying(b"HTTP/1.0 200 OK\r\n\r\n" + b"x" * 11)) as server:
            at_shop(wire, resolver, server)
            assert failure(lambda: whole(max_bytes=10)) is Failure.TOO_LONG

    def test_long_content_type_is_cut(self, wire: Wire, resolver: Resolver) -> None:
        with serving(saying(file(headers={"Content-Type": "t" * 60_000}))) as server:
            at_shop(wire, resolver, server)
            with download(START, timeout=5, max_bytes=5, schemes=HTTP_OR_HTTPS) as download_of:
                assert download_of.content_type == "t" * 1_000

    def test_content_length_of_5000_digits_is_ignored(self, wire: Wire, resolver: Resolver) -> None:
        """Python reads no number of so many digits."""
        answer = b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 5_000 + b"\r\n\r\nid"
        with serving(saying(answer)) as server:
            at_shop(wire, resolver, server)
            assert whole() == b"id"

    def test_truncated_body_fails(self, wire: Wire, resolver: Resolver) -> None:
        with serving(saying(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nid")) as server:
            at_shop(wire, resolver, server)
            assert failure(whole) is not Failure.STATUS

    def test_slow_body_times_out(self, wire: Wire, resolver: Resolver) -> None:
        start = b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n"
        with serving(dripping(start, [b"x"] * 900, 0.01)) as server:
            at_shop(wire, resolver, server)
            assert failure(lambda: whole(timeout=0.2)) is Failure.TIMED_OUT

    def test_error_of_the_consumer_is_raised_unchanged(
        self, wire: Wire, resolver: Resolver
    ) -> None:
        with serving(saying(file())) as server:
            at_shop(wire, resolver, server)
            with (
                pytest.raises(FileNotFoundError),
                download(START, timeout=5, max_bytes=99, schemes=HTTP_OR_HTTPS),
            ):
                raise FileNotFoundError


class TestRedirects:
    """What leads elsewhere."""

    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    @pytest.mark.parametrize(
        "location", ["http://other.example/x", "//other.example/x", "HTTP://OTHER.example:80/x#y"]
    )
    def test_redirect_to_another_host_is_followed(
        self, wire: Wire, resolver: Resolver, status: int, location: str
    ) -> None:
        with (
            serving(saying(redirect(location, status))) as first,
            serving(saying(file())) as second,
        ):
            at_shop(wire, resolver, first)
            resolver.answers["other.example"] = [[OTHER]]
            wire.repoint(OTHER, 80, second.port)
            assert whole() == b"id\n1\n"
        assert second.lines[0] == "GET /x HTTP/1.1"
        assert wire.connected == [(PUBLIC, 80), (OTHER, 80)]

    def test_redirect_within_the_host_is_followed(self, wire: Wire, resolver: Resolver) -> None:
        with serving(in_turn(redirect("new?a=1"), redirect("/newest"), file())) as server:
            at_shop(wire, resolver, server)
            assert whole() == b"id\n1\n"
        lines = [request.split(b"\r\n")[0] for request in server.requests]
        assert lines == [b"GET /feed HTTP/1.1", b"GET /new?a=1 HTTP/1.1", b"GET /newest HTTP/1.1"]

    def test_more_than_five_redirects_fail(self, wire: Wire, resolver: Resolver) -> None:
        with serving(saying(redirect("/again"))) as server:
            at_shop(wire, resolver, server)
            assert failure(whole) is Failure.REDIRECTS
        assert len(wire.connected) == 6

    def test_redirect_fails_if_none_are_allowed(self, wire: Wire, resolver: Resolver) -> None:
        with serving(saying(redirect("/again"))) as server:
            at_shop(wire, resolver, server)
            assert failure(lambda: whole(redirects=0)) is Failure.STATUS
        assert len(wire.connected) == 1

    @pytest.mark.parametrize("address", NOT_PUBLIC)
    def test_redirect_to_private_address_is_refused(
        self, wire: Wire, resolver: Resolver, address: str
    ) -> None:
        literal = f"[{address}]" if ":" in address else address
        for location, host in ((f"http://{literal}/", None), ("http://rebound.example/", address)):
            wire.connected.clear()
            with serving(saying(redirect(location))) as server:
                at_shop(wire, resolver, server)
                if host:
                    resolver.answers["rebound.example"] = [[host]]
                with pytest.raises(UrlNotAllowed):
                    whole()
            assert wire.connected == [(PUBLIC, 80)]

    def test_dns_rebinding_between_redirects_is_refused(
        self, wire: Wire, resolver: Resolver
    ) -> None:
        with serving(saying(redirect("/again"))) as server:
            at_shop(wire, resolver, server)
            resolver.answers["shop.example"] = [[PUBLIC], ["127.0.0.1"]]
            with pytest.raises(UrlNotAllowed) as refused:
                whole()
        assert refused.value.reason == UrlRefusal.NOT_PUBLIC.value
        assert wire.connected == [(PUBLIC, 80)]

    @pytest.mark.parametrize(
        "location",
        [
            "file:///etc/passwd",
            "gopher://other.example/",
            "http://ann:secret@other.example/",
            "http://localhost/",
            "http://2130706433/",
            "http://other.example:0/",
            "http://other.example\\@169.254.169.254/",
            "http://[",
            "//other.example]/",
        ],
    )
    def test_redirect_to_disallowed_url_is_refused(
        self, wire: Wire, resolver: Resolver, location: str
    ) -> None:
        with serving(saying(redirect(location))) as server:
            at_shop(wire, resolver, server)
            with pytest.raises(UrlNotAllowed):
                whole()
        assert wire.connected == [(PUBLIC, 80)]

    def test_all_redirects_share_one_timeout(self, wire: Wire, resolver: Resolver) -> None:
        slow = dripping(b"", [bytes([byte]) for byte in redirect("/again")], 0.01)
        with serving(slow) as server:
            at_shop(wire, resolver, server)
            assert failure(lambda: whole(timeout=1)) is Failure.TIMED_OUT
        assert len(wire.connected) < 4
