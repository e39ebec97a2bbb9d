"""Every minute: later attempts of webhook deliveries whose time has come are queued."""

from storepost.platform.attempts.due import send_due
from storepost.platform.jobs.schedules import schedule_handler


def queue_due_retries() -> dict[str, int]:
    """Queues what is due."""
    return {"queued": send_due()}


lambda_handler = schedule_handler(queue_due_retries)
