"""moto's streams, which write a record down when somebody reads it.

moto makes two images of each row that is written, and measures them as JSON, for readers that most
tests never call.
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
    """A change in the stream; the rows are those of then, as rows never change."""

    table: Table
    old: Item | None
    new: Item | None
    number: int
    at: datetime

    @cached_property
    def record(self) -> dict[str, Any]:
        """As DynamoDB's streams write it down."""
        view = self.table.stream_specification["StreamViewType"]  # type: ignore[index]
        event = "INSERT" if self.old is None else "REMOVE" if self.new is None else "MODIFY"
        record = StreamRecord(self.table, view, event, self.old, self.new, self.number).record
        record["dynamodb"]["ApproximateCreationDateTime"] = self.at
        return record

    def to_json(self) -> dict[str, Any]:
        """The same, by moto's name."""
        return self.record


class PassedRecords:
    """Frees what every reader of a table's stream has passed, as a run that goes on for long must.

    Readers begin where they stand: nobody asks for these records again.
    """

    def __init__(self, region: str, table: str, readers: int) -> None:
        """So many readers note where they stand."""
        self._region = region
        self._table = table
        self._readers = readers
        self._freed = 0

    def free(self, positions: Mapping[str, str]) -> None:
        """Frees what stands before all `positions`, the numbers that readers have handed on."""
        if len(positions) < self._readers:
            return
        backend = dynamodb_backends[DEFAULT_ACCOUNT_ID][self._region]
        shard = backend.tables[self._table].stream_shard
        passed = 1 + min(map(int, positions.values())) - shard.starting_sequence_number  # type: ignore[union-attr]
        for place in range(self._freed, passed):
            shard.items[place] = _FREED  # type: ignore[union-attr]
        self._freed = max(self._freed, passed)


def install() -> None:
    """Puts the lighter stream in moto's place."""
    StreamShard.add = _add  # type: ignore[method-assign]


def _add(self: StreamShard, old: Item | None, new: Item | None) -> None:
    number = len(self.items) + self.starting_sequence_number
    self.items.append(ChangeRecord(self.table, old, new, number, utcnow()))  # type: ignore[arg-type]
