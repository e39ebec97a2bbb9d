"""The queue of merged profiles: what they had is moved to those that answer for them."""

from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.lifecycle.merges.pending_sources import absorb
from storepost.platform.jobs.batches import queue_handler


def absorb_merged(record: SQSRecord, context: LambdaContext) -> None:
    """Moves what one profile absorbs."""
    absorb(record.body, context.get_remaining_time_in_millis)


lambda_handler = queue_handler(absorb_merged)
