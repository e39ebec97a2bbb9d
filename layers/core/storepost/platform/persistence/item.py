"""The one table's base model, its connection, and reads that wait where DynamoDB throttles."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from enum import Enum
from itertools import batched, islice
from typing import Any, Self, cast
from uuid import UUID

from pynamodb.attributes import Attribute, TTLAttribute, UnicodeAttribute, VersionAttribute
from pynamodb.connection import Connection
from pynamodb.constants import STRING
from pynamodb.exceptions import DeleteError, DoesNotExist, UpdateError
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from storepost.platform.persistence.client import CALLS_IN_FLIGHT, make_client
from storepost.platform.persistence.patience import pause, with_patience
from storepost.platform.persistence.pynamodb_private import connection_of
from storepost.platform.persistence.row import Row
from storepost.platform.persistence.unknown import KindAttribute
from storepost.values import clock
from storepost.values.settings import settings

type Key = tuple[str, str]
type Raw = Mapping[str, Any]
"""A row, or some of its attributes, in DynamoDB's own notation."""

BATCH_GET_KEYS = 100
_CONDITION_FAILED = "ConditionalCheckFailedException"
_BUSY = "TransactionConflictException"
_AT_ONCE = 8


class UtcDateTimeAttribute(Attribute[datetime]):
    """A moment as text that sorts by time, as in answers."""

    attr_type = STRING

    def serialize(self, value: datetime) -> str:
        """Returns 24 characters: UTC, with milliseconds."""
        return clock.to_text(value)

    def deserialize(self, value: str) -> datetime:
        """Returns what `serialize` wrote."""
        return clock.from_text(value)


class Identifier(Attribute[UUID]):
    """An id as in answers."""

    attr_type = STRING

    def serialize(self, value: UUID) -> str:
        """Returns 36 characters."""
        return str(value)

    def deserialize(self, value: str) -> UUID:
        """Returns what `serialize` wrote."""
        return UUID(value)


class UnknownKind(Exception):  # noqa: N818 - it is what was found
    """The key's row is of a kind of another release."""


