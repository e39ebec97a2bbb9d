"""An export's file on disk: joins lines in any order to records, in constant memory.

Each line is an object; a child object names its parent by `__parentId`, and may be anywhere. SQLite
on the function's own disk stores them: memory only has a piece of the file, and then a few records.
The disk is lost with the run; the next run fetches the file again.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack
from typing import Any

from storepost.sync.records.reading import NoRecord
from storepost.values.json_reading import read_json, read_utf_8_json
from storepost.values.scratch import scratch

DISK_FACTOR = 1.45
"""The disk space of a spool, relative to the size of its file."""
MAX_LINE_BYTES = 10_000_000
"""A shop's largest records have a tenth of it."""
MAX_RECORD_BYTES = 4_000_000
"""All objects below some records are held in memory; those of a shop's largest have about half:
2,048 variants.
"""
_BELOW = """
    WITH RECURSIVE above (id) AS (
        SELECT ?
        UNION
        SELECT child.id FROM child JOIN above ON child.parent = above.id
    )
    SELECT line FROM child WHERE parent IN (SELECT id FROM above) ORDER BY number
"""
"""Each id is looked up once, so that the work stays linear, however often the ids are repeated."""


class Spool(AbstractContextManager["Spool"]):
    """The records of one file, by their index in it; use it in a `with`."""

    def __init__(self) -> None:
        """Makes an empty spool."""
        self._disk = ExitStack()
        directory = self._disk.enter_context(scratch())
        self._db = sqlite3.connect(directory / "spool", isolation_level=None)
        self._db.executescript("""
            PRAGMA journal_mode = OFF;
            PRAGMA synchronous = OFF;
            CREATE TABLE root (id TEXT PRIMARY KEY, place INTEGER, line BLOB) WITHOUT ROWID;
            CREATE TABLE child (parent TEXT, id TEXT, number INTEGER, line BLOB);
        """)
        self._count = 0
        self.unreadable = 0
        """How many whole lines can't be read; each may have been a record."""

    def fill(self, pieces: Iterable[bytes]) -> None:
        """Stores the file's pieces.

        An incomplete line at the end, as a partial file may have, is left out; so is a repeated
        record.
        """
        self._db.execute("BEGIN")
        for number, (line, is_whole) in enumerate(_lines(pieces)):
            try:
                self._insert(number, line)
            except ValueError:
                self.unreadable += is_whole
        self._db.execute("COMMIT")
        self._db.executescript("""
            CREATE INDEX of_parent ON child (parent, number);
            CREATE INDEX by_place ON root (place);
        """)

    def _insert(self, number: int, line: bytes) -> None:
        record = _record(line)
        parent = record.get("__parentId")
        if parent:
            row = (parent, record.get("id"), number, line)
            self._db.execute("INSERT INTO child VALUES (?, ?, ?, ?)", row)
            return
        root = (record["id"], self._count, line)
        inserted = self._db.execute("INSERT OR IGNORE INTO root VALUES (?, ?, ?)", root)
        self._count += inserted.rowcount

    def __len__(self) -> int:
        return self._count

    def root(self, index: int) -> dict[str, Any]:
        """Returns the record with that index, without the objects below it."""
        [(line,)] = self._db.execute("SELECT line FROM root WHERE place = ?", (index,)).fetchall()
        record: dict[str, Any] = read_utf_8_json(line)
        return record

    def at(self, index: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Returns the record with that index, and all objects below it, in the file's order.

        Raises NoRecord for more of them than any record has.
        """
        record, found, size = self.root(index), list[dict[str, Any]](), 0
        for (line,) in self._db.execute(_BELOW, (record["id"],)):
            size += len(line)
            if size > MAX_RECORD_BYTES:
                raise NoRecord("too many objects below it")
            found.append(read_utf_8_json(line))
        return record, found

    def ids(self) -> Iterator[str]:
        """Returns the ids of all records."""
        return (each for (each,) in self._db.execute("SELECT id FROM root"))

    def mark(self, names: Iterable[str]) -> None:
        """Stores names for `is_marked`."""
        self._db.execute("CREATE TABLE mark (name TEXT PRIMARY KEY) WITHOUT ROWID")
        self._db.execute("BEGIN")
        self._db.executemany("INSERT OR IGNORE INTO mark VALUES (?)", ((name,) for name in names))
        self._db.execute("COMMIT")

    def is_marked(self, name: str) -> bool:
        """Returns whether the name was stored."""
        found = self._db.execute("SELECT 1 FROM mark WHERE name = ?", (name,))
        return found.fetchone() is not None

    def __exit__(self, *_: object) -> None:
        self._db.close()
        self._disk.close()


def _record(line: bytes) -> dict[str, Any]:
    """The line's object. Raises ValueError where it is no object, or has no readable id."""
    found = read_json(line)
    if not isinstance(found, dict):
        raise ValueError("a line that is no object")
    names = found.get("id"), found.get("__parentId")
    if not any(names) or not all(isinstance(name, str | None) for name in names):
        raise ValueError("an object without a readable id")
    return found


def _lines(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """The lines, and whether each is whole; of one that is longer than any record, nothing."""
    buffer = bytearray()
    is_too_long = False
    for piece in pieces:
        *whole, rest = piece.split(b"\n")
        for end in whole:
            buffer += end
            if buffer or is_too_long:
                yield (b"" if is_too_long else bytes(buffer)), True
            buffer.clear()
            is_too_long = False
        buffer += rest
        if len(buffer) > MAX_LINE_BYTES:
            buffer.clear()
            is_too_long = True
    if buffer and not is_too_long:
        yield bytes(buffer), False
