"""Reads rows in DynamoDB's notation, and writes them as another release would have."""

from collections.abc import Callable
from typing import Any

from storepost.platform.persistence.item import Key, dynamodb_client
from storepost.values.settings import settings

type Raw = dict[str, Any]
"""A row in DynamoDB's own notation."""


def raw_rows(kind: str | None = None) -> list[Raw]:
    """Returns the table's rows, or those of a kind, by key."""
    pages = dynamodb_client().get_paginator("scan").paginate(TableName=settings().table)
    rows = [row for page in pages for row in page["Items"]]
    return sorted((r for r in rows if kind in {None, kind_of(r)}), key=key_of)


def kind_of(row: Raw) -> str:
    """Returns the row's kind."""
    return str(row["kind"]["S"])


def key_of(row: Raw) -> Key:
    """Returns its key."""
    return row["pk"]["S"], row["sk"]["S"]


def raw_row(key: Key) -> Raw | None:
    """Returns the row, or None."""
    found = dynamodb_client().get_item(
        TableName=settings().table,
        Key={"pk": {"S": key[0]}, "sk": {"S": key[1]}},
        ConsistentRead=True,
    )
    row: Raw | None = found.get("Item")
    return row


def put_raw(row: Raw) -> None:
    """Writes the row unchanged."""
    dynamodb_client().put_item(TableName=settings().table, Item=row)


def replace_in(value: Any, change: Callable[[str], str]) -> Any:
    """Returns the value with each of its strings changed, at any depth."""
    match value:
        case str():
            return change(value)
        case dict():
            return {name: replace_in(inner, change) for name, inner in value.items()}
        case list():
            return [replace_in(inner, change) for inner in value]
    return value
