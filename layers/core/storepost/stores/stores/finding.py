"""Finds a store, and checks whether it may be written to."""

from uuid import UUID

from storepost.stores.stores.model import Platform, Store
from storepost.stores.stores.problems import StoreDisconnected, StoreManagedByPlatform
from storepost.stores.stores.repository import StoreRepository
from storepost.values.problems import NotFound, handles, needed, unknown_id
from storepost.values.scope import WorkspaceScope


def known_store(repository: StoreRepository, platform: Platform, external_id: str) -> Store | None:
    """Returns the workspace's store that has, or had, an external id, or None."""
    known_id = repository.id_of(platform, external_id)
    return repository.get(known_id) if known_id else None


def found_store(repository: StoreRepository, store_id: UUID) -> Store:
    """Returns the store. Raises NotFound where the workspace has none of that id."""
    return needed(repository.get(store_id), NotFound.of("store"))


@handles(NotFound)
def store_in_body(repository: StoreRepository, store_id: UUID) -> Store:
    """Returns the store that a body names as `storeId`. Raises ValidationFailed."""
    try:
        return found_store(repository, store_id)
    except NotFound as error:
        raise unknown_id("/storeId", error) from error


def custom_store(repository: StoreRepository, store_id: UUID) -> Store:
    """Returns the store if its data is managed by this interface. Raises StoreManagedByPlatform."""
    store = found_store(repository, store_id)
    if not store.is_custom:
        raise StoreManagedByPlatform()
    return store


def store_with_write_back(repository: StoreRepository, store_id: UUID) -> Store:
    """Returns the store, if it can have a write-back address. Raises StoreManagedByPlatform."""
    store = found_store(repository, store_id)
    if not store.is_custom:
        raise StoreManagedByPlatform("Only custom stores have a write-back address.")
    return store


def active_custom_store(workspace: WorkspaceScope, store_id: UUID) -> Store:
    """Returns the store, if its records may be put now. Raises StoreDisconnected."""
    store = custom_store(StoreRepository(workspace), store_id)
    if not store.is_active:
        raise StoreDisconnected()
    return store
