"""The list of a workspace's stores: hundreds at most, read whole."""

from collections.abc import Collection
from dataclasses import dataclass

from storepost.pagination import Listing, PageRequest, cut, in_order
from storepost.scope import WorkspaceScope
from storepost.stores.model import ConnectionStatus, ImportStatus, Platform, Store, StoreStatus
from storepost.stores.repository import StoreRepository
from storepost.text import matches, sort_key


@dataclass(frozen=True)
class StoreFilter:
    """What a store of the list must be; None asks for nothing."""

    q: str | None = None
    platforms: Collection[Platform] | None = None
    statuses: Collection[StoreStatus] | None = None
    connection_statuses: Collection[ConnectionStatus] | None = None
    import_statuses: Collection[ImportStatus] | None = None

    def takes(self, store: Store) -> bool:
        """Whether the store is what is asked for."""
        asked = (
            (self.platforms, store.platform),
            (self.statuses, store.status),
            (self.connection_statuses, store.connection_status),
            (self.import_statuses, store.import_status),
        )
        if any(wanted is not None and value not in wanted for wanted, value in asked):
            return False
        return self.q is None or matches(self.q, store.name, store.external_id)


def list_stores(
    workspace: WorkspaceScope, asked: StoreFilter, sort: str, page: PageRequest
) -> Listing[Store]:
    """The stores that are asked for, in the order of `name` or `connectedAt`."""
    rows = [store for store in StoreRepository(workspace).all() if asked.takes(store)]
    ordered = in_order(
        rows,
        sort,
        {
            "name": lambda store: (sort_key(store.name), store.id),
            "connectedAt": lambda store: (store.connected_at, store.id),
        },
    )
    return cut(ordered, page)
