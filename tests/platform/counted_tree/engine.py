"""A DynamoDB small and fast enough for thousands of histories, counting calls and read units.

It supports what the counted tree sends: queries of one partition, and transactions with the
expressions that PynamoDB writes. Between any two calls a test may let another writer act, or the
process die.
"""

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from math import ceil
from threading import Lock
from typing import Any

from pynamodb.exceptions import CancellationReason, VerboseClientError

type Raw = dict[str, dict[str, Any]]
type Request = dict[str, Any]

_TOKEN = re.compile(r"[()]|[#:]\w+|attribute_\w+|AND|OR|BETWEEN|[=>]")
_UNIT = 4096


class Killed(BaseException):
    """The process died at this call."""


def size_of(item: Raw) -> int:
    """The bytes that DynamoDB counts for an item: names and values."""
    return sum(
        len(name.encode()) + _value_size(*kind) for name, v in item.items() for kind in v.items()
    )


def _value_size(kind: str, value: Any) -> int:
    if kind in {"S", "B"}:
        return len(value.encode() if kind == "S" else value)
    if kind == "N":
        return ceil(len(value.lstrip("-")) / 2) + 1
    return 1


@dataclass
class Engine:
    """The one table."""

    items: dict[str, dict[str, Raw]] = field(default_factory=dict)
    order: dict[str, list[str]] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    units: int = 0
    written: int = 0
    """Write units."""
    before_call: Callable[[str], None] | None = None
    after_call: Callable[[str], None] | None = None
    """Of a call that was done; one that is refused has no such moment."""
    is_locked: Callable[[str, str], bool] | None = None
    """Whether another transaction has the row of a partition and sort key just now."""
    _one_call: Lock = field(default_factory=Lock, repr=False, compare=False)
    """Rows that are in a page are deleted by several threads."""

    def call(self, operation: str, request: Request) -> dict[str, Any]:
        """Replaces PynamoDB's call of botocore."""
        if self.before_call is not None:
            self.before_call(operation)
        self.calls.append(operation)
        answers: dict[str, Callable[[Request], dict[str, Any]]] = {
            "Query": self._query,
            "TransactWriteItems": self._transact,
            "BatchGetItem": self._get,
            "BatchWriteItem": self._write_apart,
            "PutItem": partial(self._write_one, "Put"),
            "DeleteItem": partial(self._write_one, "Delete"),
        }
        with self._one_call:
            answer = answers[operation](request)
        if self.after_call is not None:
            self.after_call(operation)
        return answer

    def snapshot(self) -> Callable[[], None]:
        """Returns a function that restores the rows stored now."""
        items = {pk: dict(partition) for pk, partition in self.items.items()}
        order = {pk: list(keys) for pk, keys in self.order.items()}

        def restore() -> None:
            self.items = {pk: dict(partition) for pk, partition in items.items()}
            self.order = {pk: list(keys) for pk, keys in order.items()}

        return restore

    def measured(self, work: Callable[[], object]) -> tuple[int, int]:
        """Calls and read units of some work."""
        calls, units = len(self.calls), self.units
        work()
        return len(self.calls) - calls, self.units - units

    def _query(self, request: Request) -> dict[str, Any]:
        assert request["ConsistentRead"]
        assert "ExclusiveStartKey" not in request
        tokens = _tokens(request["KeyConditionExpression"], request)
        pk, lo, hi = (token["S"] for token in tokens if isinstance(token, dict))
        assert lo <= hi, "DynamoDB refuses a range that ends before it begins"
        order = self.order.get(pk, [])
        positions = range(bisect_left(order, lo), bisect_right(order, hi))
        if not request["ScanIndexForward"]:
            positions = positions[::-1]
        found = [self.items[pk][order[place]] for place in positions[: request.get("Limit")]]
        self.units += max(1, ceil(sum(map(size_of, found)) / _UNIT))
        return {"Items": [dict(item) for item in found], "Count": len(found)}

    def _get(self, request: Request) -> dict[str, Any]:
        ((table, table_request),) = request["RequestItems"].items()
        assert table_request["ConsistentRead"]
        keys = [_key("Get", {"Key": key}) for key in table_request["Keys"]]
        found = [self.items[pk][sk] for pk, sk in keys if sk in self.items.get(pk, {})]
        self.units += sum(max(1, ceil(size_of(item) / _UNIT)) for item in found)
        return {"Responses": {table: found}, "UnprocessedKeys": {}}

    def _write_apart(self, request: Request) -> dict[str, Any]:
        """Writes without a transaction, at half their price."""
        ((_, parts),) = request["RequestItems"].items()
        assert 0 < len(parts) <= 25
        for kind, part in (next(iter(part.items())) for part in parts):
            put = kind == "PutRequest"
            key = _key("Put" if put else "Delete", part)
            self.written += self._units_of(key, part.get("Item"))
            self._write("Put" if put else "Delete", part, key)
        return {"UnprocessedItems": {}}

    def _write_one(self, kind: str, request: Request) -> dict[str, Any]:
        """Writes one item outside of a transaction, where its condition holds."""
        key = _key(kind, request)
        self.written += self._units_of(key, request.get("Item"))
        failed = None if self._holds(request, key) else "ConditionalCheckFailedException"
        if self.is_locked is not None and self.is_locked(*key):
            failed = "TransactionConflictException"
        if failed:
            error = {"Error": {"Code": failed, "Message": "refused"}}
            raise VerboseClientError(error, f"{kind}Item", {"request_id": "", "table_name": ""})
        self._write(kind, request, key)
        return {}

    def _units_of(self, key: tuple[str, str], item: Raw | None) -> int:
        """The write units of an item, by its larger image: the old or the new one."""
        before = self.items.get(key[0], {}).get(key[1], {})
        return max(1, *(ceil(size_of(each or {}) / 1024) for each in (before, item)))

    def _transact(self, request: Request) -> dict[str, Any]:
        parts = [next(iter(part.items())) for part in request["TransactItems"]]
        assert len(parts) <= 100
        keys = [_key(kind, part) for kind, part in parts]
        assert len(set(keys)) == len(keys), "two writes of one item"
        failed = [not self._holds(part, key) for (_, part), key in zip(parts, keys, strict=True)]
        if any(failed):
            raise _cancelled(failed, "ConditionalCheckFailed")
        conflicts = [self.is_locked is not None and self.is_locked(*key) for key in keys]
        if any(conflicts):
            raise _cancelled(conflicts, "TransactionConflict")
        for (kind, part), key in zip(parts, keys, strict=True):
            before = self._units_of(key, None)
            self._write(kind, part, key)
            self.written += 2 * max(before, self._units_of(key, None))
        return {}

    def _holds(self, part: Request, key: tuple[str, str]) -> bool:
        expression = part.get("ConditionExpression")
        item = self.items.get(key[0], {}).get(key[1], {})
        return expression is None or _holds(_tokens(expression, part), item)

    def _write(self, kind: str, part: Request, key: tuple[str, str]) -> None:
        pk, sk = key
        partition = self.items.setdefault(pk, {})
        if kind == "Delete":
            if partition.pop(sk, None) is None:
                return
            del self.order[pk][bisect_left(self.order[pk], sk)]
            return
        if sk not in partition:
            insort(self.order.setdefault(pk, []), sk)
        before = partition.get(sk) or {"pk": {"S": pk}, "sk": {"S": sk}}
        partition[sk] = dict(part["Item"]) if kind == "Put" else _updated(before, part)


