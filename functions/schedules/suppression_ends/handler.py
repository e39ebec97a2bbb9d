"""Each hour: moves suppressions whose end has passed to the history."""

from storepost.people.deliverability.expiring import expire_due_suppressions
from storepost.platform.jobs.schedules import schedule_handler


def end_suppressions() -> dict[str, int]:
    """Moves each suppression whose `endsAt` has passed to the history."""
    return {"ended": expire_due_suppressions()}


lambda_handler = schedule_handler(end_suppressions)
