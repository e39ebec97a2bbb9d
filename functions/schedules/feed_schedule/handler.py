"""Every five minutes: feeds whose time has come are queued."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.feed_imports.scheduling import queue_due_feeds


def lambda_handler(_event: dict[str, Any], _context: LambdaContext) -> dict[str, int]:
    """Queues an import of each feed whose `nextImportAt` has passed."""
    return {"queued": queue_due_feeds()}
