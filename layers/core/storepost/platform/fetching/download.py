"""Downloads of files from untrusted URLs, a piece at a time: none is in memory whole."""

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from urllib.parse import urljoin

from urllib3.response import HTTPResponse

from storepost.platform.fetching.client import Deadline, connected, failing, send
from storepost.platform.fetching.guard import (
    HTTPS,
    Failure,
    FetchFailed,
    UrlNotAllowed,
    UrlRefusal,
    authorize,
)

PIECE_BYTES = 65_536
CONTENT_TYPE_LENGTH = 1_000
"""Characters of a content type; a server may send a hundred lines of 65,536 of them."""
_LENGTH_DIGITS = 20
"""Digits of an announced length; Python refuses to read numbers of thousands of them."""
_REDIRECTING = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True)
class Download:
    """A file being downloaded: what the server says of it, and its pieces."""

    content_type: str
    """As the server wrote it, up to 1,000 characters; empty if it sent none."""
    pieces: Iterator[bytes] = field(repr=False)


@contextmanager
def download(
    url: str,
    *,
    timeout: float,
    max_bytes: int,
    schemes: frozenset[str] = HTTPS,
    redirects: int = 0,
) -> Iterator[Download]:
    """Returns the file, in a `with` that closes the connection.

    `timeout` is in seconds, for everything. The target of each of at most `redirects` redirects is
    authorized as the URL itself is. Raises `UrlNotAllowed` and `FetchFailed`, the latter also for
    any status but 200, for more than `max_bytes` and for a file that broke off.
    """
    deadline = Deadline(timeout)
    with ExitStack() as opened:
        with failing():
            response = _final_response(opened, url, deadline, timeout, schemes, redirects)
        length = _announced_length(response.headers.get("content-length", ""))
        if length is not None and length > max_bytes:
            raise FetchFailed(Failure.TOO_LONG)
        media_type = response.headers.get("content-type", "")[:CONTENT_TYPE_LENGTH]
        yield Download(media_type, _pieces(response, max_bytes))


def _final_response(
    opened: ExitStack,
    url: str,
    deadline: Deadline,
    timeout: float,
    schemes: frozenset[str],
    redirects: int,
) -> HTTPResponse:
    for _ in range(redirects + 1):
        target = authorize(url, schemes=schemes, seconds=min(timeout, deadline.remaining()))
        connection = opened.enter_context(closing(connected(target, deadline)))
        sent = send(connection, target.path, {}, None, keep=False, method="GET")
        response = opened.enter_context(closing(sent))
        if response.status == 200:
            return response
        location = response.headers.get("location")
        if response.status not in _REDIRECTING or location is None:
            raise FetchFailed(Failure.STATUS)
        url = _redirected(url, location)
        opened.close()
    raise FetchFailed(Failure.REDIRECTS if redirects else Failure.STATUS)


def _redirected(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:  # such as `http://[`
        raise UrlNotAllowed(UrlRefusal.SHAPE) from None


def _announced_length(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) <= _LENGTH_DIGITS else None


def _pieces(response: HTTPResponse, max_bytes: int) -> Iterator[bytes]:
    received, stream = 0, response.stream(PIECE_BYTES)
    while True:
        with failing():
            piece = next(stream, None)
        if piece is None:
            return
        received += len(piece)
        if received > max_bytes:
            raise FetchFailed(Failure.TOO_LONG)
        yield piece
