"""Every minute: coupons and codes whose end has passed are moved to where they count as already."""

from storepost.coupons.expiring import expire_due
from storepost.platform.jobs.schedules import schedule_handler


def move_due_coupons() -> dict[str, int]:
    """Moves what is due."""
    return {"moved": expire_due()}


lambda_handler = schedule_handler(move_due_coupons)
