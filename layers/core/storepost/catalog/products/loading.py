"""Many new products at once, as an import brings them: their lists are packed.

One transaction has the products, the store's mark and their entries in all lists, which stand in
pages; a product that is stored is listed. What variants are called is written before, as a hint by
which nobody finds a product until that is there.
"""

from collections.abc import Iterable

from storepost.catalog.products.model import Product
from storepost.catalog.products.naming import MAX_WITH_PRODUCT, Name, NewNames, give_names
from storepost.catalog.products.trees import ProductLists, live_places
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.counted_tree import TreeEntry
from storepost.platform.persistence.counted_tree.unit_loading import ListsLoad
from storepost.stores.stores.model import Store


class ProductLoad:
    """The new products of one unit of work."""

    def __init__(self, changes: Changes, store: Store, lists: ListsLoad) -> None:
        """Begins with none; `lists` goes on from unit to unit."""
        self._changes = changes
        self._store = store
        self._lists = lists
        self._products: list[Product] = []
        self._names = NewNames(store)

    def add(self, product: Product, names: Iterable[tuple[Name, str]]) -> None:
        """Adds a product that is written by the unit, with what its variants are called."""
        self._products.append(product)
        called = list(names)
        if len(called) > MAX_WITH_PRODUCT:
            give_names(self._changes, self._store, product.id, called)
        else:
            self._names.add(product.id, called)

    def commit(self) -> None:
        """Writes everything. Raises LostRace, and TooManyWrites for more than one takes."""
        workspace = self._store.workspace
        ours, stores = ProductLists(workspace), ProductLists(workspace, self._store.id)
        places = [live_places(product) for product in self._products]
        added, changed, titles = (sorted(column, key=_key) for column in zip(*places, strict=True))
        lists = [
            (ours.by_added, added),
            (ours.by_changed, changed),
            (ours.by_title, titles),
            (stores.by_added, added),
            (stores.by_changed, changed),
        ]
        self._lists.commit(self._changes, lists, self._names.new(self._changes))


def _key(entry: TreeEntry) -> str:
    return entry.key
