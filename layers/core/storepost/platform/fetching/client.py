"""Requests to untrusted servers: to a checked address, within limits, with nothing in between.

The socket is connected here, to an address of the `FetchTarget`, and then passed to urllib3:
neither urllib3 nor anything below it ever sees a name to resolve. No redirects, no proxies, no
cookies, no retries.
"""

import logging
import socket
import ssl
import time
from collections.abc import Buffer, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.client import HTTPException
from typing import cast

from urllib3 import HTTPHeaderDict, exceptions
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.response import HTTPResponse

from storepost.platform.fetching.addresses import Address
from storepost.platform.fetching.guard import HTTPS, Failure, FetchFailed, FetchTarget, authorize

ANSWER_BYTES = 65_536

# urllib3 logs a warning for broken headers with the whole URL, which may hold an owner's secret.
logging.getLogger("urllib3.connection").setLevel(logging.ERROR)


@dataclass(frozen=True)
class Answer:
    """The server's response: `headers` by name in any case, of the body the first 65,536 bytes."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


def post(
    url: str,
    *,
    body: bytes,
    headers: Mapping[str, str],
    timeout: float,
    schemes: frozenset[str] = HTTPS,
) -> Answer:
    """Sends `body` and returns the response, whatever its status; a redirect is a response too.

    `timeout` is in seconds and covers everything from the resolver's answer to the last byte. The
    response is requested and returned without compression. Raises `UrlNotAllowed` and
    `FetchFailed`. `Accept-Encoding`, `Connection` and `User-Agent` are set here.
    """
    deadline = Deadline(timeout)
    target = authorize(url, schemes=schemes, seconds=timeout)
    with (
        failing(),
        closing(connected(target, deadline)) as connection,
        closing(send(connection, target.path, headers, body, keep=False)) as response,
    ):
        return Answer(response.status, response.headers, _beginning(response))


class Deadline:
    """A fixed moment, however often data arrives before it."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def remaining(self) -> float:
        """Returns the seconds that are left, more than 0; raises `TimeoutError`."""
        remaining = self._end - time.monotonic()
        if remaining <= 0:
            raise TimeoutError
        return remaining


class TimedSocket(socket.socket):
    """A socket whose every wait ends at one deadline.

    A socket's own timeout restarts with each `recv`, so that a server that sends a byte a second
    could hold the function for as long as it likes. The timeout of `sendall` covers the whole call.
    """

    deadline: Deadline

    def recv_into(self, buffer: Buffer, nbytes: int | None = None, flags: int = 0) -> int:
        self.settimeout(self.deadline.remaining())
        return super().recv_into(buffer, nbytes or 0, flags)

    def sendall(self, data: Buffer, flags: int = 0) -> None:
        self.settimeout(self.deadline.remaining())
        super().sendall(data, flags)


class _TimedTlsSocket(TimedSocket, ssl.SSLSocket):
    """The same under TLS."""


@cache
def tls_context() -> ssl.SSLContext:
    """Returns the context: the system CAs' certificates, for the host's name, TLS 1.2 or later."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    # RFC 9525, section 6.3: a common name is no identity, not even where no other is given.
    context.hostname_checks_common_name = False
    return context


@contextmanager
def failing() -> Iterator[None]:
    """Raises FetchFailed for any network or HTTP error inside, up to the response's end."""
    try:
        yield
    except (OSError, HTTPException, exceptions.HTTPError) as error:
        raise FetchFailed(_failure(error)) from error


def connected(target: FetchTarget, deadline: Deadline) -> HTTPConnection:
    """Returns a connection to one of the target's addresses."""
    kind = HTTPSConnection if target.scheme == "https" else HTTPConnection
    connection = kind(target.host, target.port)
    connection.auto_open = 0  # it would connect by name
    connection.sock = _socket_to(target, deadline)
    return connection


def send(
    connection: HTTPConnection,
    path: str,
    headers: Mapping[str, str],
    body: bytes | None,
    *,
    keep: bool,
    method: str = "POST",
) -> HTTPResponse:
    """Returns the open response, its body unread; `keep` keeps the connection open after it."""
    sent = HTTPHeaderDict(headers)
    sent.update(
        {
            "Accept-Encoding": "identity",
            "Connection": "keep-alive" if keep else "close",
            "User-Agent": "Storepost",
        }
    )
    connection.request(
        method, path, body=body, headers=sent, preload_content=False, decode_content=False
    )
    return connection.getresponse()


def _beginning(response: HTTPResponse) -> bytes:
    body = response.read(ANSWER_BYTES)
    if len(body) < ANSWER_BYTES:
        # A response that broke off looks like a short one until more of it is read.
        response.read(1)
    return body


def _socket_to(target: FetchTarget, deadline: Deadline) -> socket.socket:
    plain = _first_reached(target, deadline)
    if target.scheme != "https":
        return plain
    with plain:  # `wrap_socket` takes it over, and leaves nothing to close
        plain.settimeout(deadline.remaining())
        context = tls_context()
        context.sslsocket_class = _TimedTlsSocket
        # OpenSSL itself checks the certificate for this name, in the handshake: nothing is sent to
        # a server that can't prove it. urllib3's `assert_hostname` would disable that check.
        secured = context.wrap_socket(plain, server_hostname=target.host)
    timed = cast(_TimedTlsSocket, secured)
    timed.deadline = deadline
    return timed


def _first_reached(target: FetchTarget, deadline: Deadline) -> TimedSocket:
    """Tries the addresses in turn; each may use its share of the remaining time, not all of it."""
    failure = OSError()
    for number, address in enumerate(target.addresses):
        share = deadline.remaining() / (len(target.addresses) - number)
        try:
            return _reach(address, target.port, share, deadline)
        except OSError as error:
            failure = error
    raise failure


def _reach(address: Address, port: int, seconds: float, deadline: Deadline) -> TimedSocket:
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    connected = TimedSocket(family, socket.SOCK_STREAM)
    connected.deadline = deadline
    try:
        connected.settimeout(seconds)
        # Headers and body are sent in two pieces; the second must not wait for the first's ACK.
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connected.connect((str(address), port))
    except BaseException:
        connected.close()
        raise
    return connected


def _failure(error: Exception) -> Failure:
    if isinstance(error, TimeoutError | exceptions.TimeoutError):
        return Failure.TIMED_OUT
    if isinstance(error, ssl.SSLError | exceptions.SSLError):
        return Failure.TLS
    if isinstance(error, OSError):
        return Failure.UNREACHABLE
    return Failure.MALFORMED
