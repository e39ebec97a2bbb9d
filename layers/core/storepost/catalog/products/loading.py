"""Loads many new products at once, as an import writes them: their lists are packed.

Their rows are staged first (`staging`), without a transaction. Then one transaction writes the
store's mark and the pages with their entries in all lists, and so makes products of the rows.
Variants' names are staged, too: a name is a hint, which finds no product that doesn't exist yet.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from uuid import UUID

from storepost.catalog.products.assembling import mark_of, parts_of, product_of
from storepost.catalog.products.in_force import InForce, marking
from storepost.catalog.products.keys import layer_key, product_key
from storepost.catalog.products.model import Product, product_id_bytes
from storepost.catalog.products.naming import MAX_WITH_PRODUCT, NewNames, give_names, names_of
from storepost.catalog.products.packing import digest_of
from storepost.catalog.products.records import Layer
from storepost.catalog.products.repository import may_stand_within
from storepost.catalog.products.rows import LayerItem, ProductItem, product_attributes
from storepost.catalog.products.staged import Staged
from storepost.catalog.products.staging import Staging
from storepost.catalog.products.trees import ProductLists, live_places
from storepost.catalog.products.writing import ProductSource, SourceProduct, list_custom_fields
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.counted_tree import TreeEntry
from storepost.platform.persistence.counted_tree.unit_loading import ListsLoad
from storepost.platform.persistence.item import Key, Raw, key_of
from storepost.platform.persistence.loads.serializing import RowSerializer

_NAMES_KEPT = 1000
"""Names that are remembered: variants with one name are often of products with one title, which are
in the same unit or the next.
"""


class NewProducts:
    """Makes products of which nothing is stored yet, and their rows in DynamoDB's own notation."""

    def __init__(self, product_source: ProductSource, in_force: InForce) -> None:
        """Makes products of one source under the rules in force."""
        self.source = product_source.source
        self._store = product_source.store
        self._in_force = in_force
        self._id_of = product_id_bytes(product_source.store.id)
        self._product_rows = RowSerializer(ProductItem)
        self._layer_rows = RowSerializer(LayerItem)

    def make(
        self, source_product: SourceProduct, now: datetime, staged: Staged | None = None
    ) -> tuple[Product, Layer, list[Raw]]:
        """Returns the product with its source's layer, and the rows of both, which may be staged.

        Raises what the write of a single product raises.
        """
        values, updated_at = source_product.values, source_product.updated_at
        layer = Layer.of_new(self.source, values, updated_at, now)
        parts = parts_of(layer)
        external_id = source_product.external_id
        identity = (UUID(bytes=self._id_of(external_id)), self._store.id, external_id)
        digest = digest_of(values, updated_at)
        mark = mark_of(layer, 0 if may_stand_within(parts) else len(parts), digest)
        bare = product_of(identity, None, [layer], self._in_force, now)
        product = replace(bare, layers={self.source: mark})
        return product, layer, list(self._rows(product, parts, mark.rows, staged))

    def _rows(
        self, product: Product, parts: list[bytes], layer_rows: int, staged: Staged | None
    ) -> Iterator[Raw]:
        attributes = {
            **product_attributes(product),
            "layer": None if layer_rows else parts[0],
            "staged": staged.text if staged else None,
        }
        workspace = self._store.workspace
        yield self._product_rows.row(product_key(workspace, product.id), attributes)
        for number, content in enumerate(parts[:layer_rows]):
            key = layer_key(workspace, product.id, self.source, number)
            yield self._layer_rows.row(key, {"content": content})


@dataclass
class Loaded:
    """What the units of a load know of the units before them."""

    staging: Staging
    lists: ListsLoad = field(default_factory=ListsLoad)
    names: deque[Key] = field(default_factory=lambda: deque(maxlen=_NAMES_KEPT))
    """Keys of the latest new names, written or in flight."""
    asks_names: bool = False
    """Whether to read which names exist, as other writers may be writing the same ones."""

    def begin_anew(self) -> None:
        """Forgets what may not have been written, or may be another writer's by now."""
        self.staging.begin_anew()
        self.names.clear()
        self.asks_names = True


class ProductLoad:
    """The new products of one unit of work."""

    def __init__(
        self,
        changes: Changes,
        product_source: ProductSource,
        in_force: InForce,
        loaded: Loaded,
        now: datetime,
        done: int,
    ) -> None:
        """Begins with none; all are added at `now`, and the load's units share `loaded`.

        `done` products of the load precede them.
        """
        self._changes = changes
        self._store = product_source.store
        self._in_force = in_force
        self._loaded = loaded
        self._now = now
        self._done = done
        self._staging = loaded.staging
        self._rows: list[Raw] = []
        self._new = NewProducts(product_source, in_force)
        self._products: list[Product] = []
        self.bytes = 0
        """Bytes of the layers of its products, deflated."""
        self._names = NewNames(self._store)

    def add(self, source_product: SourceProduct) -> None:
        """Adds a product, which must have no row."""
        staged = self._staging.staged(self._done + len(self._products) + 1)
        product, layer, rows = self._new.make(source_product, self._now, staged)
        for row in rows:
            self._rows.append(row)
            self.bytes += sum(len(value["B"]) for value in row.values() if "B" in value)
        self._products.append(product)
        names = names_of(product.external_id, [layer])
        if len(names) > MAX_WITH_PRODUCT:
            give_names(self._changes, self._store, product.id, names.items())
        else:
            self._names.add(product.id, names.items())
        marks = marking(self._changes, self._store, self._in_force.rules)
        marks.add((), product.layers.values())
        list_custom_fields(self._changes, self._store, [layer], self._in_force)

    def start(self) -> None:
        """Begins to write everything, as `ListsLoad.start` does; raises what that raises."""
        workspace = self._store.workspace
        ours, stores = ProductLists(workspace), ProductLists(workspace, self._store.id)
        index_entries = [live_places(product) for product in self._products]
        added, _, titles = (sorted(column, key=_key) for column in zip(*index_entries, strict=True))
        lists = [
            (ours.by_added, added),
            (ours.by_changed, added),
            (ours.by_title, titles),
            (stores.by_added, added),
            (stores.by_changed, added),
        ]
        known = set(self._loaded.names)
        names = self._names.new(self._changes, known, asks=self._loaded.asks_names)
        self._staging.list_up_to(self._changes, self._done + len(self._products))
        index = self._staging.index(self._done + 1, [product.id for product in self._products])
        stage = partial(self._staging.write, [*names, *self._rows])
        self._loaded.lists.start(self._changes, lists, [index], stage)
        self._loaded.names.extend(map(key_of, names))


def _key(entry: TreeEntry) -> str:
    return entry.key
