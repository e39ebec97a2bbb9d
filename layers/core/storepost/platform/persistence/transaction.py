"""One transaction as DynamoDB takes it: its parts in order, its size, and why it is refused."""

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
"""What a unit may write by itself; with what is added to it, such as a kept answer, 90 items.

DynamoDB takes 100. The rest is for what may come to every transaction one day.
"""

MAX_BYTES = 3_900_000
"""Of a unit's rows together: DynamoDB takes 4 MB, and what is added to a unit comes to them."""
MAX_OF_ANY_SIZE = 9
"""So many rows are below that whatever their size, which is 400 KB at most each."""

# DynamoDB's own words, for a row that is put and for one that is updated.
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
    """One part of a transaction, and the problem that it means if its condition fails."""

    order: Order
    key: Key
    add_to: Callable[[TransactWrite], None]
    on_conflict: Exception


@dataclass(frozen=True)
class OtherWay:
    """What is done where another transaction has one of these rows, or any."""

    keys: frozenset[Key] | None
    take: Callable[[], None]


def send(writes: Mapping[Any, Write], other_ways: list[OtherWay]) -> None:
    """Sends a transaction, and again where another one has rows that can be done without.

    Whatever takes another way may change the writes. Raises as `transact` does, and Busy.
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
    """Takes the other way of each of those rows that has one; whether any has."""
    chosen = [way for way in other_ways if way.keys is None or way.keys & keys]
    for way in chosen:
        other_ways.remove(way)
        way.take()
    return bool(chosen)


def transact(writes: list[Write]) -> None:
    """Writes all of them, which are in their order, or none.

    Raises the problem of the first one whose condition failed, TooManyWrites, PayloadTooLarge, or
    what DynamoDB refused it for.
    """
    if len(writes) > MAX_ITEMS + 1:
        raise TooManyWrites(f"a transaction of {len(writes)} items")
    try:
        _send(writes)
    except TransactWriteError as error:
        _raise_conflict(error, writes)
        raise


def _send(writes: list[Write]) -> None:
    # The client sends it again where it must: by its token it isn't written twice.
    token = uuid4().hex
    with TransactWrite(connection=connection, client_request_token=token) as transaction:
        for write in writes:
            write.add_to(transaction)
        _check_size(transaction, len(writes))


def _check_size(transaction: TransactWrite, items: int) -> None:
    """Raises TooManyWrites where all items together are more than DynamoDB takes."""
    if items <= MAX_OF_ANY_SIZE:
        return
    # Nearly no transaction is anywhere near: of its text each character is four bytes at most.
    if sum(len(repr(put["Item"])) for put in puts_of(transaction)) * 4 <= MAX_BYTES:
        return
    size = sum(_bytes(put["Item"]) for put in puts_of(transaction))
    if size > MAX_BYTES:
        raise TooManyWrites(f"a transaction of {size} bytes")


def _bytes(row: Mapping[str, Any]) -> int:
    """About what DynamoDB counts of a row: names and values, in UTF-8."""
    size = 0
    for name, typed in row.items():
        for value in typed.values():
            # Nearly all are texts and binaries, of which a transaction has hundreds.
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
    """The rows that another transaction had; none where it failed for another reason."""
    reasons = zip(writes, error.cancellation_reasons, strict=False)
    return frozenset(write.key for write, r in reasons if r and r.code == CONFLICT)