class Item(Row):
    """A row of the one table; every slice's rows derive from it and are distinguished by `kind`."""

    class Meta:
        """One table, one region, named by the template."""

        table_name = settings().table
        region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
        connect_timeout_seconds = 1
        read_timeout_seconds = 3
        # The client retries by itself, for as long as the request has time.
        max_retry_attempts = 0
        # Beyond this number, a connection is made for one call and closed.
        max_pool_connections = CALLS_IN_FLIGHT

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)
    kind = KindAttribute()
    expiration = TTLAttribute(null=True)
    """When DynamoDB may delete the row; it can still be read for days, so code checks the time."""

    @property
    def key(self) -> Key:
        """Returns the row's partition and sort key."""
        values = self.attribute_values
        return (values["pk"], values["sk"])

    @classmethod
    def rows_in(
        cls,
        partition: str,
        prefix: str = "",
        *,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> Iterator[Self]:
        """Returns the partition's rows of this kind, strongly consistent, by their sort keys.

        These begin with the prefix. `limit` is how many rows DynamoDB reads at the most.
        """
        return cls.query(
            partition,
            cls.sk.startswith(prefix) if prefix else None,
            consistent_read=True,
            scan_index_forward=not newest_first,
            limit=limit,
        )

    @classmethod
    def rows_before(cls, partition: str, sort_key: str, limit: int | None = None) -> Iterator[Self]:
        """Returns what `rows_in` does, of the rows with lesser sort keys: those that are due."""
        return cls.query(partition, cls.sk < sort_key, consistent_read=True, limit=limit)

    @classmethod
    def from_raw_data(cls, data: dict[str, Any]) -> Self:
        """Returns the row, or an UnknownItem if `cls` allows one. Raises UnknownKind."""
        if not (KIND.is_known(data["kind"]["S"]) or issubclass(UnknownItem, cls)):
            raise UnknownKind(data["kind"]["S"])
        return super().from_raw_data(data)

    @classmethod
    def model_of(cls, raw: Mapping[str, Any]) -> type[Row]:
        """Returns the model of what is stored."""
        return KIND.deserialize(raw["kind"]["S"])


class UnknownItem(Item):
    """A row of a kind that this release doesn't know; it is left as it is."""


KIND = cast("KindAttribute", Item.get_attributes()["kind"])
KIND.unknown = UnknownItem


class VersionedItem(Item):
    """A row that is read, changed and saved: PynamoDB refuses to overwrite another writer's change.

    A new row is saved on the condition that there is none yet.
    """

    version = VersionAttribute()


# Made here, before any subclass can make a connection of its own: there is one client for all.
connection: Connection = connection_of(Item)
make_client(connection)


def dynamodb_client() -> Any:  # noqa: ANN401 - botocore's clients have no static type
    """Returns the one botocore client behind PynamoDB."""
    return connection.client


def key_of(row: Raw) -> Key:
    """Returns the key of a row in DynamoDB's own notation."""
    return row["pk"]["S"], row["sk"]["S"]


def find[T: Item](model: type[T], key: Key) -> T | None:
    """Returns the row, strongly consistent, or None."""
    try:
        return model.get(*key, consistent_read=True)
    except (DoesNotExist, UnknownKind):
        return None


def find_all(keys: Iterable[Key]) -> dict[Key, Item]:
    """Returns the rows that exist, strongly consistent, by key."""
    return {key: Item.from_raw_data(raw) for key, raw in find_raw(keys).items()}


def find_recent(keys: Iterable[Key]) -> dict[Key, Item]:
    """Returns what `find_all` does, eventually consistent: half as dear, a second late at most."""
    found = find_raw(keys, consistent=False)
    return {key: Item.from_raw_data(raw) for key, raw in found.items()}


def find_raw(
    keys: Iterable[Key], *, consistent: bool = True, attributes: Sequence[str] | None = None
) -> dict[Key, Any]:
    """Returns what `find_all` does in DynamoDB's notation: `pk`, `sk` and these attributes, or all.

    PynamoDB's own batch get retries unprocessed keys without a pause; this one waits.
    """
    found: dict[Key, Any] = {}
    waiting = list(dict.fromkeys(keys))
    tries = 0
    while waiting:
        batch, waiting = waiting[:BATCH_GET_KEYS], waiting[BATCH_GET_KEYS:]
        response = connection.batch_get_item(
            Item.Meta.table_name,
            cast("Any", [{"pk": {"S": pk}, "sk": {"S": sk}} for pk, sk in batch]),
            consistent_read=consistent,
            attributes_to_get=["pk", "sk", *attributes] if attributes else None,
        )
        for raw in response["Responses"].get(Item.Meta.table_name, []):
            found[key_of(raw)] = raw
        unprocessed = (
            response.get("UnprocessedKeys", {}).get(Item.Meta.table_name, {}).get("Keys", [])
        )
        if unprocessed:
            # A large response may be cut: only a call that returns nothing counts as a failed
            # attempt.
            tries = tries + 1 if len(unprocessed) == len(batch) else 1
            pause(tries)
            waiting += map(key_of, unprocessed)
    return found


def all_exist(model: type[Item], keys: Iterable[Key]) -> bool:
    """Returns whether each of the keys has a row of that model, however many keys there are.

    The first batch is read alone, as it most often decides. The others are read several at once,
    until one of them has a key without such a row.
    """
    kind = Item.kind.get_discriminator(model)

    def holds(some: Sequence[Key]) -> bool:
        found = find_raw(some)
        return len(found) == len(some) and all(r["kind"]["S"] == kind for r in found.values())

    batches = batched(dict.fromkeys(keys), BATCH_GET_KEYS, strict=False)
    if not holds(next(batches, ())):
        return False
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        while some := list(islice(batches, _AT_ONCE)):
            if not all(threads.map(with_patience(holds), some)):
                return False
    return True


def existing(model: type[Item], keys: Iterable[Key]) -> set[Key]:
    """Returns those of the keys that have a row of that model, however many keys there are.

    Several batches are read at once: a hundred thousand keys are a thousand of them.
    """
    kind = Item.kind.get_discriminator(model)

    def look(some: Sequence[Key]) -> set[Key]:
        return {key for key, raw in find_raw(some).items() if raw["kind"]["S"] == kind}

    with ThreadPoolExecutor(_AT_ONCE) as threads:
        batches = batched(dict.fromkeys(keys), BATCH_GET_KEYS, strict=False)
        return set[Key]().union(*threads.map(with_patience(look), batches))


def note(item: Item, actions: list[Action]) -> bool:
    """Updates a row outside of the request's transaction; returns whether the row is still there.

    If another transaction has the row, the update is skipped: such updates recur.
    """
    return _update(item, actions, Item.pk.exists()) is not _Update.REFUSED


def amend(item: Item, actions: list[Action], condition: Condition) -> bool:
    """Updates one row if the condition holds; returns whether it held.

    It costs half as much as a transaction of one row, and waits for a transaction that has the row.
    An update whose response is lost is made twice: the second time its condition must fail, or the
    update must change nothing.
    """
    tries = 0
    while (done := _update(item, actions, condition)) is _Update.BUSY:
        tries += 1
        pause(tries)
    return done is _Update.DONE


def remove(item: Item, condition: Condition) -> bool:
    """Deletes one row if the condition holds; returns whether it held.

    It waits for a transaction that has the row.
    """
    tries = 0
    while True:
        try:
            item.delete(condition, add_version_condition=False)
        except DeleteError as error:
            if error.cause_response_code == _CONDITION_FAILED:
                return False
            if error.cause_response_code != _BUSY:
                raise
            tries += 1
            pause(tries)
        else:
            return True


class _Update(Enum):
    """What became of an update."""

    DONE = "done"
    REFUSED = "refused"
    BUSY = "busy"


def _update(item: Item, actions: list[Action], condition: Condition) -> _Update:
    if isinstance(item, VersionedItem):
        # PynamoDB sets version 1 if it knows none, instead of incrementing the row's own.
        item.version = 0
    try:
        # PynamoDB adds to the list of actions at every attempt.
        item.update(list(actions), condition, add_version_condition=False)
    except UpdateError as error:
        if error.cause_response_code not in {_CONDITION_FAILED, _BUSY}:
            raise
        return _Update.BUSY if error.cause_response_code == _BUSY else _Update.REFUSED
    return _Update.DONE


def keys_in(partition: str, limit: int) -> list[Key]:
    """Returns the keys of a partition's first rows of any kind, strongly consistent."""
    response = connection.query(
        Item.Meta.table_name,
        partition,
        attributes_to_get=["pk", "sk"],
        consistent_read=True,
        limit=limit,
    )
    return list(map(key_of, response["Items"]))


def raw_rows_in(partition: str, limit: int, attributes: Sequence[str]) -> list[Raw] | None:
    """Returns these attributes of a partition's rows; None where it has more than `limit`.

    It reads at most `limit` + 1 rows.
    """
    found: list[Raw] = []
    start = None
    while len(found) <= limit:
        response = connection.query(
            Item.Meta.table_name,
            partition,
            attributes_to_get=list(attributes),
            consistent_read=True,
            exclusive_start_key=start,
            limit=limit + 1 - len(found),
        )
        found += response["Items"]
        start = response.get("LastEvaluatedKey")
        if start is None:
            break
    return found if len(found) <= limit else None


def keys_of_page(
    partition: str, prefix: str, skipped: int, size: int, *, newest_first: bool
) -> list[Key]:
    """Returns the keys of a page of rows with this sort key prefix; reads only keys before it.

    Callers must not ask for a page past the last row: DynamoDB takes no limit beyond 32 bits.
    """
    rows = Item.query(
        partition,
        Item.sk.startswith(prefix),
        consistent_read=True,
        scan_index_forward=not newest_first,
        limit=skipped + size,
        attributes_to_get=["pk", "sk", "kind"],
    )
    return [row.key for row in islice(rows, skipped, None)]


def find_in[T: Item](found: dict[Key, Item], model: type[T], key: Key) -> T | None:
    """Returns the row from the result of `find_all`, as its own model."""
    item = found.get(key)
    if isinstance(item, UnknownItem):
        return None
    if item is not None and not isinstance(item, model):
        raise TypeError(f"{key[1].split('#')[0]} holds a {type(item).__name__}")
    return item
