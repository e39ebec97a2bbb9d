"""Attributes write units to rows: the costs of a write's rows must sum up to the billed units."""

import math
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from local import aws
from storepost.platform.persistence.item import Item, dynamodb_client

IDEMPOTENCY, CHECK = "idempotency", "check"
_AUTHENTICATION = "api_key_token"
"""The kind of a key's row in which any request records its use, at most once a minute."""
_UNIT = 1024
_WRITES = {"PutItem": "Put", "UpdateItem": "Update", "DeleteItem": "Delete"}

type Raw = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class _Place:
    """A row that is written or checked."""

    table: str
    key: Raw
    is_check: bool = False

    def read(self) -> Raw:
        """Returns the current row; empty if there is none."""
        found = aws.client("dynamodb").get_item(
            TableName=self.table, Key=self.key, ConsistentRead=True
        )
        row: Raw = found.get("Item", {})
        return row

    def kind(self, row: Raw) -> str:
        """Returns the row's kind."""
        if self.is_check:
            return CHECK
        return str(row["kind"]["S"]) if self.table == Item.Meta.table_name else IDEMPOTENCY


class Miscounted(Exception):  # noqa: N818 - it is what happened
    """The rows' costs don't sum up to the engine's units."""


def size_of(row: Raw) -> int:
    """Returns a row's size in bytes as DynamoDB counts it: its names and values."""
    return sum(len(name.encode()) + _size(value) for name, value in row.items())


def _size(value: Mapping[str, Any]) -> int:
    ((kind, content),) = value.items()
    if kind == "L":
        return 3 + sum(1 + _size(each) for each in content)
    if kind == "M":
        return 3 + sum(1 + len(name.encode()) + _size(each) for name, each in content.items())
    if kind in {"SS", "NS"}:
        return sum(_scalar(kind[0], each) for each in content)
    return _scalar(kind, content)


def _scalar(kind: str, value: Any) -> int:  # noqa: ANN401 - whatever a row holds
    if kind == "N":
        return _digits(value)
    if kind in {"S", "B"}:
        return len(value.encode() if kind == "S" else value)
    return 1


def _digits(number: str) -> int:
    """Returns an integer's size: a byte per two significant digits, one more, one for a minus."""
    digits = number.lstrip("-").strip("0")
    return (math.ceil(len(digits) / 2) + 1 if digits else 1) + number.startswith("-")


class _Call(threading.local):
    """A thread's current call, as loads make several at once."""

    def __init__(self) -> None:
        self.written: list[_Place] = []
        self.before: list[Raw] = []
        self.factor = 1


@dataclass
class Ledger:
    """Reads each row before and after the service's client writes it, by another client."""

    rows: dict[str, Raw] = field(default_factory=dict)
    """The last written row of each kind."""
    _call: _Call = field(default_factory=_Call)
    _units: "Counter[str]" = field(default_factory=Counter)

    def __post_init__(self) -> None:
        """Registers handlers at the client, permanently."""
        events = dynamodb_client().meta.events
        events.register("before-parameter-build.dynamodb", self._open)
        events.register("after-call.dynamodb", self._close)

    def units_of(self, work: Callable[[], object]) -> "Counter[str]":
        """Runs the work; returns its write units by kind of row."""
        self._units = Counter()
        work()
        units, self._units = self._units, Counter()
        return units

    def _open(self, params: dict[str, Any], model: Any, **_: object) -> None:  # noqa: ANN401
        call = self._call
        call.written = _places_of(model.name, params)
        call.factor = 2 if model.name == "TransactWriteItems" else 1
        call.before = [place.read() for place in call.written]

    def _close(self, parsed: dict[str, Any], **_: object) -> None:
        call = self._call
        if not call.written or "ConsumedCapacity" not in parsed:
            return
        counted: Counter[str] = Counter()
        for place, before in zip(call.written, call.before, strict=True):
            after = place.read()
            kind, size = place.kind(before or after), max(size_of(before), size_of(after))
            counted[kind] += call.factor * max(1, math.ceil(size / _UNIT))
            if after:
                self.rows[kind] = after
        consumed = parsed["ConsumedCapacity"]
        tables = consumed if isinstance(consumed, list) else [consumed]
        billed = sum(table["CapacityUnits"] for table in tables)
        if billed != counted.total():
            raise Miscounted(f"{billed} units, counted as {dict(counted)}")
        counted.pop(_AUTHENTICATION, None)
        self._units.update(counted)


def _places_of(operation: str, params: Mapping[str, Any]) -> list[_Place]:
    if operation == "TransactWriteItems":
        parts = [next(iter(part.items())) for part in params["TransactItems"]]
        return [
            _Place(part["TableName"], _key(kind, part), kind == "ConditionCheck")
            for kind, part in parts
        ]
    if operation == "BatchWriteItem":
        return [
            _Place(table, _key(kind.removesuffix("Request"), {"TableName": table, **write}))
            for table, requests in params["RequestItems"].items()
            for request in requests
            for kind, write in request.items()
        ]
    if operation in _WRITES:
        return [_Place(params["TableName"], _key(_WRITES[operation], params))]
    return []


def _key(kind: str, part: Mapping[str, Any]) -> Raw:
    if kind != "Put":
        return dict(part["Key"])
    names = ("pk", "sk") if part["TableName"] == Item.Meta.table_name else ("id",)
    return {name: part["Item"][name] for name in names}
