"""Every hour: the tokens of shops that are quiet are used, so that they don't end."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.shopify.upkeep import look_after_shops


def lambda_handler(_event: dict[str, Any], _context: LambdaContext) -> dict[str, int]:
    """Has a fresh token of each shop that is due."""
    return {"shops": look_after_shops()}
