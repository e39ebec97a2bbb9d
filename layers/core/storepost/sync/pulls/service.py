"""Requests a pull of a shop's records."""

from uuid import UUID

from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.platform.persistence.changes import Changes
from storepost.stores.imports.model import ImportScope, StoreImport
from storepost.stores.imports.repository import TurnsRepository
from storepost.stores.imports.service import queue_import
from storepost.stores.stores.finding import found_store
from storepost.stores.stores.model import ConnectionStatus
from storepost.stores.stores.problems import StoreDisconnected
from storepost.stores.stores.repository import StoreRepository
from storepost.sync.pulls.problems import ImportInProgress, NeedsReauth, StoreNotPullable


def request_import(
    caller: WorkspaceCaller, store_id: UUID, scope: ImportScope, changes: Changes
) -> StoreImport:
    """Returns a new import of a connected shop's records, which waits for its turn.

    Raises StoreNotPullable, StoreDisconnected, NeedsReauth and ImportInProgress.
    """
    store = found_store(StoreRepository(caller.workspace), store_id)
    if store.is_custom:
        raise StoreNotPullable()
    if not store.is_active:
        raise StoreDisconnected()
    if store.connection_status is ConnectionStatus.NEEDS_REAUTH:
        raise NeedsReauth()
    turns = TurnsRepository(caller.workspace).get(store.id)
    if turns.open_of(scope):
        raise ImportInProgress()
    return queue_import(changes, caller.workspace, turns, scope, caller.requester)
