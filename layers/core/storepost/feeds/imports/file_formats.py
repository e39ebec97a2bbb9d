"""The number of the format of an import's files, which another release may have written.

It is stored in SQLite's `user_version`. Increase it when a table or a column of these files
changes. Rows of an unknown format are read again from the feed's file. An unknown manifest proves
nothing, least of all that the store has nothing of the feed.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

FORMAT = 1


class UnknownFormat(Exception):  # noqa: N818 - it is what was found
    """Says that another release wrote a file that this one can't read."""


def note_format(db: sqlite3.Connection, schema: str = "main") -> None:
    """Writes this release's format into a new file."""
    db.execute(f"PRAGMA {schema}.user_version = {FORMAT}")


def has_known_format(path: Path) -> bool:
    """Returns whether this release can read the file."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        try:
            return bool(db.execute("PRAGMA user_version").fetchone()[0] == FORMAT)
        except sqlite3.DatabaseError:
            return False


def expect_known_format(*paths: Path) -> None:
    """Raises UnknownFormat if this release can't read one of the files."""
    for path in paths:
        if not has_known_format(path):
            raise UnknownFormat(path.name)
