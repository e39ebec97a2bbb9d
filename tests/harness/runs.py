"""Runs a worker without its queue: for one message, at a given try, with a given time."""

from collections.abc import Callable

from storepost.platform.jobs.runs import Run, run_once
from storepost.platform.messaging.messages import QueueMessage

LONG = 10**6
"""In milliseconds; more than any run needs."""


def run_worker[M: QueueMessage](
    work: Callable[[Run[M]], None], message: M, tries: int = 1, milliseconds: int = LONG
) -> None:
    """Runs it once."""
    run_once(work, Run(message, tries, lambda: milliseconds))
