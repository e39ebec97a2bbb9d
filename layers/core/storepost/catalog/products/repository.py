"""Reads and writes products: the product's own row, and a row or more for each source's layer."""

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import batched
from uuid import UUID

from storepost.catalog.products.keys import layer_key, product_key
from storepost.catalog.products.model import LayerMark, Product
from storepost.catalog.products.packing import layer_of
from storepost.catalog.products.records import Layer
from storepost.catalog.products.rows import (
    DeletedProductItem,
    LayerItem,
    ProductItem,
    as_product,
    layer_marks,
    product_attributes,
)
from storepost.catalog.products.staged import staged_in, take, unlisted
from storepost.platform.persistence.changes import Changes, LostRace
from storepost.platform.persistence.item import Item, Key, find_in
from storepost.platform.persistence.reads import ReadAhead, Reads, UnitRepository
from storepost.values import clock
from storepost.values.scope import WorkspaceScope

DELETION_STORED_FOR = timedelta(days=30)
"""How long a tombstone is kept: longer than a webhook or an import is on its way."""

MAX_BYTES_WITHIN = 600
"""Bytes of a layer in the product's row: both together then mostly take one kilobyte."""

_AT_ONCE = 1000


class ProductRepository(UnitRepository):
    """A workspace's products."""

    def __init__(self, workspace: WorkspaceScope, reads: Reads | None = None) -> None:
        """Makes the repository of one workspace; `reads` is a unit of work's own."""
        super().__init__(workspace, reads)
        self._read: dict[UUID, ProductItem] = {}
        self._deleted: dict[UUID, DeletedProductItem] = {}
        self._unlisted: dict[UUID, ProductItem] = {}
        """Rows that a load staged and hasn't listed: these products don't exist."""

    def get(self, product: UUID) -> Product | None:
        """Returns the product, or None."""
        item = self._reads.find(Item, product_key(self._scope, product))
        if isinstance(item, DeletedProductItem):
            self._deleted[product] = item
        if not isinstance(item, ProductItem) or not self._listed([item]):
            return None
        self._read[product] = item
        return as_product(item)

    def deleted_at(self, product: UUID) -> datetime | None:
        """Returns when its store deleted a product that was read here and doesn't exist."""
        item = self._deleted.get(product)
        return item.at if item else None

    def tombstone(self, changes: Changes, product: UUID, at: datetime) -> None:
        """Writes when its store deleted it, if the product still has no row, as read here."""
        item = self._deleted.get(product)
        if item is None:
            item = DeletedProductItem(*product_key(self._scope, product), at=at)
            self._take_unlisted(changes, product, item)
        item.at = max(item.at, at)
        item.expiration = clock.now() + DELETION_STORED_FOR
        changes.save(item)

    def delete_unlisted(self, changes: Changes, product: UUID, source: UUID) -> None:
        """Deletes the row of a product that was read here, if the source's load only staged it."""
        row = self._unlisted.get(product)
        staged = staged_in(row) if row else None
        if row is None or staged is None or source not in (layers := as_product(row).layers):
            return
        changes.delete(row)
        for key in self._keys(product, layers[source]):
            changes.delete(LayerItem(*key))
        take(changes, self._scope, staged)

    def get_many(self, products: Iterable[UUID], *, are_listed: bool = False) -> list[Product]:
        """Returns the products that exist, in the order of the ids; reads a thousand at a time.

        For products that list entries name (`are_listed`), it doesn't read how far loads are
        listed.
        """
        return list(self._many(products, are_listed=are_listed))

    def layers(self, product: Product) -> dict[UUID, Layer]:
        """Returns what each source says of the product."""
        return self.layers_of([product])[product.id]

    def layers_of(self, products: Iterable[Product]) -> dict[UUID, dict[UUID, Layer]]:
        """Returns what each source says of each product; reads a hundred rows a call."""
        ids = list(products)
        keys = {
            (p.id, mark.source): self._keys(p.id, mark) for p in ids for mark in _layer_marks(p)
        }
        rows = self._reads.find_all(key for some in keys.values() for key in some)
        layers: dict[UUID, dict[UUID, Layer]] = {product.id: {} for product in ids}
        for (product, source), some in keys.items():
            parts = [find_in(rows, LayerItem, key) for key in some]
            contents = [part.content for part in parts if part] if some else self._within(product)
            layers[product][source] = _put_together(source, contents)
        return layers

    def _within(self, product: UUID) -> list[bytes]:
        """Returns the content of the layer in the product's row."""
        row = self._read.get(product) or self._reads.find(Item, product_key(self._scope, product))
        return [row.layer] if isinstance(row, ProductItem) and row.layer else []

    def save(
        self,
        changes: Changes,
        before: Product | None,
        after: Product,
        written: Mapping[UUID, list[bytes]],
    ) -> None:
        """Writes the product and its changed layers, if nobody changed it since it was read here.

        `written` has the contents of those layers; `after` says how many rows each gets.
        """
        item = self._read.get(after.id) or self._new(changes, after.id)
        for name, value in product_attributes(after).items():
            setattr(item, name, value)
        for source, parts in written.items():
            known = before.layers.get(source) if before else None
            self._save_layer(changes, item, known, after.layers[source], parts)
        changes.save(item)

    def _save_layer(
        self,
        changes: Changes,
        item: ProductItem,
        before: LayerMark | None,
        after: LayerMark,
        parts: Sequence[bytes],
    ) -> None:
        """Writes the rows of a changed layer, or puts it into the product's row."""
        if not after.rows:
            [item.layer] = parts
        elif before and not before.rows:
            item.layer = None
        for number, content in enumerate(parts[: after.rows]):
            key = layer_key(self._scope, item.id, after.source, number)
            changes.save(LayerItem(*key, content=content))
        for number in range(after.rows, before.rows if before else 0):
            changes.delete(LayerItem(*layer_key(self._scope, item.id, after.source, number)))

    def _new(self, changes: Changes, product: UUID) -> ProductItem:
        """Returns a row for the product, in place of a tombstone or of a load's unlisted row."""
        item = ProductItem(*product_key(self._scope, product))
        self._take_unlisted(changes, product, item)
        if (deleted := self._deleted.get(product)) is not None:
            item.version = deleted.version
        return item

    def _take_unlisted(
        self, changes: Changes, product: UUID, item: ProductItem | DeletedProductItem
    ) -> None:
        """Lets a new row replace the one that a load staged, if there is one."""
        row = self._unlisted.get(product)
        staged = staged_in(row) if row else None
        if row and staged:
            item.version = row.version
            take(changes, self._scope, staged)

    def _listed(self, rows: Sequence[ProductItem]) -> list[ProductItem]:
        """Returns those of the rows that are products: rows of no load, or listed by their load."""
        staged = {row.id: mark for row in rows if (mark := staged_in(row))}
        out = unlisted(self._scope, staged.values(), self._reads.find_all)
        self._unlisted |= {row.id: row for row in rows if staged.get(row.id) in out}
        return [row for row in rows if staged.get(row.id) not in out]

    def _many(self, products: Iterable[UUID], *, are_listed: bool) -> Iterator[Product]:
        for some in batched(products, _AT_ONCE, strict=False):
            keys = [product_key(self._scope, each) for each in some]
            rows = self._reads.find_all(keys)
            found = [row for key in keys if isinstance(row := rows.get(key), ProductItem)]
            for item in found if are_listed else self._listed(found):
                self._read[item.id] = item
                yield as_product(item)

    def _keys(self, product: UUID, mark: LayerMark) -> list[Key]:
        return [layer_key(self._scope, product, mark.source, n) for n in range(mark.rows)]


