"""The queue of stores with imports left: each message continues with one store."""

from storepost.platform.jobs.batches import fifo_queue_handler, job
from storepost.stores.imports.messages import StoreImportMessage
from storepost.sync.pulls.dispatch import resume

lambda_handler = fifo_queue_handler(job(StoreImportMessage, resume))
