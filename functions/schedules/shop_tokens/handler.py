"""Every hour: uses the tokens of quiet shops, so that they don't expire."""

from storepost.platform.jobs.schedules import schedule_handler
from storepost.shopify.upkeep import look_after_shops


def refresh_tokens() -> dict[str, int]:
    """Gets a fresh token of each shop that is due."""
    return {"shops": look_after_shops()}


lambda_handler = schedule_handler(refresh_tokens)
