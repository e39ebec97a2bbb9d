"""Where write units go: what each row of a write costs, which must sum up to what is billed."""

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
"""Its use is noted once a minute, whatever is asked for."""
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
        """What is there now."""
        found = aws.client("dynamodb").get_item(
            TableName=self.table, Key=self.key, ConsistentRead=True
        )
        row: Raw = found.get("Item", {})
        return row

    def kind(self, row: Raw) -> str:
        """What kind of row it is."""
        if self.is_check:
            return CHECK
        return str(row["kind"]["S"]) if self.table == Item.Meta.table_name else IDEMPOTENCY


class Miscounted(Exception):  # noqa: N818 - it is what happened
    """The rows don't sum up to what the engine bills."""


def size_of(row: Raw) -> int:
    """The bytes that DynamoDB counts of a row: its names and values."""
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
    """A whole number: a byte for two significant digits, one more, and one for a minus."""
    digits = number.lstrip("-").strip("0")
    return (math.ceil(len(digits) / 2) + 1 if digits else 1) + number.startswith("-")


class _Call(threading.local):
    """The call that a thread makes: loads make several at once."""

    def __init__(self) -> None:
        self.written: list[_Place] = []
        self.before: list[Raw] = []
        self.factor = 1


@dataclass
class Ledger:
    """Reads each row before and after it is written, beside the service's own client."""

    rows: dict[str, Raw] = field(default_factory=dict)
    """The last row of each kind that was written."""
    _call: _Call = field(default_factory=_Call)
    _units: "Counter[str]" = field(default_factory=Counter)

    def __post_init__(self) -> None:
        """Hangs on to the client, for good."""
        events = dynamodb_client().meta.events
        events.register("before-parameter-build.dynamodb", self._open)
        events.register("after-call.dynamodb", self._close)

    def units_of(self, work: Callable[[], object]) -> "Counter[str]":
        """The write units that the work takes, by kinds of row."""
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
