"""The list of a workspace's stores: at most hundreds, read as a whole."""

from collections.abc import Collection
from dataclasses import dataclass

from storepost.stores.imports.repository import TurnsRepository
from storepost.stores.imports.turns import LatestImportStatus, Turns
from storepost.stores.stores.model import ConnectionStatus, Platform, Store, StoreStatus
from storepost.stores.stores.repository import StoreRepository
from storepost.values.pagination import Listing, PageRequest, cut, in_order, is_among
from storepost.values.scope import WorkspaceScope
from storepost.values.text import matches, sort_key


@dataclass(frozen=True)
class ListedStore:
    """A store with the status of its imports."""

    store: Store
    import_status: LatestImportStatus


@dataclass(frozen=True)
class StoreFilter:
    """The filters of the list; None doesn't filter."""

    q: str | None = None
    platforms: Collection[Platform] | None = None
    statuses: Collection[StoreStatus] | None = None
    connection_statuses: Collection[ConnectionStatus] | None = None
    import_statuses: Collection[LatestImportStatus] | None = None

    def takes(self, listed: ListedStore) -> bool:
        """Returns whether the store matches all filters."""
        store = listed.store
        return (
            is_among(store.platform, self.platforms)
            and is_among(store.status, self.statuses)
            and is_among(store.connection_status, self.connection_statuses)
            and is_among(listed.import_status, self.import_statuses)
            and (self.q is None or matches(self.q, store.name, store.external_id))
        )


def listed_store(store: Store) -> ListedStore:
    """Returns the store as lists show it."""
    return ListedStore(store, TurnsRepository(store.workspace).get(store.id).status)


def list_stores(
    workspace: WorkspaceScope, filters: StoreFilter, sort: str, page: PageRequest
) -> Listing[ListedStore]:
    """Returns the stores that match, by `name` or `connectedAt`."""
    turns = TurnsRepository(workspace).all()
    rows = [
        ListedStore(store, turns.get(store.id, Turns(store.id)).status)
        for store in StoreRepository(workspace).all()
    ]
    ordered = in_order(
        [row for row in rows if filters.takes(row)],
        sort,
        {
            "name": lambda row: (sort_key(row.store.name), row.store.id),
            "connectedAt": lambda row: (row.store.connected_at, row.store.id),
        },
    )
    return cut(ordered, page)
