"""What holds the tables while the tests run: moto in this process, or dynoxide beside it.

`STORE=dynoxide` chooses the second. What no operation of DynamoDB does, to empty a table or to
lose its stream, each engine does in its own way here.
"""

import atexit
import os
import sqlite3
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from typing import Any, Protocol

from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.dynamodb.models import dynamodb_backends

from local import aws
from local.dynoxide import Dynoxide
from local.template import TABLE, resources

type PutBack = Callable[[], None]
"""Puts kept rows into empty tables."""


class Engine(Protocol):
    """What the world needs of an engine beside DynamoDB's own operations."""

    def empty(self) -> None:
        """Removes all rows, and what the streams would have carried."""

    def lose_streams(self) -> None:
        """Removes what the streams would have carried."""

    def kept(self) -> PutBack:
        """Keeps the rows of now; no stream tells of it when they are put back."""


class Moto:
    """moto, in this process."""

    def empty(self) -> None:
        """Removes all rows, and what the streams would have carried."""
        for table in self._tables().values():
            table.items.clear()
        self.lose_streams()

    def lose_streams(self) -> None:
        """Removes what the streams would have carried."""
        for table in self._tables().values():
            if table.stream_shard:
                table.stream_shard.starting_sequence_number += len(table.stream_shard.items)
                table.stream_shard.items.clear()

    def kept(self) -> PutBack:
        """Keeps the rows of now; no stream tells of it when they are put back."""
        rows = {name: deepcopy(table.items) for name, table in self._tables().items()}

        def put_back() -> None:
            for name, table in self._tables().items():
                table.items.update(deepcopy(rows[name]))

        return put_back

    def _tables(self) -> dict[str, Any]:
        tables: dict[str, Any] = dynamodb_backends[DEFAULT_ACCOUNT_ID][aws.REGION].tables
        return tables


class BesideMoto:
    """dynoxide, a process a process of tests, through its SQLite file where DynamoDB has no way."""

    def __init__(self) -> None:
        """Starts it and has the tables there from now on."""
        engine = Dynoxide()
        engine.start()
        atexit.register(engine.stop)
        aws.keep_tables_at(engine.url)
        self._rows = sqlite3.connect(engine.database, isolation_level=None)
        self._names = list(resources(TABLE))
        atexit.register(self._rows.close)

    def empty(self) -> None:
        """Removes all rows, and what the streams would have carried."""
        self._at_once(*(f'DELETE FROM "{name}"' for name in self._names), _STREAMS)

    def lose_streams(self) -> None:
        """Removes what the streams would have carried."""
        self._at_once(_STREAMS)

    def kept(self) -> PutBack:
        """Keeps the rows of now; no stream tells of it when they are put back."""
        rows = {n: self._rows.execute(f'SELECT * FROM "{n}"').fetchall() for n in self._names}
        rows = {name: of_table for name, of_table in rows.items() if of_table}

        def put_back() -> None:
            self._rows.execute("BEGIN IMMEDIATE")
            for name, of_table in rows.items():
                marks = ",".join("?" * len(of_table[0]))
                self._rows.executemany(f'INSERT INTO "{name}" VALUES ({marks})', of_table)
            self._rows.execute("COMMIT")

        return put_back

    def _at_once(self, *statements: str) -> None:
        self._rows.executescript("; ".join(["BEGIN IMMEDIATE", *statements, "COMMIT"]))


_STREAMS = "DELETE FROM _stream_records"


def on_dynoxide() -> bool:
    """Whether the environment chooses dynoxide."""
    return os.environ.get("STORE") == "dynoxide"


@cache
def engine() -> Engine:
    """The engine that the environment chooses; the first call starts it."""
    return BesideMoto() if on_dynoxide() else Moto()
