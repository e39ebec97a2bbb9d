"""Taking a batch: it is kept whole and queued as an import, and the worker gets a message."""

import hashlib
from uuid import UUID

from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.objects import put_object
from storepost.stores.imports.model import StoreImport
from storepost.stores.imports.repository import TurnsRepository
from storepost.stores.imports.service import queue_import
from storepost.stores.stores.finding import active_custom_store
from storepost.sync.batches.problems import BatchBacklog
from storepost.sync.batches.schemas import StoreBatch
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope

MAX_WAITING = 100
RETRY_SECONDS = 10
"""About what a batch takes: then one more has room."""


def queue_batch(
    caller: WorkspaceCaller, store_id: UUID, batch: StoreBatch, changes: Changes
) -> StoreImport:
    """Returns a new import of the batch's records, which waits for its turn.

    The records are kept before anything says that there is an import: a request that is killed in
    between leaves an object that nobody names and that expires. Raises BatchBacklog.
    """
    store, workspace = active_custom_store(caller.workspace, store_id), caller.workspace
    turns = TurnsRepository(workspace).get(store.id)
    if turns.waiting >= MAX_WAITING:
        raise BatchBacklog(retry_after=RETRY_SECONDS)
    content = batch.to_text()
    name = _name(workspace, store.id, content)
    put_object(name, content)
    return queue_import(changes, workspace, turns, batch.scope, caller.requester, name)


def _name(workspace: WorkspaceScope, store_id: UUID, content: bytes) -> str:
    """The same content has the same name: a retry writes over what is there already."""
    digest = hashlib.sha256(content).hexdigest()
    return f"batches/{short(workspace.id)}/{short(store_id)}/{digest}"
