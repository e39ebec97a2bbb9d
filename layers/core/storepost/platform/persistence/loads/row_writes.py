"""Writes rows without transactions, 25 a call, at one write unit a kilobyte.

Rows that DynamoDB leaves unprocessed, or refuses for now, are retried for as long as the run has
time; then Busy is raised. Each of these functions may be repeated, and a repeat writes nothing
twice.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import batched
from typing import Any

from storepost.platform.persistence.client import REFUSED_FOR_NOW
from storepost.platform.persistence.item import Item, Key, Raw, connection, key_of
from storepost.platform.persistence.loads.in_flight import in_flight
from storepost.platform.persistence.patience import pause

ROWS_A_CALL = 25
"""How many rows BatchWriteItem and BatchExecuteStatement take."""

_EXISTS = "DuplicateItem"


class StatementRefused(Exception):  # noqa: N818 - it is what happened
    """DynamoDB refuses a statement for a reason that no retry changes."""


def put_rows(rows: Iterable[Raw]) -> None:
    """Writes rows, over any that have the same keys. Raises Busy.

    No two rows may have the same key.
    """
    _write_all({"PutRequest": {"Item": row}} for row in rows)


def delete_rows(keys: Iterable[Key]) -> None:
    """Deletes rows of any kind, unconditionally. Raises Busy."""
    _write_all({"DeleteRequest": {"Key": {"pk": {"S": pk}, "sk": {"S": sk}}}} for pk, sk in keys)


def insert_rows(rows: Iterable[Raw]) -> list[Key]:
    """Writes the rows whose keys have no row yet; returns the keys of the others.

    No two rows may have the same key. One of the others may have been written by this very load: by
    a run that was killed, or by a call whose response was lost. So the caller must read it. Raises
    Busy.
    """
    refused = in_flight(_insert, batched(rows, ROWS_A_CALL, strict=False))
    return [key for some in refused for key in some]


def _write_all(requests: Iterable[dict[str, Any]]) -> None:
    for _ in in_flight(_write, batched(requests, ROWS_A_CALL, strict=False)):
        pass


def _write(requests: Sequence[dict[str, Any]]) -> None:
    left, tries = list(requests), 0
    while left:
        answer = connection.dispatch(
            "BatchWriteItem", {"RequestItems": {Item.Meta.table_name: left}}
        )
        still_left = answer.get("UnprocessedItems", {}).get(Item.Meta.table_name, [])
        if still_left:
            # Some rows of a large batch written is progress: only a call that writes none counts as
            # failed.
            tries = tries + 1 if len(still_left) == len(left) else 1
            pause(tries)
        left = still_left


def _insert(rows: Sequence[Raw]) -> list[Key]:
    left, tries, refused = list(rows), 0, list[Key]()
    while left:
        request = {"Statements": [_statement(row) for row in left]}
        answer = connection.dispatch("BatchExecuteStatement", request)
        codes = [_error_of(response) for response in answer["Responses"]]
        refused += [key_of(r) for r, code in zip(left, codes, strict=True) if code == _EXISTS]
        again = [r for r, code in zip(left, codes, strict=True) if code in REFUSED_FOR_NOW]
        if again:
            tries = tries + 1 if len(again) == len(left) else 1
            pause(tries)
        left = again
    return refused


def _error_of(response: dict[str, Any]) -> str | None:
    """Returns the code of a statement's error, None without one. Raises StatementRefused."""
    error = response.get("Error")
    if error is None:
        return None
    code = str(error["Code"])
    if code != _EXISTS and code not in REFUSED_FOR_NOW:
        raise StatementRefused(f"{code}: {error.get('Message')}")
    return code


def _statement(row: Raw) -> dict[str, Any]:
    return {"Statement": _insertion(tuple(row)), "Parameters": list(row.values())}


@lru_cache(maxsize=64)
def _insertion(attributes: tuple[str, ...]) -> str:
    """Returns the statement for rows with these attributes, whose names come from our models."""
    values = ", ".join(f"'{name}': ?" for name in attributes)
    return f'INSERT INTO "{Item.Meta.table_name}" VALUE {{{values}}}'
