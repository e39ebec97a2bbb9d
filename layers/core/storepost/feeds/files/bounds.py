"""How much of a feed is read: the bounds of every file, and tighter ones of a sample."""

import time
from collections.abc import Iterable, Iterator, Sized
from itertools import islice

from storepost.feeds.files.failures import FeedFailure, FeedUnusable

MAX_BYTES = 1024**3
"""Bytes of the file as it is fetched, and of its inflated content."""
ROW_LENGTH = 1024**2
"""Characters of the file that one row may take, including what precedes it."""

MAX_COLUMNS = 2_000
"""Columns of a row: each is a value in memory, however short its text is."""

MAX_NAME_LENGTH = 1_000
"""Characters of a column's name, including the names around it: it is folded in quadratic time."""


class Bound:
    """Bounds a file that is read whole; more than 1 GiB is `too_large`."""

    is_truncated = False
    """Whether the file continues after what was read."""

    def pieces(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yields the pieces as they arrive. Raises FeedUnusable."""
        received = 0
        for piece in pieces:
            received += len(piece)
            if received > MAX_BYTES:
                raise FeedUnusable(FeedFailure.TOO_LARGE)
            yield piece

    def rows[Row: Sized | None](self, rows: Iterable[Row]) -> Iterator[Row]:
        """Yields the rows up to the bound: here all of them."""
        yield from rows


class Sample(Bound):
    """Bounds a file's beginning by rows, cells, bytes and seconds, whichever is reached first."""

    ROWS = 10_000
    CELLS = 1_000_000
    """Cells of all rows together, which a preview holds in memory at once."""
    BYTES = 20 * 1024**2
    SECONDS = 15.0
    CPU_SECONDS = 1.2
    """Twice what the slowest real files take; one of millions of empty elements may take longer."""

    def __init__(self) -> None:
        """Starts the clock."""
        self._end = time.monotonic() + self.SECONDS
        self._cpu_end = time.process_time() + self.CPU_SECONDS

    def pieces(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yields the pieces up to the bound."""
        received = 0
        for piece in pieces:
            yield piece[: self.BYTES - received]
            received += len(piece)
            if received > self.BYTES or self._is_late():
                self.is_truncated = True
                return

    def _is_late(self) -> bool:
        return time.monotonic() > self._end or time.process_time() > self._cpu_end

    def rows[Row: Sized | None](self, rows: Iterable[Row]) -> Iterator[Row]:
        """Yields the rows up to the bound, but always the first one."""
        cells = 0
        for row in islice(rows, self.ROWS):
            before, cells = cells, cells + (0 if row is None else len(row))
            if before and cells > self.CELLS:
                return
            yield row
