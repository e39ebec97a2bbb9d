"""Has moto's streams build a record only when a reader reads it.

moto makes two images of each written row, and measures them as JSON, for readers that most tests
never call.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.core.utils import utcnow
from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.models.dynamo_type import Item
from moto.dynamodb.models.table import StreamRecord, StreamShard, Table

add_by_moto = StreamShard.add
_FREED: Any = None


@dataclass
class ChangeRecord:
    """A change in the stream, with the rows of that time, as rows are immutable."""

    table: Table
    old: Item | None
    new: Item | None
    number: int
    at: datetime

    @cached_property
    def record(self) -> dict[str, Any]:
        """Returns it as a record of DynamoDB's streams."""
        view = self.table.stream_specification["StreamViewType"]  # type: ignore[index]
        event = "INSERT" if self.old is None else "REMOVE" if self.new is None else "MODIFY"
        record = StreamRecord(self.table, view, event, self.old, self.new, self.number).record
        record["dynamodb"]["ApproximateCreationDateTime"] = self.at
        return record

    def to_json(self) -> dict[str, Any]:
        """Returns the record, under moto's name for it."""
        return self.record


class PassedRecords:
    """Frees stream records that all readers of a table have passed, as a long run must.

    A reader continues from its position, so none reads these records again.
    """

    def __init__(self, region: str, table: str, readers: int) -> None:
        """`readers` is how many readers record a position."""
        self._region = region
        self._table = table
        self._readers = readers
        self._freed = 0

    def free(self, positions: Mapping[str, str]) -> None:
        """Frees the records up to the lowest of `positions`, which readers have delivered."""
        if len(positions) < self._readers:
            return
        backend = dynamodb_backends[DEFAULT_ACCOUNT_ID][self._region]
        shard = backend.tables[self._table].stream_shard
        passed = 1 + min(map(int, positions.values())) - shard.starting_sequence_number  # type: ignore[union-attr]
        for place in range(self._freed, passed):
            shard.items[place] = _FREED  # type: ignore[union-attr]
        self._freed = max(self._freed, passed)


def install() -> None:
    """Replaces moto's stream by the faster one."""
    StreamShard.add = _add  # type: ignore[method-assign]


def _add(self: StreamShard, old: Item | None, new: Item | None) -> None:
    number = len(self.items) + self.starting_sequence_number
    self.items.append(ChangeRecord(self.table, old, new, number, utcnow()))  # type: ignore[arg-type]
