"""Accepts a batch: stores its content, queues it as an import, and sends the worker a message."""

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
"""About how long a batch takes, after which another one can be accepted."""


def queue_batch(
    caller: WorkspaceCaller, store_id: UUID, batch: StoreBatch, changes: Changes
) -> StoreImport:
    """Returns a new import of the batch's records, which waits for its turn.

    The records are stored before the import's row: a request that is killed in between leaves an
    object that no row names and that expires. Raises BatchBacklog.
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
    """The name derives from the content, so a retry overwrites the same object."""
    digest = hashlib.sha256(content).hexdigest()
    return f"batches/{short(workspace.id)}/{short(store_id)}/{digest}"
