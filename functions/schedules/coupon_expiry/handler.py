"""Every minute: expires coupons and codes whose end has passed, as they show already."""

from storepost.coupons.expiring import expire_due
from storepost.platform.jobs.schedules import schedule_handler


def move_due_coupons() -> dict[str, int]:
    """Expires what is due."""
    return {"moved": expire_due()}


lambda_handler = schedule_handler(move_due_coupons)
