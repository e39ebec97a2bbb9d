"""Every minute: queues later attempts of webhook deliveries and write-backs that are due."""

from storepost.platform.attempts.due import send_due
from storepost.platform.jobs.schedules import schedule_handler


def queue_due_retries() -> dict[str, int]:
    """Queues the attempts that are due; returns how many."""
    return {"queued": send_due()}


lambda_handler = schedule_handler(queue_due_retries)
