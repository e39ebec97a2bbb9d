"""Each hour: suppressions whose end has come are moved to the history."""

from storepost.people.deliverability.expiring import end_what_is_due
from storepost.platform.jobs.schedules import schedule_handler


def end_suppressions() -> dict[str, int]:
    """Moves each suppression whose `endsAt` has passed to the history."""
    return {"ended": end_what_is_due()}


lambda_handler = schedule_handler(end_suppressions)
