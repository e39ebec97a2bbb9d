"""The table's stream: rows of its records, and records read again; it keeps them for 24 hours."""

from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from storepost.platform.persistence.item import Item

type Image = Mapping[str, Any]
"""A row in DynamoDB's own notation."""

MAX_EMPTY = 100
"""How many responses may have no record in a row: DynamoDB returns such while it searches."""


@dataclass(frozen=True)
class Stretch:
    """A range of consecutive records of a shard, by their sequence numbers."""

    stream: str
    shard: str
    first: str
    last: str


class RecordsMissing(Exception):  # noqa: N818 - it is what happened
    """The stream doesn't have the records, or not yet."""


@cache
def _client() -> Any:  # noqa: ANN401 - botocore's clients have no static type
    import boto3  # noqa: PLC0415 - 13 ms

    return boto3.client("dynamodbstreams")


def row_of(image: Image | None) -> Item | None:
    """Returns the row of an image; Lambda passes binaries as base64."""
    if not image:
        return None
    return Item.from_raw_data({name: _value(value) for name, value in image.items()})


def images_of(record: Mapping[str, Any]) -> tuple[Image | None, Image | None]:
    """Returns the row before and after a record; None if there was or is none."""
    return record["dynamodb"].get("OldImage"), record["dynamodb"].get("NewImage")


def _value(value: dict[str, Any]) -> dict[str, Any]:
    binary = value.get("B")
    return {"B": b64decode(binary)} if isinstance(binary, str) else value


def read_again(stretch: Stretch) -> Iterator[dict[str, Any]]:
    """Returns the records as the stream has them now.

    Raises RecordsMissing, and botocore's TrimmedDataAccessException for records older than a day.
    """
    iterator = _client().get_shard_iterator(
        StreamArn=stretch.stream,
        ShardId=stretch.shard,
        ShardIteratorType="AT_SEQUENCE_NUMBER",
        SequenceNumber=stretch.first,
    )["ShardIterator"]
    last, empty = int(stretch.last), 0
    while iterator and empty < MAX_EMPTY:
        answer = _client().get_records(ShardIterator=iterator)
        for record in answer["Records"]:
            number = int(record["dynamodb"]["SequenceNumber"])
            if number <= last:
                yield record
            if number >= last:
                return
        empty = 0 if answer["Records"] else empty + 1
        iterator = answer.get("NextShardIterator")
    raise RecordsMissing(stretch.shard)
