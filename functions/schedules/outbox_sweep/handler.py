"""Every minute: what the stream missed is sent."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.messaging.relay import sweep


def lambda_handler(_event: dict[str, Any], _context: LambdaContext) -> dict[str, int]:
    """Sends what is older than two minutes."""
    return {"sent": sweep()}
