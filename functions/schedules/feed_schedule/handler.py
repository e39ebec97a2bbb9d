"""Every five minutes: queues the feeds that are due."""

from storepost.feeds.imports.scheduling import queue_due_feeds
from storepost.platform.jobs.schedules import schedule_handler


def queue_feeds() -> dict[str, int]:
    """Queues an import of each feed whose `nextImportAt` has passed."""
    return {"queued": queue_due_feeds()}


lambda_handler = schedule_handler(queue_feeds)
