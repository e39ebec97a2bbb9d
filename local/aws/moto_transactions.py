"""Speeds up moto's transactions, which deep-copy the whole table for each of their operations.

moto copies every table that an operation names, once per operation, for the rollback. Here one
shallow copy of the transaction's partitions is kept instead. A rollback puts its rows back into the
same table, so that readers of the stream keep reading the stream that is written to.
"""

import marshal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from moto.core.responses import ActionResult
from moto.dynamodb.exceptions import DynamodbException
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import DynamoType
from moto.dynamodb.models.table import Table
from moto.dynamodb.responses import DynamoHandler

TOKEN_SECONDS = 10 * 60
"""How long DynamoDB remembers a transaction's client request token."""

_WITHOUT_REFERENCES = 2
"""The marshal version that writes equal values in equal order as equal bytes."""

_original = DynamoDBBackend.transact_write_items
_answer = DynamoHandler.transact_write_items


def install() -> None:
    """Replaces moto's transaction by the faster one."""
    DynamoDBBackend.transact_write_items = _transact  # type: ignore[method-assign]
    DynamoHandler.transact_write_items = _answer_once  # type: ignore[method-assign]


@dataclass(frozen=True)
class _Written:
    """A committed transaction: its time, its digest and its answer."""

    at: float
    digest: bytes
    answer: ActionResult


class _OtherParameters(DynamodbException):
    """The token belongs to another transaction."""

    error_type = "com.amazonaws.dynamodb.v20120810#IdempotentParameterMismatchException"

    def __init__(self) -> None:
        super().__init__(self.error_type, "The token was used for another transaction")


def _answer_once(self: DynamoHandler) -> ActionResult:
    token = self.body.get("ClientRequestToken")
    if token is None:
        return _answer(self)
    known: dict[str, _Written] = self.dynamodb_backend.__dict__.setdefault("_tokens", {})
    _delete_old(known)
    # The service repeats a transaction unchanged and in the same order.
    digest = sha256(marshal.dumps(self.body["TransactItems"], _WITHOUT_REFERENCES)).digest()
    if token not in known:
        known[token] = _Written(time.monotonic(), digest, _answer(self))
    if known[token].digest != digest:
        raise _OtherParameters
    return known[token].answer


def _delete_old(known: dict[str, _Written]) -> None:
    """Deletes expired tokens; `known` is ordered by time of writing."""
    while known:
        oldest = next(iter(known))
        if known[oldest].at > time.monotonic() - TOKEN_SECONDS:
            return
        del known[oldest]


def _transact(self: DynamoDBBackend, transact_items: list[dict[str, Any]]) -> None:
    before = [_Before(table, keys) for table, keys in _touched(self, transact_items)]
    try:
        with _no_deep_copies():
            _original(self, transact_items)
    except Exception:
        for snapshot in before:
            snapshot.put_back(self)
        raise


class _Before:
    """The rows, before a transaction, of the partitions of a table that it writes to."""

    def __init__(self, table: Table, keys: list[DynamoType]) -> None:
        self._table = table
        self._streamed = len(table.stream_shard.items) if table.stream_shard else 0
        self._partitions: dict[Any, Any] = {}
        for hash_value in keys:
            if hash_value not in table.items:
                self._partitions.setdefault(hash_value, None)
                continue
            items = table.items[hash_value]
            # A shallow copy is enough: rows are replaced, never changed.
            copied = dict(items) if isinstance(items, dict) else items
            self._partitions.setdefault(hash_value, copied)

    def put_back(self, backend: DynamoDBBackend) -> None:
        for hash_value, items in self._partitions.items():
            if items is None:
                self._table.items.pop(hash_value, None)
            else:
                self._table.items[hash_value] = items
        if self._table.stream_shard:
            del self._table.stream_shard.items[self._streamed :]
        backend.tables[self._table.name] = self._table


def _touched(
    backend: DynamoDBBackend, transact_items: list[dict[str, Any]]
) -> list[tuple[Table, list[DynamoType]]]:
    """Returns the tables that the transaction writes to, each with the partition keys."""
    found: dict[str, tuple[Table, list[DynamoType]]] = {}
    for item in transact_items:
        operation = next(iter(item.values()))
        table = backend.tables.get(operation.get("TableName"))
        attributes = operation.get("Key") or operation.get("Item", {})
        if table is not None and table.hash_key_attr in attributes:
            partition = DynamoType(attributes[table.hash_key_attr])
            found.setdefault(table.name, (table, []))[1].append(partition)
    return list(found.values())


@contextmanager
def _no_deep_copies() -> Iterator[None]:
    Table.__deepcopy__ = lambda table, _memo: table  # type: ignore[attr-defined]
    try:
        yield
    finally:
        del Table.__deepcopy__  # type: ignore[attr-defined]
