"""A person's customers, as the stores have them."""

from uuid import UUID

from storepost.customers.model import Customer
from storepost.customers.repository import CustomerRepository
from storepost.pagination import Listing, PageRequest, cut
from storepost.profiles.service import get_profile
from storepost.scope import WorkspaceScope
from storepost.stores.model import Store
from storepost.stores.repository import StoreRepository


def list_customers(
    workspace: WorkspaceScope, profile_id: UUID, store_id: UUID | None, page: PageRequest
) -> tuple[Listing[Customer], dict[UUID, Store]]:
    """The profile's customers, deleted ones too, the newest first, and the stores of the page's."""
    profile = get_profile(workspace, profile_id)
    found = CustomerRepository(workspace).of_profile(profile, store_id)
    found.sort(key=lambda each: (each.external_created_at, each.id), reverse=True)
    listing = cut(found, page)
    stores = StoreRepository(workspace).named({each.store_id for each in listing.items})
    return listing, {store.id: store for store in stores}
