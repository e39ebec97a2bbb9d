"""Every minute: coupons and codes whose end has passed are moved to where they count as already."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.coupons.expiring import move_what_is_due


def lambda_handler(_event: dict[str, Any], _context: LambdaContext) -> dict[str, int]:
    """Moves what is due."""
    return {"moved": move_what_is_due()}
