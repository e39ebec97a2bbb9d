"""Fetches a feed's file onto disk, or streams a sample of it to the reader."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from storepost.feeds.files.bounds import MAX_BYTES, Sample
from storepost.feeds.files.failures import FeedFailure, FeedUnusable
from storepost.feeds.files.reading import FeedFile, read_feed
from storepost.platform.fetching import HTTP_OR_HTTPS, Failure, FetchFailed, UrlNotAllowed, download

MAX_REDIRECTS = 5
MAX_SECONDS = 200.0

_FAILURES = {
    Failure.STATUS: FeedFailure.HTTP_ERROR,
    Failure.REDIRECTS: FeedFailure.HTTP_ERROR,
    Failure.TOO_LONG: FeedFailure.TOO_LARGE,
}


@dataclass(frozen=True)
class Fetched:
    """A file that was fetched."""

    bytes: int
    content_type: str


def fetch_into(path: Path, url: str, on_progress: Callable[[int], None]) -> Fetched:
    """Writes the feed's file to disk; calls `on_progress` with the bytes received so far.

    Raises FeedUnusable.
    """
    received = 0
    try:
        with (
            download(
                url,
                timeout=MAX_SECONDS,
                max_bytes=MAX_BYTES,
                schemes=HTTP_OR_HTTPS,
                redirects=MAX_REDIRECTS,
            ) as file,
            path.open("wb") as written,
        ):
            for piece in file.pieces:
                received += written.write(piece)
                on_progress(received)
            return Fetched(received, file.content_type)
    except FetchFailed as failed:
        raise FeedUnusable(_failure(failed)) from failed
    except UrlNotAllowed as refused:
        raise FeedUnusable(FeedFailure.UNREACHABLE) from refused


@contextmanager
def sampled(url: str) -> Iterator[FeedFile]:
    """Returns the beginning of the feed. Raises FeedUnusable and UrlNotAllowed."""
    bound = Sample()
    try:
        with download(
            url,
            timeout=Sample.SECONDS,
            max_bytes=MAX_BYTES,
            schemes=HTTP_OR_HTTPS,
            redirects=MAX_REDIRECTS,
        ) as file:
            yield read_feed(_until_timeout(file.pieces, bound), file.content_type, bound)
    except FetchFailed as failed:
        raise FeedUnusable(_failure(failed)) from failed


def _until_timeout(pieces: Iterator[bytes], bound: Sample) -> Iterator[bytes]:
    """Yields the pieces that arrive in time: the sample of a slow server's feed ends there."""
    has_received = False
    try:
        for piece in pieces:
            yield piece
            has_received = True
    except FetchFailed as failed:
        if not has_received or failed.reason != Failure.TIMED_OUT.value:
            raise
        bound.is_truncated = True


def _failure(failed: FetchFailed) -> FeedFailure:
    return _FAILURES.get(Failure(failed.reason), FeedFailure.UNREACHABLE)
