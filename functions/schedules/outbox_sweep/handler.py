"""Every minute: what the stream missed is sent."""

from storepost.platform.jobs.schedules import schedule_handler
from storepost.platform.messaging.relay import sweep


def sweep_outbox() -> dict[str, int]:
    """Sends what is older than two minutes."""
    return {"sent": sweep()}


lambda_handler = schedule_handler(sweep_outbox)
