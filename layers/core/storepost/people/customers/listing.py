"""A person's customers of stores."""

from uuid import UUID

from storepost.people.customers.model import Customer
from storepost.people.customers.repository import CustomerRepository
from storepost.people.profiles.service import get_profile
from storepost.stores.stores.model import Store
from storepost.stores.stores.repository import StoreRepository
from storepost.values.pagination import Listing, PageRequest, cut
from storepost.values.scope import WorkspaceScope


def list_customers(
    workspace: WorkspaceScope, profile_id: UUID, store_id: UUID | None, page: PageRequest
) -> tuple[Listing[Customer], dict[UUID, Store]]:
    """Returns a page of the profile's customers, with their stores.

    Deleted customers are included; the newest is first.
    """
    profile = get_profile(workspace, profile_id)
    found = CustomerRepository(workspace).of_profile(profile, store_id)
    found.sort(key=lambda each: (each.external_created_at, each.id), reverse=True)
    listing = cut(found, page)
    stores = StoreRepository(workspace).named({each.store_id for each in listing.items})
    return listing, {store.id: store for store in stores}
