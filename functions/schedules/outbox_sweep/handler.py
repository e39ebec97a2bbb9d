"""Every minute: sends what the stream missed."""

from storepost.people.consent.write_back_relay import sweep_write_backs
from storepost.platform.jobs.schedules import schedule_handler
from storepost.platform.messaging.relay import sweep
from storepost.values import clock


def sweep_outbox() -> dict[str, int]:
    """Sends messages older than two minutes, and queues the write-backs that were lost."""
    # The first step may take until the next minute, whose workspaces the next run handles.
    minute = clock.now().minute
    try:
        sent = sweep()
    finally:
        # Lost write-backs are looked for even if a queue refuses messages.
        lost = sweep_write_backs(minute)
    return {"sent": sent + lost}


lambda_handler = schedule_handler(sweep_outbox)
