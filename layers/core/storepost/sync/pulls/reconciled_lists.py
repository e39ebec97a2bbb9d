"""The store's lists that a pull reconciles, one per stage: their records, and how to delete one."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from storepost.catalog.products.model import product_id
from storepost.catalog.products.repository import ProductRepository
from storepost.catalog.products.rules import product_source_id
from storepost.catalog.products.service import mark_product_removed
from storepost.catalog.products.trees import ProductLists
from storepost.orders.keys import order_id
from storepost.orders.repository import OrderRepository
from storepost.orders.service import tombstone_order
from storepost.orders.trees import OrderList
from storepost.people.customers.repository import CustomerRepository
from storepost.people.customers.service import delete_customer_of
from storepost.people.profiles.repository import ProfileRepository
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.counted_tree import Tree
from storepost.platform.persistence.counted_tree.model import TreeEntry
from storepost.stores.imports.model import ImportStage
from storepost.stores.stores.model import Store
from storepost.values.ids import short

type IsMarked = Callable[[str], bool]
"""Returns whether the export has a record with that mark."""


class ReconciledList(Protocol):
    """A list that is compared with an export."""

    def __init__(self, store: Store) -> None:
        """Makes the list of one store."""

    @property
    def tree(self) -> Tree:
        """Returns the list's tree."""

    def mark(self, external_id: str) -> str:
        """Returns the mark of an exported record, by which entries are compared with it."""

    def missing(self, entries: Iterable[TreeEntry], is_marked: IsMarked) -> list[str]:
        """Returns the external ids of the entries without a mark."""

    def updated_at(self, external_id: str, changes: Changes) -> datetime | None:
        """Returns when the shop last changed the record; None where it is already deleted."""

    def delete(self, external_id: str, changes: Changes, at: datetime) -> None:
        """Deletes the record as a webhook at that time would."""


@dataclass
class _Customers:
    store: Store

    @property
    def tree(self) -> Tree:
        return ProfileRepository(self.store.workspace).lists.of_store(self.store.id)

    def mark(self, external_id: str) -> str:
        return external_id

    def missing(self, entries: Iterable[TreeEntry], is_marked: IsMarked) -> list[str]:
        found = ProfileRepository(self.store.workspace).get_many(entry.id for entry in entries)
        own = (c for p in found for c in p.live_customers if c.store_id == self.store.id)
        return [each.value for each in own if not is_marked(each.value)]

    def updated_at(self, external_id: str, _changes: Changes) -> datetime | None:
        customer = CustomerRepository(self.store.workspace).get(self.store.id, external_id)
        return customer.external_updated_at if customer and not customer.deleted_at else None

    def delete(self, external_id: str, changes: Changes, at: datetime) -> None:
        delete_customer_of(self.store, external_id, changes, at)


@dataclass
class _Orders:
    store: Store

    @property
    def tree(self) -> Tree:
        return OrderList(self.store.workspace, self.store.id).tree

    def mark(self, external_id: str) -> str:
        return short(order_id(self.store.id, external_id))

    def missing(self, entries: Iterable[TreeEntry], is_marked: IsMarked) -> list[str]:
        unmarked = [entry.id for entry in entries if not is_marked(short(entry.id))]
        found = OrderRepository(self.store.workspace).get_many(unmarked)
        return [order.external_id for order in found]

    def updated_at(self, external_id: str, _changes: Changes) -> datetime | None:
        order = OrderRepository(self.store.workspace).get(order_id(self.store.id, external_id))
        return order.updated_at if order else None

    def delete(self, external_id: str, changes: Changes, at: datetime) -> None:
        tombstone_order(self.store, external_id, changes, at)


@dataclass
class _Products:
    """The products that the shop itself has; those that only a feed has stay."""

    store: Store

    @property
    def tree(self) -> Tree:
        return ProductLists(self.store.workspace, self.store.id).by_added

    def mark(self, external_id: str) -> str:
        return short(product_id(self.store.id, external_id))

    def missing(self, entries: Iterable[TreeEntry], is_marked: IsMarked) -> list[str]:
        unmarked = [entry.id for entry in entries if not is_marked(short(entry.id))]
        found = ProductRepository(self.store.workspace).get_many(unmarked)
        own = ((product, product.layers.get(self._source)) for product in found)
        return [product.external_id for product, layer in own if layer and layer.is_live]

    def updated_at(self, external_id: str, changes: Changes) -> datetime | None:
        repository = ProductRepository(self.store.workspace, changes.reads)
        product = repository.get(product_id(self.store.id, external_id))
        layer = repository.layers(product).get(self._source) if product else None
        return layer.updated_at if layer and layer.is_live else None

    def delete(self, external_id: str, changes: Changes, at: datetime) -> None:
        mark_product_removed(self.store, external_id, changes, at)

    @property
    def _source(self) -> UUID:
        return product_source_id(self.store.id, self.store.id)


RECONCILED_LISTS: dict[ImportStage, type[ReconciledList]] = {
    ImportStage.CUSTOMERS: _Customers,
    ImportStage.ORDERS: _Orders,
    ImportStage.PRODUCTS: _Products,
}
