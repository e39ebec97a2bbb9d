"""Files that somebody's address leads to, a piece at a time: nothing of them is held whole."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

from storepost.fetching.client import Deadline, connected, failing, send
from storepost.fetching.guard import HTTPS, Failure, FetchFailed, authorize

PIECE_BYTES = 65_536


@contextmanager
def download(
    url: str, *, timeout: float, most_bytes: int, schemes: frozenset[str] = HTTPS
) -> Iterator[Iterator[bytes]]:
    """The pieces of the file, in a `with` that ends the connection.

    `timeout` is in seconds, for all of it. Raises `UrlNotAllowed` and `FetchFailed`, the latter
    also for any status but 200, for more than `most_bytes` and for a file that broke off.
    """
    deadline = Deadline(timeout)
    with failing():
        target = authorize(url, schemes=schemes, seconds=timeout)
        with (
            closing(connected(target, deadline)) as connection,
            closing(send(connection, target.path, {}, None, keep=False, method="GET")) as response,
        ):
            if response.status != 200:
                raise FetchFailed(Failure.MALFORMED)
            yield _pieces(response.stream(PIECE_BYTES), most_bytes)


def _pieces(pieces: Iterator[bytes], most_bytes: int) -> Iterator[bytes]:
    got = 0
    for piece in pieces:
        got += len(piece)
        if got > most_bytes:
            raise FetchFailed(Failure.TOO_LONG)
        yield piece
