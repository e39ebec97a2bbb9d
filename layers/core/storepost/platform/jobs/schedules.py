"""Runs scheduled work; its calls to DynamoDB are retried for as long as its time allows."""

from collections.abc import Callable
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.platform.jobs.batches import Handler
from storepost.platform.persistence.patience import patience


def schedule_handler(work: Callable[[], dict[str, int]]) -> Handler:
    """Returns the handler of a scheduled function; the invocation's record has its result."""

    def lambda_handler(_event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
        with patience(context.get_remaining_time_in_millis()):
            return dict(work())

    return lambda_handler
