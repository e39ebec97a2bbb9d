"""The queue of later attempts at webhook endpoints, of replays, and of checks of failing ones."""

from storepost.platform.jobs.batches import queue_handler
from storepost.webhooks.deliveries.retry_worker import do_later

lambda_handler = queue_handler(do_later)
