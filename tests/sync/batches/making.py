"""Imports as rows, in the state that a test needs."""

from storepost.platform.persistence.changes import Changes
from storepost.stores.imports.model import ImportFailure, ImportScope, ImportStatus, StoreImport
from storepost.stores.imports.repository import TurnsRepository
from storepost.stores.imports.service import complete_import, fail_import, queue_import
from tests.sync.batches.batch_store import Shop


def make(shop: Shop, scope: ImportScope, status: ImportStatus) -> StoreImport:
    """Writes an import's row in that state; open ones must be written last."""
    repository, changes = TurnsRepository(shop.workspace), Changes()
    queued = queue_import(changes, shop.workspace, shop.turns(), scope, None, "content")
    changes.commit()
    if status is ImportStatus.RUNNING:
        raise ValueError("a test that wants one running runs it")
    if status is not ImportStatus.QUEUED:
        changes, turns = Changes(), repository.get(shop.store_id)
        if status is ImportStatus.COMPLETED:
            complete_import(changes, shop.workspace, turns, queued)
        else:
            fail_import(changes, shop.workspace, turns, queued, ImportFailure.IMPORT_FAILED)
        changes.commit()
    return queued
