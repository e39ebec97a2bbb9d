"""moto's streams, without the half-made rows that it tells of.

Where an update makes a row, moto puts one with nothing but the key first, and tells of that too.
DynamoDB tells of one new row, whole.
"""

from typing import Any

from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import Item

_original = DynamoDBBackend.update_item


def install() -> None:
    """Puts the update that is told of once in moto's place."""
    DynamoDBBackend.update_item = _update  # type: ignore[method-assign]


def _update(self: DynamoDBBackend, table_name: str, *args: Any, **kwargs: Any) -> Item:  # noqa: ANN401 - moto's own shapes
    shard = self.get_table(table_name).stream_shard
    told = len(shard.items) if shard else 0
    item = _original(self, table_name, *args, **kwargs)
    if shard and len(shard.items) == told + 2:
        half_made = shard.items.pop(told).record["dynamodb"]
        shard.items[told].record["dynamodb"]["SequenceNumber"] = half_made["SequenceNumber"]
    return item
