"""Products as they are kept: the product's own row, and a row or more for each source's layer."""

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import batched
from uuid import UUID

from storepost.persistence.changes import Changes, LostRace
from storepost.persistence.item import Key, find_in
from storepost.persistence.reads import ReadAhead, Reads
from storepost.products.keys import layer_key, product_key
from storepost.products.model import LayerMark, Product
from storepost.products.packing import layer_of
from storepost.products.records import Layer
from storepost.products.rows import LayerItem, ProductItem, as_product, product_attributes
from storepost.scope import WorkspaceScope

_AT_ONCE = 1000


class ProductRepository:
    """A workspace's products."""

    def __init__(self, workspace: WorkspaceScope, reads: Reads | None = None) -> None:
        """Of one workspace; `reads` is a unit of work's own."""
        self._scope = workspace
        self._reads = reads or Reads()
        self._read: dict[UUID, ProductItem] = {}

    def get(self, product: UUID) -> Product | None:
        """The product, or None."""
        item = self._reads.find(ProductItem, product_key(self._scope, product))
        if item is None:
            return None
        self._read[product] = item
        return as_product(item)

    def get_many(self, products: Iterable[UUID]) -> list[Product]:
        """Those of the products that there are, in the order of the ids; a thousand at a time."""
        return list(self._many(products))

    def layers(self, product: Product) -> dict[UUID, Layer]:
        """What each source says of the product."""
        return self.layers_of([product])[product.id]

    def layers_of(self, products: Iterable[Product]) -> dict[UUID, dict[UUID, Layer]]:
        """What each source says of each product; a hundred rows a call."""
        wanted = list(products)
        keys = {(p.id, mark.source): self._keys(p.id, mark) for p in wanted for mark in _marks(p)}
        rows = self._reads.find_all(key for some in keys.values() for key in some)
        layers: dict[UUID, dict[UUID, Layer]] = {product.id: {} for product in wanted}
        for (product, source), some in keys.items():
            parts = [find_in(rows, LayerItem, key) for key in some]
            layers[product][source] = _put_together(source, parts)
        return layers

    def save(
        self,
        changes: Changes,
        before: Product | None,
        after: Product,
        written: Mapping[UUID, list[bytes]],
    ) -> None:
        """Writes the product if nobody changed it since it was read here, with changed layers."""
        item = self._read.get(after.id) or ProductItem(*product_key(self._scope, after.id))
        for name, value in product_attributes(after).items():
            setattr(item, name, value)
        changes.save(item)
        for source, parts in written.items():
            held = before.layers.get(source) if before else None
            for number, content in enumerate(parts):
                changes.save(
                    LayerItem(*layer_key(self._scope, after.id, source, number), content=content)
                )
            for number in range(len(parts), held.rows if held else 0):
                changes.delete(LayerItem(*layer_key(self._scope, after.id, source, number)))

    def _many(self, products: Iterable[UUID]) -> Iterator[Product]:
        for some in batched(products, _AT_ONCE, strict=False):
            keys = [product_key(self._scope, each) for each in some]
            rows = self._reads.find_all(keys)
            for key in keys:
                item = find_in(rows, ProductItem, key)
                if item is not None:
                    self._read[item.id] = item
                    yield as_product(item)

    def _keys(self, product: UUID, mark: LayerMark) -> list[Key]:
        return [layer_key(self._scope, product, mark.source, n) for n in range(mark.rows)]


def _put_together(source: UUID, parts: Sequence[LayerItem | None]) -> Layer:
    """The layer of these rows. Raises LostRace where a writer came between the reads."""
    try:
        return layer_of(source, [part.content for part in parts if part])
    except (zlib.error, ValueError) as error:
        raise LostRace from error


def keys_behind(workspace: WorkspaceScope, products: Iterable[UUID], reads: ReadAhead) -> list[Key]:
    """The layers' rows of products whose own rows are read ahead already."""
    keys = [product_key(workspace, each) for each in products]
    rows = (find_in(reads.find_all([key]), ProductItem, key) for key in keys)
    found = [as_product(row) for row in rows if row is not None]
    return [
        layer_key(workspace, product.id, mark.source, number)
        for product in found
        for mark in _marks(product)
        for number in range(mark.rows)
    ]


def _marks(product: Product) -> Iterable[LayerMark]:
    return product.layers.values()
