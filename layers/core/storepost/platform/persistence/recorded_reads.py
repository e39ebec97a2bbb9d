"""Records which rows were read, and their content, for the condition of a write."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import reduce
from operator import and_
from typing import Any

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path

type Raw = dict[str, Any]
"""A row in DynamoDB's own notation."""
type Place = tuple[str, str]
"""A row's partition and sort key."""

READING = frozenset({"GetItem", "BatchGetItem", "Query"})
"""The operations whose answers can be recorded."""
_VERSION = "version"
_KEYS = frozenset({"pk", "sk"})
_recording: ContextVar[dict[Place, Raw | None] | None] = ContextVar("recording", default=None)


@contextmanager
def recorded_reads() -> Iterator[dict[Place, Raw | None]]:
    """Returns the rows that are read inside the block, as last read; None for a missing row."""
    rows: dict[Place, Raw | None] = {}
    token = _recording.set(rows)
    try:
        yield rows
    finally:
        _recording.reset(token)


def record(request: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
    """Records the rows of DynamoDB's response, if a recording is active."""
    rows = _recording.get()
    if rows is None:
        return
    tables = request.get("RequestItems", {}).values()
    keys = [
        *([request["Key"]] if "Key" in request else []),
        *(k for t in tables for k in t["Keys"]),
    ]
    found = [*answer.get("Items", []), *([answer["Item"]] if "Item" in answer else [])]
    for of_table in answer.get("Responses", {}).values():
        found += of_table
    rows |= {_place(key): None for key in keys if key.keys() >= _KEYS}
    rows |= {_place(raw): raw for raw in found if raw.keys() >= _KEYS}


def as_it_was(raw: Raw | None) -> Condition:
    """Returns the condition that a row is as it was read: of the same version, if it has one."""
    if raw is None:
        return Path("pk").does_not_exist()
    names = [_VERSION] if _VERSION in raw else sorted(raw.keys() - _KEYS)
    same: list[Condition] = [Path(name) == raw[name] for name in names]
    return reduce(and_, same)


def _place(raw: Raw) -> Place:
    return raw["pk"]["S"], raw["sk"]["S"]
