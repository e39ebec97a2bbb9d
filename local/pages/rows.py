"""The rows of the table by kind, as DynamoDB stores them."""

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

from boto3.dynamodb.types import TypeDeserializer

from local.aws import client

MAX_READ = 50_000
"""The most rows that a page reads, as a kept table may have become large."""
MAX_SHOWN = 100
_MAX_VALUE = 2_000
_deserializer = TypeDeserializer()


@dataclass(frozen=True)
class Kinds:
    """The number of rows of each kind; `is_all` is False if there were too many to read."""

    counts: dict[str, int]
    is_all: bool


@dataclass(frozen=True)
class RowView:
    """A row: its keys, and the rest of its attributes as text."""

    pk: str
    sk: str
    attributes: dict[str, str]


def kinds() -> Kinds:
    """Returns the kinds, with the number of rows of each."""
    found = Counter(row.get("kind", {}).get("S", "-") for row in _rows("kind"))
    return Kinds(dict(sorted(found.items())), found.total() < MAX_READ)


def rows_of(kind: str, beginning: str) -> list[RowView]:
    """Returns the first rows of the kind whose partition key begins with `beginning`."""
    found = (
        row
        for row in _rows()
        if row.get("kind", {}).get("S", "-") == kind and row["pk"]["S"].startswith(beginning)
    )
    return [_shown(row) for row in islice(found, MAX_SHOWN)]


def _rows(*names: str) -> Iterator[dict[str, Any]]:
    """Yields the table's rows in DynamoDB's notation, with these attributes or all."""
    only: dict[str, Any] = {}
    if names:
        only = {
            "ProjectionExpression": ", ".join(f"#{name}" for name in names),
            "ExpressionAttributeNames": {f"#{name}": name for name in names},
        }
    scan = client("dynamodb").get_paginator("scan")
    pages = scan.paginate(TableName=os.environ["TABLE_NAME"], **only)
    return islice((row for page in pages for row in page["Items"]), MAX_READ)


def _shown(row: dict[str, Any]) -> RowView:
    rest = {name: value for name, value in row.items() if name not in {"pk", "sk", "kind"}}
    return RowView(
        row["pk"]["S"], row["sk"]["S"], {name: _text(rest[name]) for name in sorted(rest)}
    )


def _text(value: dict[str, Any]) -> str:
    read = _deserializer.deserialize(cast("Any", value))
    text = bytes(read).hex() if hasattr(read, "value") else str(read)
    return text if len(text) <= _MAX_VALUE else f"{text[:_MAX_VALUE]}…"
