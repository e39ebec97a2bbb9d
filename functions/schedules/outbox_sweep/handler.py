"""Every minute: what the stream missed is sent."""

from storepost.people.consent.write_back_relay import sweep_write_backs
from storepost.platform.jobs.schedules import schedule_handler
from storepost.platform.messaging.relay import sweep


def sweep_outbox() -> dict[str, int]:
    """Sends what is older than two minutes, and queues the write-backs that were lost."""
    try:
        sent = sweep()
    finally:
        # Whatever queue refuses messages, these are looked for.
        lost = sweep_write_backs()
    return {"sent": sent + lost}


lambda_handler = schedule_handler(sweep_outbox)
