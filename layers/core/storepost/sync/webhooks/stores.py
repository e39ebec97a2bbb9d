"""Which store a shop's webhook is about."""

from collections.abc import Callable

from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.shopify.claims import find_claim, stores_of_shop
from storepost.stores.stores.model import Store
from storepost.stores.stores.problems import StaleUpdate
from storepost.stores.stores.repository import StoreRepository


def connected_store(shop: str) -> Store | None:
    """Returns the store that the shop is connected as;
    None where nobody here may know more of it.
    """
    claim = find_claim(shop)
    store = StoreRepository(claim.workspace).get(claim.store_id) if claim else None
    return store if store and store.is_active else None


def all_stores(shop: str) -> list[Store]:
    """Returns every store that the shop ever was, in whatever workspace."""
    found = [StoreRepository(workspace).get(store) for workspace, store in stores_of_shop(shop)]
    return [store for store in found if store]


def write_unless_stale(work: Callable[[Changes], object]) -> None:
    """Commits the work; what is older than what is held changes nothing."""
    try:
        commit_anew(work)
    except StaleUpdate:
        return
