"""Rows of changes: each in a partition of its own, with the products that it changes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any
from uuid import UUID

from pynamodb.attributes import BinaryAttribute, BooleanAttribute, NumberAttribute, UnicodeAttribute

from storepost.catalog.priorities.model import (
    ChangedProduct,
    Counts,
    FieldChange,
    NewRules,
    PriorityChange,
    Walk,
)
from storepost.catalog.products.keys import store_partition
from storepost.catalog.products.packing import packed, unpacked
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import (
    Identifier,
    Item,
    Key,
    UtcDateTimeAttribute,
    VersionedItem,
    find,
    find_all,
    keys_in,
)
from storepost.platform.persistence.mapping import as_value, write_to
from storepost.platform.persistence.reads import Repository
from storepost.platform.persistence.records import Json, Record
from storepost.values.ids import from_short, short
from storepost.values.scope import WorkspaceScope

_PRODUCT = "product#"
_NAMED = "change#"


class PriorityChangeItem(VersionedItem, discriminator="priority_change"):
    """A change."""

    id = Identifier()
    store_id = Identifier()
    status = UnicodeAttribute()
    order = Json()
    fields = Json()
    created_at = UtcDateTimeAttribute()
    counts = Record("products", "previewed", "changed", "applied")
    after = UnicodeAttribute(null=True)
    began_at = UtcDateTimeAttribute(null=True)
    seen = NumberAttribute(null=True)
    revision = NumberAttribute(null=True)
    rounds = NumberAttribute(default=0)
    clears = BooleanAttribute(null=True)
    error = UnicodeAttribute(null=True)
    ready_at = UtcDateTimeAttribute(null=True)
    applied_at = UtcDateTimeAttribute(null=True)
    completed_at = UtcDateTimeAttribute(null=True)


class ChangedProductItem(Item, discriminator="priority_change_product"):
    """How a change alters one product."""

    content = BinaryAttribute(legacy_encoding=False)


class StoreChangesItem(VersionedItem, discriminator="priority_changes"):
    """Which change of a store is open, and which was the last."""

    open_id = Identifier(null=True)
    last_id = Identifier(null=True)


class NamedChangeItem(Item, discriminator="priority_change_name"):
    """Names a change that a store has or had, so that the removal of its workspace finds it."""


@dataclass(frozen=True)
class StoreChanges:
    """A store's changes."""

    open_id: UUID | None = None
    last_id: UUID | None = None


def change_partition(workspace: WorkspaceScope, change: UUID) -> str:
    """Returns the partition of a change."""
    return workspace.partition("priority_change", short(change))


def named_changes(workspace: WorkspaceScope, store_id: UUID) -> Iterator[UUID]:
    """Returns all changes that a store has or had."""
    rows = NamedChangeItem.rows_in(store_partition(workspace, store_id), _NAMED)
    return (from_short(row.sk.removeprefix(_NAMED)) for row in rows)


