"""A store in full: its counts, which are the totals of its lists, and its imports."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from storepost.catalog.products.trees import ProductLists
from storepost.orders.model import OrderSummary
from storepost.orders.trees import OrderList
from storepost.people.profiles.repository import ProfileRepository
from storepost.platform.persistence.counted_tree import moment_of
from storepost.stores.imports.listing import latest_imports
from storepost.stores.imports.model import ImportFailure, ImportScope, ImportStatus, StoreImport
from storepost.stores.imports.repository import TurnsRepository
from storepost.stores.imports.turns import LatestImportStatus, Turns
from storepost.stores.stores.finding import found_store
from storepost.stores.stores.model import Store
from storepost.stores.stores.repository import StoreRepository
from storepost.values import clock
from storepost.values.pagination import PageRequest
from storepost.values.scope import WorkspaceScope

_NEWEST = PageRequest(number=1, size=1)


@dataclass(frozen=True)
class LatestCustomer:
    """The customer that a store sent last."""

    profile_id: UUID
    name: str | None
    created_at: datetime


@dataclass(frozen=True)
class StoreDetails:
    """A store with what its lists hold, and its imports."""

    store: Store
    import_status: LatestImportStatus
    imports: Mapping[ImportScope, StoreImport | None]
    customers: int
    orders: int
    products: int
    last_order_at: datetime | None
    last_product_sync_at: datetime | None
    """When products last arrived: an import counts even if it found nothing new."""
    latest_customer: LatestCustomer | None


def details_of_id(workspace: WorkspaceScope, store_id: UUID) -> StoreDetails:
    """Returns the store with that id, with the totals of its lists."""
    return details_of(found_store(StoreRepository(workspace), store_id))


def details_once_disconnected(store: Store) -> StoreDetails:
    """Returns the store as it will be when disconnected: its open imports have failed."""
    at = store.disconnected_at or clock.now()
    turns = TurnsRepository(store.workspace).get(store.id).with_all_failed(at)
    details = _details(store, turns)
    imports = {
        scope: one.failed(ImportFailure.STORE_DISCONNECTED, at)
        if one and one.status is ImportStatus.RUNNING
        else one
        for scope, one in details.imports.items()
    }
    return replace(details, imports=imports)


def details_of(store: Store) -> StoreDetails:
    """Returns the store with the totals of its lists."""
    return _details(store, TurnsRepository(store.workspace).get(store.id))


def _details(store: Store, turns: Turns) -> StoreDetails:
    order, orders = _newest_order(store)
    changed_at, products = _newest_product(store)
    latest, customers = _newest_customer(store)
    synced = [at for at in (changed_at, turns.products_imported_at) if at]
    return StoreDetails(
        store=store,
        import_status=turns.status,
        imports=latest_imports(store.workspace, turns),
        customers=customers,
        orders=orders,
        products=products,
        last_order_at=order.placed_at if order else None,
        last_product_sync_at=max(synced, default=None),
        latest_customer=latest,
    )


def _newest_order(store: Store) -> tuple[OrderSummary | None, int]:
    orders = OrderList(store.workspace, store.id)
    listing = orders.tree.page(_NEWEST, descending=True)
    return next(map(orders.summary, listing.items), None), listing.total


def _newest_product(store: Store) -> tuple[datetime | None, int]:
    """Returns when a source last said something new of a product, and the products' number."""
    listing = ProductLists(store.workspace, store.id).by_changed.page(_NEWEST, descending=True)
    return next((moment_of(entry.key) for entry in listing.items), None), listing.total


def _newest_customer(store: Store) -> tuple[LatestCustomer | None, int]:
    repository = ProfileRepository(store.workspace)
    listing = repository.lists.of_store(store.id).page(_NEWEST, descending=True)
    people = repository.get_many(entry.id for entry in listing.items)
    latest = next((LatestCustomer(p.id, p.name, p.first_seen_at) for p in people), None)
    return latest, listing.total
