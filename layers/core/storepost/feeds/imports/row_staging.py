"""Stages a feed's rows: writes them into the file in which they are resolved."""

import sqlite3
from contextlib import AbstractContextManager

from storepost.feeds.files.reading import Row
from storepost.feeds.records.reading import ParsedRow, RowReader, RowSkipped

_BATCH_ROWS = 1_000
_BATCH_LENGTH = 4 * 1024**2


class RowStager(AbstractContextManager["RowStager"]):
    """Writes rows into the file, a thousand or a few megabytes at once."""

    def __init__(self, db: sqlite3.Connection) -> None:
        """Begins with no rows; `FeedStaging` creates the tables."""
        self._db = db
        self._read: list[tuple[object, ...]] = []
        self._left_out: list[tuple[int, str, str]] = []
        self._members: list[tuple[str, str, str]] = []
        self._skipped: list[tuple[int, str | None, str]] = []
        self._length = 0

    @property
    def is_full(self) -> bool:
        """Returns whether it is time to flush."""
        together = len(self._read) + len(self._skipped)
        return together >= _BATCH_ROWS or self._length >= _BATCH_LENGTH

    def stage(self, row: Row, reader: RowReader) -> None:
        """Adds a row that was read, or that is skipped."""
        try:
            entry = reader.read(row.cells)
        except RowSkipped as skipped:
            self._skipped.append((row.number, skipped.id, skipped.reason))
        else:
            self._read.append(_as_row(row.number, entry))
            if entry.left_out:
                self._left_out.append((row.number, entry.id, entry.left_out))
            locale = entry.locale or ""
            self._members += [(each.id, locale, entry.id) for each in entry.members]
            self._length += len(entry.content)

    def flush(self) -> None:
        """Writes the added rows into the file."""
        self._db.execute("BEGIN")
        self._db.executemany(
            "INSERT INTO row VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL, 0, ?)", self._read
        )
        self._db.executemany("INSERT INTO skipped VALUES (?, ?, ?)", self._skipped)
        self._db.executemany("INSERT INTO left_out VALUES (?, ?, ?)", self._left_out)
        self._db.executemany("INSERT INTO member VALUES (?, ?, ?)", self._members)
        self._db.execute("COMMIT")
        self._read.clear()
        self._left_out.clear()
        self._members.clear()
        self._skipped.clear()
        self._length = 0

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Flushes the rest, unless an exception was raised."""
        if kind is None:
            self.flush()


def _as_row(number: int, entry: ParsedRow) -> tuple[object, ...]:
    locale = entry.locale or ""
    return (
        number,
        entry.id,
        locale,
        entry.group,
        entry.digest,
        entry.sku,
        entry.gtin,
        entry.content,
        entry.is_more,
    )
