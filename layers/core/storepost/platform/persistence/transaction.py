"""One transaction as DynamoDB takes it: the order of its parts, its size, and why it failed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any
from uuid import uuid4

from pynamodb.exceptions import TransactWriteError
from pynamodb.transactions import TransactWrite

from storepost.platform.persistence.client import CONFLICT
from storepost.platform.persistence.item import Key, connection
from storepost.platform.persistence.patience import giving_way, pause
from storepost.platform.persistence.pynamodb_private import puts_of
from storepost.values.problems import PayloadTooLarge

MAX_ITEMS = 89
"""How many items a unit may write; with those that are added, such as a kept answer, 90.

DynamoDB takes 100. The rest is reserved for what every transaction may need one day.
"""

MAX_BYTES = 3_900_000
"""The size of a unit's rows together: DynamoDB takes 4 MB, and further rows are added to a unit."""
MAX_OF_ANY_SIZE = 9
"""So many rows are below `MAX_BYTES` in any case, as each has 400 KB at most."""

# Part of DynamoDB's messages for a row that is put and for one that is updated.
_TOO_LARGE = "tem size"


class TooManyWrites(ValueError):  # noqa: N818 - as LostRace
    """The unit has more writes than a transaction takes: halve what it does at once."""


class Order(IntEnum):
    """The order in which PynamoDB sends a transaction's parts, which its reasons follow."""

    CHECK = 0
    DELETE = 1
    PUT = 2
    UPDATE = 3


@dataclass(frozen=True)
class Write:
    """One part of a transaction, and the problem to raise if its condition fails."""

    order: Order
    key: Key
    add_to: Callable[[TransactWrite], None]
    on_conflict: Exception


@dataclass(frozen=True)
class OtherWay:
    """What to do if another transaction has one of these rows, or any row if `keys` is None."""

    keys: frozenset[Key] | None
    take: Callable[[], None]


def send(writes: Mapping[Any, Write], other_ways: list[OtherWay]) -> None:
    """Sends a transaction, and again where another one has rows that have another way.

    Taking another way may change the writes. Raises as `transact` does, and Busy.
    """
    tries = 0
    while other_ways:
        in_order = _in_order(writes)
        try:
            with giving_way():
                return transact(in_order)
        except TransactWriteError as error:
            keys = _contended(error, in_order)
            if not keys:
                raise
        if not _take(other_ways, keys):
            tries += 1
            pause(tries)
    if writes:
        transact(_in_order(writes))


def _in_order(writes: Mapping[Any, Write]) -> list[Write]:
    return sorted(writes.values(), key=lambda write: write.order)


def _take(other_ways: list[OtherWay], keys: frozenset[Key]) -> bool:
    """Takes the other way of each of those rows that has one; returns whether any has."""
    chosen = [way for way in other_ways if way.keys is None or way.keys & keys]
    for way in chosen:
        other_ways.remove(way)
        way.take()
    return bool(chosen)


def transact(writes: list[Write]) -> None:
    """Writes all of the writes, which are in their order, or none.

    Raises the problem of the first one whose condition failed, TooManyWrites, PayloadTooLarge, or
    DynamoDB's error.
    """
    if len(writes) > MAX_ITEMS + 1:
        raise TooManyWrites(f"a transaction of {len(writes)} items")
    try:
        _send(writes)
    except TransactWriteError as error:
        _raise_conflict(error, writes)
        raise


def _send(writes: list[Write]) -> None:
    # The client retries where it must: because of the token nothing is written twice.
    token = uuid4().hex
    with TransactWrite(connection=connection, client_request_token=token) as transaction:
        for write in writes:
            write.add_to(transaction)
        _check_size(transaction, len(writes))


def _check_size(transaction: TransactWrite, items: int) -> None:
    """Raises TooManyWrites where all items together are larger than DynamoDB takes."""
    if items <= MAX_OF_ANY_SIZE:
        return
    # Nearly all transactions are far below: a character of the text is four bytes at most.
    if sum(len(repr(put["Item"])) for put in puts_of(transaction)) * 4 <= MAX_BYTES:
        return
    size = sum(_bytes(put["Item"]) for put in puts_of(transaction))
    if size > MAX_BYTES:
        raise TooManyWrites(f"a transaction of {size} bytes")


def _bytes(row: Mapping[str, Any]) -> int:
    """Returns about the bytes that DynamoDB counts for a row: names and values, in UTF-8."""
    size = 0
    for name, typed in row.items():
        for value in typed.values():
            # Nearly all values are texts and binaries, and a transaction has hundreds.
            if isinstance(value, bytes) or (isinstance(value, str) and value.isascii()):
                size += len(name) + len(value)
            else:
                size += len(name) + _bytes_of(value)
    return size


def _bytes_of(value: Any) -> int:  # noqa: ANN401 - DynamoDB's JSON
    match value:
        case str():
            return len(value) if value.isascii() else len(value.encode())
        case bytes():
            return len(value)
        case dict():
            return sum(len(name) + _bytes_of(inner) for name, inner in value.items())
        case list():
            return sum(map(_bytes_of, value))
    return 1


def _raise_conflict(error: TransactWriteError, writes: list[Write]) -> None:
    for write, reason in zip(writes, error.cancellation_reasons, strict=False):
        if reason and reason.code == "ConditionalCheckFailed":
            raise write.on_conflict from error
    reasons = [error.cause_response_message, *(r.message for r in error.cancellation_reasons if r)]
    if any(_TOO_LARGE in (text or "") for text in reasons):
        text = "This would make a record of more than 400 KB. Send shorter texts, or fewer entries."
        raise PayloadTooLarge(text) from error


def _contended(error: TransactWriteError, writes: list[Write]) -> frozenset[Key]:
    """Returns the rows that another transaction has; none if it failed for another reason."""
    reasons = zip(writes, error.cancellation_reasons, strict=False)
    return frozenset(write.key for write, r in reasons if r and r.code == CONFLICT)
