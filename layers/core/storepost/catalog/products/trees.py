"""The lists of products: by when they were added and by when they changed, all of a workspace's and
each store's, and by title.

An entry has the product's id alone, and a page reads its products in one batch get: otherwise each
change would rewrite rows of every list. Removed products have lists of their own.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from uuid import UUID

from storepost.catalog.products.model import Product, ProductStatus, Stock
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.counted_tree import (
    FilterField,
    FilterValue,
    Packing,
    Tree,
    TreeEntry,
    moment_key,
    text_key,
)
from storepost.platform.persistence.counted_tree.node_cache import read_nodes_ahead
from storepost.platform.persistence.reads import Reads
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope

STATUS = FilterField(
    "status",
    "t",
    {
        ProductStatus.ACTIVE: "A",
        ProductStatus.UNLISTED: "B",
        ProductStatus.DRAFT: "C",
        ProductStatus.ARCHIVED: "D",
    },
)
PUBLISHED = FilterField("published", "p", {False: "A", True: "B"})
STOCK = FilterField(
    "stock", "k", {Stock.IN_STOCK: "A", Stock.OUT_OF_STOCK: "B", Stock.NOT_TRACKED: "C"}
)
FILTERS = (STATUS, PUBLISHED, STOCK)

_PACKING = Packing()
"""For what an import writes at once: its entries are in pages. Growth leaves rows as they are."""


@dataclass(frozen=True)
class ProductLists:
    """The lists of a workspace's products, or of one of its stores'."""

    workspace: WorkspaceScope
    store_id: UUID | None = None

    @cached_property
    def by_added(self) -> Tree:
        """Returns the list of live products by when they were added."""
        return Tree(self._partition("added"), FILTERS, packing=_PACKING)

    @cached_property
    def by_changed(self) -> Tree:
        """Returns the list of live products by when they changed."""
        return Tree(self._partition("changed"), FILTERS, packing=_PACKING)

    @cached_property
    def removed(self) -> Tree:
        """Returns the list of removed products by when they changed."""
        return Tree(self._partition("removed"))

    @cached_property
    def by_title(self) -> Tree:
        """Returns the list of live products by title in the primary locale, of all stores alone."""
        return Tree(self.workspace.partition("products", "title"), packing=_PACKING)

    @cached_property
    def trees(self) -> tuple[Tree, ...]:
        """Returns all lists."""
        trees = (self.by_added, self.by_changed, self.removed)
        return trees if self.store_id else (*trees, self.by_title)

    def update_index(self, changes: Changes, before: Product | None, after: Product | None) -> None:
        """Updates the lists after a change of one product."""
        old, new = dict(self._entries(before)), dict(self._entries(after))
        for tree in dict.fromkeys((*old, *new)):
            tree.update_index(changes, old.get(tree), new.get(tree))

    def _entries(self, product: Product | None) -> Iterator[tuple[Tree, TreeEntry]]:
        if product is None:
            return
        if product.removed_at is not None:
            yield self.removed, TreeEntry(moment_key(product.changed_at, product.id))
            return
        by_added, by_changed, by_title = live_places(product)
        yield self.by_added, by_added
        yield self.by_changed, by_changed
        if self.store_id is None:
            yield self.by_title, by_title

    def _partition(self, order: str) -> str:
        if self.store_id is None:
            return self.workspace.partition("products", order)
        return self.workspace.partition("products", "store", short(self.store_id), order)


def read_places_ahead(
    workspace: WorkspaceScope, store_id: UUID, places: Iterable[tuple[datetime, UUID]], reads: Reads
) -> None:
    """Reads the nodes that lead to products that changed then, as a change moves their entries."""
    keys = [moment_key(changed_at, product) for changed_at, product in places]
    lists = (ProductLists(workspace), ProductLists(workspace, store_id))
    read_nodes_ahead(reads, [(each.by_changed.rows, keys) for each in lists])


def live_places(product: Product) -> tuple[TreeEntry, TreeEntry, TreeEntry]:
    """Returns a live product's entries by when it was added, by when it changed, and by title."""
    values = counted_values(product)
    by_added = TreeEntry(moment_key(product.added_at, product.id), values)
    by_changed = by_added
    if product.changed_at != product.added_at:
        by_changed = TreeEntry(moment_key(product.changed_at, product.id), values)
    return by_added, by_changed, TreeEntry(text_key(product.summary.title, product.id))


def counted_values(product: Product) -> dict[str, FilterValue]:
    """Returns the filter values by which the lists count a product."""
    summary = product.summary
    return {
        STATUS.name: summary.status,
        PUBLISHED.name: summary.published,
        STOCK.name: summary.stock,
    }


def reindex(
    changes: Changes, workspace: WorkspaceScope, before: Product | None, after: Product
) -> None:
    """Updates all lists after a change of one product."""
    store_id = after.store_id
    lists = changes.shared(
        ("product_lists", workspace, store_id),
        lambda: (ProductLists(workspace), ProductLists(workspace, store_id)),
    )
    for each in lists:
        each.update_index(changes, before, after)
