"""moto's streams, which write a record down when somebody reads it.

moto makes two images of each row that is written, and measures them as JSON, for readers that most
tests never call.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from moto.core.utils import utcnow
from moto.dynamodb.models.dynamo_type import Item
from moto.dynamodb.models.table import StreamRecord, StreamShard, Table

add_by_moto = StreamShard.add


@dataclass
class ChangeRecord:
    """A change that the stream tells of; the rows are those of then, as rows never change."""

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


def install() -> None:
    """Puts the lighter stream in moto's place."""
    StreamShard.add = _add  # type: ignore[method-assign]


def _add(self: StreamShard, old: Item | None, new: Item | None) -> None:
    number = len(self.items) + self.starting_sequence_number
    self.items.append(ChangeRecord(self.table, old, new, number, utcnow()))  # type: ignore[arg-type]
