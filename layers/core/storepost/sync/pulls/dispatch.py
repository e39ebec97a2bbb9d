"""Dispatches a message of the imports' queue by the store's platform."""

from storepost.platform.jobs.runs import Run
from storepost.platform.persistence.write_marks import WriteMark, marking
from storepost.stores.imports.messages import StoreImportMessage
from storepost.stores.stores.repository import StoreRepository
from storepost.sync.batches.run import StoreRun
from storepost.sync.batches.running import resume as resume_batches
from storepost.sync.pulls.running import pull


def resume(run: Run[StoreImportMessage]) -> None:
    """Continues a store's imports: a shop's pulls, or a custom store's batches."""
    store = StoreRepository(run.message.workspace).get(run.message.store_id)
    with marking(WriteMark.IMPORT):
        if store is None or store.is_custom:
            resume_batches(StoreRun(run.message, run.tries, run.remaining))
        else:
            pull(store, run.tries, run.remaining)
