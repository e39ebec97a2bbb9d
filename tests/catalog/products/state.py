"""The stored rows of products, for comparison, and whether they are consistent."""

from collections import Counter
from typing import Any

from storepost.catalog.products.in_force import Marked, RulesRepository, terms_of
from storepost.catalog.products.model import Product
from storepost.catalog.products.repository import ProductRepository
from storepost.catalog.products.resolution import Resolution
from storepost.catalog.products.rows import ProductItem
from storepost.catalog.products.summaries import summary_of
from storepost.catalog.products.trees import ProductLists
from storepost.platform.persistence.counted_tree.checking import faults
from storepost.platform.persistence.item import Item, Key
from storepost.stores.stores.model import Store
from storepost.stores.stores.repository import StoreItem, StoreRepository
from storepost.values.ids import from_short
from storepost.values.scope import WorkspaceScope
from tests.harness.world import World


def store_of(world: World, store: str) -> Store:
    """The store as a value."""
    [row] = [row for row in world.rows() if isinstance(row, StoreItem) and str(row.id) == store]
    found = StoreRepository(_scope(row)).get(row.id)
    assert found is not None
    return found


def stored(world: World) -> dict[Key, dict[str, Any]]:
    """Every row of what a workspace holds by its key, but for the workspace's own."""
    rows = (row for row in world.rows("workspace#") if "#" in row.pk.removeprefix("workspace#"))
    return {row.key: row.serialize() for row in rows}


def products(world: World) -> list[Product]:
    """All products, as they are kept."""
    rows = [row for row in world.rows() if isinstance(row, ProductItem)]
    if not rows:
        return []
    return ProductRepository(_scope(rows[0])).get_many(sorted(row.id for row in rows))


def check(world: World, store: Store) -> Marked:
    """Checks that lists, summaries and marks agree with the layers; returns the marks."""
    stored = [each for each in products(world) if each.store_id == store.id]
    everywhere = ProductLists(store.workspace).trees
    for tree in (*everywhere, *ProductLists(store.workspace, store.id).trees):
        assert faults(tree) == []
    live = sorted(str(each.id) for each in stored if each.removed_at is None)
    lists = ProductLists(store.workspace, store.id)
    for tree in (lists.by_added, lists.by_changed):
        assert sorted(str(entry.id) for entry in tree.rows.everything()[1]) == live
    removed = sorted(str(each.id) for each in stored if each.removed_at)
    assert sorted(str(entry.id) for entry in lists.removed.rows.everything()[1]) == removed
    rules = RulesRepository(store).get().rules
    counted: Counter[int] = Counter()
    for product in stored:
        layers = ProductRepository(store.workspace).layers(product)
        records = [record for layer in layers.values() for record in layer.records]
        resolution = Resolution(records, rules, terms_of(store))
        shown = {each: summary_of(resolution.in_locale(each)) for each in resolution.locales}
        assert product.summaries == shown
        for source, layer in layers.items():
            if layer.is_live and source in rules.by_id:
                counted[rules.by_id[source].number] += 1
    marked = RulesRepository(store).marked()
    known = {source.number for source in rules.sources}
    left = {n: count for n, count in marked.products.items() if count and n in known}
    assert left == counted
    return marked


def _scope(row: Item) -> WorkspaceScope:
    """The workspace whose row it is."""
    return WorkspaceScope(from_short(row.pk.split("#")[1]))
