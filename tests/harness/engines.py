"""The engine of the tables during the tests: moto in this process, or dynoxide in another one.

`STORE=dynoxide` selects the second. DynamoDB has no operation to empty a table or to lose its
stream's records; each engine does so in its own way here.
"""

import atexit
import os
import sqlite3
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.models.dynamo_type import Item
from moto.dynamodb.models.table import StreamRecord
from moto.dynamodbstreams.models import ShardIterator, dynamodbstreams_backends
from moto.sqs.models import Message

from local import aws
from local.aws.dynoxide import Dynoxide
from local.template import TABLE, resources


@dataclass(frozen=True)
class StoredTables:
    """The tables' rows and their streams' records; equal if nothing changed."""

    rows: Any
    streams: Any


class Engine(Protocol):
    """The operations of an engine that the world needs beside DynamoDB's own."""

    def empty(self) -> None:
        """Deletes all rows and all stream records."""

    def lose_streams(self) -> None:
        """Deletes all stream records."""

    def stored(self) -> StoredTables:
        """Returns all current rows, and the streams' records."""

    def put_back(self, stored: StoredTables, *, streams: bool) -> None:
        """Puts stored rows into empty tables, with the stored stream records or with none."""


class Moto:
    """moto, in this process."""

    def empty(self) -> None:
        """Deletes all rows and all stream records."""
        for table in self._tables().values():
            table.items.clear()
        self.lose_streams()
        # moto keeps all instances of these for ever, which is too much for thousands of worlds.
        dynamodbstreams_backends[DEFAULT_ACCOUNT_ID][aws.REGION].shard_iterators.clear()
        made: tuple[Any, ...] = (Item, StreamRecord, ShardIterator, Message)
        for each in made:
            each.instances_tracked.clear()

    def lose_streams(self) -> None:
        """Removes what the streams would have carried."""
        for table in self._tables().values():
            if table.stream_shard:
                table.stream_shard.starting_sequence_number += len(table.stream_shard.items)
                table.stream_shard.items.clear()

    def stored(self) -> StoredTables:
        """Returns all rows and stream records, which are immutable (`local.aws.moto_updates`)."""
        tables = self._tables()
        shards = {name: table.stream_shard for name, table in tables.items()}
        return StoredTables(
            {name: _copied(table.items) for name, table in tables.items()},
            {
                name: (shard.starting_sequence_number, list(shard.items))
                for name, shard in shards.items()
                if shard
            },
        )

    def put_back(self, stored: StoredTables, *, streams: bool) -> None:
        """Puts kept rows into empty tables; if not streams too, none tells of it."""
        tables = self._tables()
        for name, items in stored.rows.items():
            tables[name].items.update(_copied(items))
        if streams:
            for name, (first, records) in stored.streams.items():
                shard = tables[name].stream_shard
                shard.starting_sequence_number, shard.items = first, list(records)

    def _tables(self) -> dict[str, Any]:
        tables: dict[str, Any] = dynamodb_backends[DEFAULT_ACCOUNT_ID][aws.REGION].tables
        return tables


class BesideMoto:
    """dynoxide, one per test process; its SQLite file is used where DynamoDB has no operation."""

    def __init__(self) -> None:
        """Starts it and directs calls to the tables to it."""
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

    def stored(self) -> StoredTables:
        """All rows of now, and their streams."""
        tables = {name: self._all(name) for name in self._names}
        return StoredTables(
            {n: rows for n, rows in tables.items() if rows}, self._all(_STREAM_RECORDS)
        )

    def put_back(self, stored: StoredTables, *, streams: bool) -> None:
        """Puts kept rows into empty tables; if not streams too, none tells of it."""
        self._rows.execute("BEGIN IMMEDIATE")
        for name, rows in stored.rows.items():
            self._insert(name, rows)
        if streams and stored.streams:
            self._insert(_STREAM_RECORDS, stored.streams)
        self._rows.execute("COMMIT")

    def _all(self, table: str) -> list[Any]:
        return self._rows.execute(f'SELECT * FROM "{table}"').fetchall()

    def _insert(self, table: str, rows: list[Any]) -> None:
        parameters = ",".join("?" * len(rows[0]))
        self._rows.executemany(f'INSERT INTO "{table}" VALUES ({parameters})', rows)

    def _at_once(self, *statements: str) -> None:
        self._rows.executescript("; ".join(["BEGIN IMMEDIATE", *statements, "COMMIT"]))


_STREAM_RECORDS = "_stream_records"
_STREAMS = f"DELETE FROM {_STREAM_RECORDS}"


def _copied(partitions: dict[Any, Any]) -> dict[Any, Any]:
    """Returns a copy of the partitions, or of the rows of a table without sort keys.

    It omits empty partitions, which moto makes when it looks for a row.
    """
    return {
        name: dict(rows) if isinstance(rows, dict) else rows
        for name, rows in partitions.items()
        if rows
    }


def on_dynoxide() -> bool:
    """Whether the environment selects dynoxide."""
    return os.environ.get("STORE") == "dynoxide"


@cache
def engine() -> Engine:
    """Returns the engine that the environment selects; the first call starts it."""
    return BesideMoto() if on_dynoxide() else Moto()