def rows_of(mark: LayerMark | None, parts: Sequence[bytes]) -> int:
    """Returns how many rows of its own a layer with these parts gets; `mark` is its former mark.

    A layer in the product's row stays there while it is small.
    """
    return 0 if mark and not mark.rows and may_stand_within(parts) else len(parts)


def may_stand_within(parts: Sequence[bytes]) -> bool:
    """Returns whether a layer of these parts is small enough for the product's row."""
    return sum(map(len, parts)) <= MAX_BYTES_WITHIN


def _put_together(source: UUID, contents: Sequence[bytes]) -> Layer:
    """Returns the layer. Raises LostRace if another writer wrote it between the reads."""
    try:
        return layer_of(source, contents)
    except (zlib.error, ValueError) as error:
        raise LostRace from error


def keys_behind(workspace: WorkspaceScope, products: Iterable[UUID], reads: ReadAhead) -> list[Key]:
    """Returns the keys of the rows to read next, once `keys_of` are read."""
    keys = [product_key(workspace, each) for each in products]
    rows = [row for row in reads.find_all(keys).values() if isinstance(row, ProductItem)]
    return [
        layer_key(workspace, row.id, mark.source, number)
        for row in rows
        for mark in layer_marks(row)
        for number in range(mark.rows)
    ]


def _layer_marks(product: Product) -> Iterable[LayerMark]:
    return product.layers.values()
