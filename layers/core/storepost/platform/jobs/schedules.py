"""What a schedule runs: its calls to DynamoDB are tried again for as long as its time allows."""

from collections.abc import Callable
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.platform.jobs.batches import Handler
from storepost.platform.persistence.patience import patience


def schedule_handler(work: Callable[[], dict[str, int]]) -> Handler:
    """Returns the handler of a scheduled function; its result stands in the invocation's record."""

    def lambda_handler(_event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
        with patience(context.get_remaining_time_in_millis()):
            return dict(work())

    return lambda_handler
