"""The queue of feeds that have something to import: each message goes on with one feed."""

from storepost.feeds.feeds.messages import FeedImportMessage
from storepost.feeds.imports.running import resume
from storepost.platform.jobs.batches import fifo_queue_handler, job

lambda_handler = fifo_queue_handler(job(FeedImportMessage, resume))
