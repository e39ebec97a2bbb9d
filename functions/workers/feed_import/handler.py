"""The queue of feeds with imports left: each message continues with one feed."""

from storepost.feeds.feeds.messages import FeedImportMessage
from storepost.feeds.imports.running import resume
from storepost.platform.jobs.batches import fifo_queue_handler, job

lambda_handler = fifo_queue_handler(job(FeedImportMessage, resume))
