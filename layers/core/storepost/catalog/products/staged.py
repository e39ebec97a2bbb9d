"""Products that a load has staged and lists don't have yet: rows are written first, then lists.

A staged row names its load and its place in the load. It is a product once the load's own row says
that the load is listed up to there, which the transaction with the pages of all lists writes. Until
then readers skip the row. A writer of such a product writes it as a new one, in the row's place,
and records in the load's row, in the same transaction, that a row was taken; the load lists nothing
if that happened since it began. A row stays marked as staged until it is written again.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import batched
from typing import NamedTuple
from uuid import UUID

from storepost.catalog.products.keys import layer_key, load_key, product_key, staged_partition
from storepost.catalog.products.rows import ProductItem, ProductLoadItem, StagedProductsItem
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Item, Key, Raw, find_all, find_in, find_raw
from storepost.values.ids import SHORT_LENGTH, from_short, short
from storepost.values.scope import WorkspaceScope

_UUID_BYTES = 16


class Staged(NamedTuple):
    """The load of a row, and the row's place among the load's products, from 1."""

    store_id: UUID
    load: UUID
    place: int

    @property
    def text(self) -> str:
        """Returns the value of the row's attribute."""
        return f"{short(self.load)}{self.place}"


def staged_in(row: ProductItem) -> Staged | None:
    """Returns where a product's row was staged; None if it was written with its list entries."""
    return _parsed(row.store_id, row.staged) if row.staged else None


def staged_in_raw(row: Raw) -> Staged | None:
    """Returns the same for a row in DynamoDB's notation, which has both attributes."""
    if "staged" not in row:
        return None
    return _parsed(UUID(row["store_id"]["S"]), row["staged"]["S"])


def _parsed(store_id: UUID, text: str) -> Staged:
    return Staged(store_id, from_short(text[:SHORT_LENGTH]), int(text[SHORT_LENGTH:]))


def unlisted(
    workspace: WorkspaceScope,
    staged: Iterable[Staged],
    read: Callable[[Iterable[Key]], Mapping[Key, Item]] = find_all,
) -> set[Staged]:
    """Returns those that no list has yet: such products don't exist. Reads one row a load."""
    keys = {each: load_key(workspace, each.store_id, each.load) for each in staged}
    rows = dict(read(dict.fromkeys(keys.values()))) if keys else {}
    loads = {key: find_in(rows, ProductLoadItem, key) for key in keys.values()}
    return {each for each, key in keys.items() if each.place > _listed(loads[key])}


def without_unlisted(workspace: WorkspaceScope, rows: Mapping[Key, Item]) -> dict[Key, Item]:
    """Returns the rows without those of products that no list has yet."""
    products = {key: row for key, row in rows.items() if isinstance(row, ProductItem)}
    staged = {key: mark for key, row in products.items() if (mark := staged_in(row))}
    out = unlisted(workspace, staged.values())
    return {key: row for key, row in rows.items() if staged.get(key) not in out}


def take(changes: Changes, workspace: WorkspaceScope, staged: Staged) -> None:
    """Adds that the unit, which writes a staged row, takes it from its load.

    This is a lost race if the load has listed the row by now.
    """
    key = load_key(workspace, staged.store_id, staged.load)

    def begin() -> list[int]:
        places: list[int] = []
        changes.before_commit(lambda: _take(changes, key, min(places)), lambda: 1)
        return places

    changes.shared(("product_load", key), begin).append(staged.place)


def _take(changes: Changes, key: Key, first: int) -> None:
    """Takes all rows of a unit: if the first is listed, all are refused and decided on again."""
    row = ProductLoadItem(*key)
    changes.update(row, [ProductLoadItem.taken.add(1)], ProductLoadItem.listed < first)


def _listed(row: ProductLoadItem | None) -> int:
    return int(row.listed) if row else 0


def staged_products(
    workspace: WorkspaceScope, store_id: UUID, limit: int
) -> list[tuple[Key, list[UUID]]]:
    """Returns the rows that lead to what a store's loads staged, listed or not, with the products.

    It leaves out products that have no row any more.
    """
    rows = StagedProductsItem.rows_in(staged_partition(workspace, store_id), limit=limit)
    return [(row.key, _stored(workspace, row)) for row in rows]


def _stored(workspace: WorkspaceScope, row: StagedProductsItem) -> list[UUID]:
    ids = [UUID(bytes=bytes(each)) for each in batched(row.ids, _UUID_BYTES, strict=True)]
    keys = {
        key: each
        for each in ids
        for key in (product_key(workspace, each), layer_key(workspace, each, row.source, 0))
    }
    return list(dict.fromkeys(keys[key] for key in find_raw(keys, attributes=("kind",))))
