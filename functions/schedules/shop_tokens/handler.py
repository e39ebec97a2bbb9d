"""Every hour: the tokens of shops that are quiet are used, so that they don't end."""

from storepost.platform.jobs.schedules import schedule_handler
from storepost.shopify.upkeep import look_after_shops


def refresh_tokens() -> dict[str, int]:
    """Has a fresh token of each shop that is due."""
    return {"shops": look_after_shops()}


lambda_handler = schedule_handler(refresh_tokens)
