"""Every five minutes: feeds whose time has come are queued."""

from storepost.feed_imports.scheduling import queue_due_feeds
from storepost.jobs.schedules import schedule_handler


def queue_feeds() -> dict[str, int]:
    """Queues an import of each feed whose `nextImportAt` has passed."""
    return {"queued": queue_due_feeds()}


lambda_handler = schedule_handler(queue_feeds)
