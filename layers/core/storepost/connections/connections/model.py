"""A connection as a value: a platform's store, a pending install, or both."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from storepost.stores.imports.turns import LatestImportStatus
from storepost.stores.stores.listing import ListedStore
from storepost.stores.stores.model import ConnectionStatus

PREFIX = "shopify:"


class ConnectionType(StrEnum):
    """The platform that a connection is to. `shopify`: a Shopify shop."""

    SHOPIFY = "shopify"


class ConnectionState(StrEnum):
    """How a connection is doing: the first of these that applies. `pending`: the shop has to
    approve, or the person who approved has to choose a workspace. `disconnected`: somebody ended
    it. `needs_attention`: the shop has to approve the app again, or the latest import failed.
    `importing`: an import runs or waits. `connected`: all is well.
    """

    PENDING = "pending"
    DISCONNECTED = "disconnected"
    NEEDS_ATTENTION = "needs_attention"
    IMPORTING = "importing"
    CONNECTED = "connected"


@dataclass(frozen=True)
class Connection:
    """A connection of a workspace."""

    shop: str
    name: str
    state: ConnectionState
    connected_at: datetime
    """When it was connected; for a pending one, when it was begun."""
    install_id: UUID | None
    install_address: str | None
    """Where the shop approves a pending install; None once it has."""

    @property
    def key(self) -> str:
        """Returns the connection's key in the workspace."""
        return PREFIX + self.shop


def state_of(listed: ListedStore) -> ConnectionState:
    """Returns the state of a store's connection without a pending install."""
    store, imports = listed.store, listed.import_status
    if not store.is_active:
        return ConnectionState.DISCONNECTED
    needs_reauth = store.connection_status is ConnectionStatus.NEEDS_REAUTH
    if needs_reauth or imports is LatestImportStatus.FAILED:
        return ConnectionState.NEEDS_ATTENTION
    if imports in {LatestImportStatus.QUEUED, LatestImportStatus.RUNNING}:
        return ConnectionState.IMPORTING
    return ConnectionState.CONNECTED