class ChangeRepository(Repository):
    """A workspace's changes."""

    def __init__(self, workspace: WorkspaceScope) -> None:
        """Makes the repository of one workspace."""
        super().__init__(workspace)
        self._read: dict[UUID, PriorityChangeItem] = {}
        self._stores: dict[UUID, StoreChangesItem] = {}

    def get(self, change: UUID) -> PriorityChange | None:
        """Returns the change, or None."""
        item = find(PriorityChangeItem, self._key(change))
        if item is None:
            return None
        self._read[change] = item
        return _as_change(item)

    def ended_before(self, change: PriorityChange) -> UUID | None:
        """Returns the store's latest other change that was applied, or failed."""
        ended = [
            (each.completed_at, each.id)
            for each in self.all_of_store(change.store_id)
            if each.completed_at is not None and each.id != change.id
        ]
        return max(ended, default=(None, None))[1]

    def all_of_store(self, store_id: UUID) -> list[PriorityChange]:
        """Returns the store's changes that weren't discarded, in no order."""
        keys = [self._key(each) for each in named_changes(self._scope, store_id)]
        rows = find_all(keys).values()
        return [_as_change(row) for row in rows if isinstance(row, PriorityChangeItem)]

    def of_store(self, store_id: UUID) -> StoreChanges:
        """Returns the ids of the open and the last change of the store."""
        item = find(StoreChangesItem, (store_partition(self._scope, store_id), "changes"))
        if item is None:
            return StoreChanges()
        self._stores[store_id] = item
        return StoreChanges(item.open_id, item.last_id)

    def save_of_store(self, changes: Changes, store_id: UUID, after: StoreChanges) -> None:
        """Writes which changes the store has, if nobody changed that since it was read here."""
        key = (store_partition(self._scope, store_id), "changes")
        item = self._stores.get(store_id) or StoreChangesItem(*key)
        item.open_id, item.last_id = after.open_id, after.last_id
        changes.save(item)

    def save(self, changes: Changes, change: PriorityChange) -> None:
        """Writes the change, if nobody changed it since it was read here."""
        item = self._read.get(change.id)
        if item is None:
            item = PriorityChangeItem(*self._key(change.id))
            place = (store_partition(self._scope, change.store_id), f"{_NAMED}{short(change.id)}")
            changes.create(NamedChangeItem(*place))
        _write_to(item, change)
        changes.save(item)

    def delete(self, changes: Changes, change: PriorityChange) -> None:
        """Deletes the change; the worker removes its products."""
        changes.delete(self._read[change.id])

    def put_product(self, changes: Changes, change: UUID, product: ChangedProduct) -> int:
        """Stores how the change alters a product; returns the bytes that it stores."""
        key, content = self._product_key(change, product.id), packed(_product_row(product))
        changes.save(ChangedProductItem(*key, content=content))
        return len(content)

    def drop_product(self, changes: Changes, change: UUID, product: UUID) -> None:
        """Deletes what is stored of a product, which the change no longer alters."""
        changes.delete(ChangedProductItem(*self._product_key(change, product)))

    def known_products(self, change: UUID, products: Iterable[UUID]) -> set[UUID]:
        """Returns those of the products that the change would change."""
        keys = {self._product_key(change, each): each for each in products}
        return {keys[key] for key in find_all(keys)}

    def products(self, change: UUID, limit: int | None = None) -> Iterator[ChangedProduct]:
        """Returns the products that the change would change, by id."""
        partition = change_partition(self._scope, change)
        rows = ChangedProductItem.rows_in(partition, _PRODUCT, limit=limit)
        return (_as_product(row) for row in islice(rows, limit))

    def some_products(self, change: UUID, limit: int) -> list[Key]:
        """Returns the keys of the first products that are stored for a change."""
        # The change's own row, if there is one, sorts before them.
        keys = keys_in(change_partition(self._scope, change), limit + 1)
        return [key for key in keys if key[1].startswith(_PRODUCT)][:limit]

    def _key(self, change: UUID) -> Key:
        return (change_partition(self._scope, change), "change")

    def _product_key(self, change: UUID, product: UUID) -> Key:
        return (change_partition(self._scope, change), f"{_PRODUCT}{short(product)}")


def _write_to(item: PriorityChangeItem, change: PriorityChange) -> None:
    counts, walk = change.counts, change.walk
    write_to(item, walk, clears=walk.clears or None)
    write_to(
        item,
        change,
        order=[short(each) for each in change.rules.order],
        fields={name: [short(i) for i in ids] for name, ids in change.rules.fields.items()},
        counts=[counts.products, counts.previewed, counts.changed, counts.applied],
    )


def _as_change(item: PriorityChangeItem) -> PriorityChange:
    fields = {name: tuple(map(from_short, ids)) for name, ids in item.fields.items()}
    return as_value(
        PriorityChange,
        item,
        rules=NewRules(tuple(map(from_short, item.order)), fields),
        counts=Counts(*item.counts),
        walk=as_value(Walk, item, clears=bool(item.clears)),
    )


def _product_row(product: ChangedProduct) -> list[object]:
    rows = [
        [
            change.locale,
            [str(change.variant[0]), change.variant[1]] if change.variant else None,
            change.field,
            *(_side(side) for side in (change.before, change.after)),
        ]
        for change in product.changes
    ]
    return [str(product.id), product.external_id, product.title, product.image, rows]


def _side(side: tuple[UUID | None, Any]) -> list[object]:
    return [str(side[0]) if side[0] else None, side[1]]


def _as_side(row: list[Any]) -> tuple[UUID | None, Any]:
    return (UUID(row[0]) if row[0] else None, row[1])


def _as_product(item: ChangedProductItem) -> ChangedProduct:
    identifier, external_id, title, image, rows, *_ = unpacked(item.content)
    changes = tuple(
        FieldChange(
            locale,
            (UUID(variant[0]), variant[1]) if variant else None,
            field,
            _as_side(before),
            _as_side(after),
        )
        for locale, variant, field, before, after, *_ in rows
    )
    return ChangedProduct(UUID(identifier), external_id, title, image, changes)