def _key(kind: str, part: Request) -> tuple[str, str]:
    named = part["Item"] if kind == "Put" else part["Key"]
    return named["pk"]["S"], named["sk"]["S"]


def _tokens(expression: str, request: Request) -> list[Any]:
    """The expression's parts, with names and values substituted."""
    names = request.get("ExpressionAttributeNames", {})
    values = request.get("ExpressionAttributeValues", {})
    return [names.get(t, values.get(t, t)) for t in _TOKEN.findall(expression)]


def _holds(tokens: list[Any], item: Raw) -> bool:
    """Whether a condition of `AND`, `OR`, comparisons and attribute functions holds."""
    rest = list(tokens)
    is_met = _either(rest, item)
    assert not rest
    return is_met


def _either(rest: list[Any], item: Raw) -> bool:
    is_met = _both(rest, item)
    while rest and rest[0] == "OR":
        rest.pop(0)
        is_met |= _both(rest, item)
    return is_met


def _both(rest: list[Any], item: Raw) -> bool:
    is_met = _term(rest, item)
    while rest and rest[0] == "AND":
        rest.pop(0)
        is_met &= _term(rest, item)
    return is_met


def _term(rest: list[Any], item: Raw) -> bool:
    first = rest.pop(0)
    if first == "(":
        is_met = _either(rest, item)
        assert rest.pop(0) == ")"
        return is_met
    if first in ("attribute_exists", "attribute_not_exists"):
        _, name, _ = rest.pop(0), rest.pop(0), rest.pop(0)
        return bool((name in item) == (first == "attribute_exists"))
    comparison, value = rest.pop(0), rest.pop(0)
    return bool(first in item and _compares(item[first], comparison, value))


def _compares(stored: dict[str, Any], comparison: str, value: dict[str, Any]) -> bool:
    if stored.keys() != value.keys():
        return False
    left, right = (Decimal(v["N"]) if "N" in v else next(iter(v.values())) for v in (stored, value))
    return bool(left == right if comparison == "=" else left > right)


def _updated(before: Raw, part: Request) -> Raw:
    item = dict(before)
    clauses = re.split(r"\b(SET|ADD|REMOVE) ", part["UpdateExpression"])
    for verb, clause in zip(clauses[1::2], clauses[2::2], strict=True):
        for action in clause.split(","):
            name, *values = (t for t in _tokens(action, part) if t != "=")
            _act(item, verb, name, values)
    return item


def _act(item: Raw, verb: str, name: str, values: list[dict[str, Any]]) -> None:
    if verb == "REMOVE":
        item.pop(name, None)
    elif verb == "SET":
        item[name] = values[0]
    else:
        item[name] = {"N": str(int(item.get(name, {"N": "0"})["N"]) + int(values[0]["N"]))}


def _cancelled(failed: list[bool], code: str) -> VerboseClientError:
    return VerboseClientError(
        {"Error": {"Code": "TransactionCanceledException", "Message": "cancelled"}},
        "TransactWriteItems",
        {"request_id": "", "table_name": ""},
        cancellation_reasons=[
            CancellationReason(code=code, message="") if no else None for no in failed
        ],
    )
