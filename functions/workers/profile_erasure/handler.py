"""The queue of erased profiles: what they left is removed."""

from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.lifecycle.erasures.erasing import erase
from storepost.platform.jobs.batches import queue_handler


def erase_profile(record: SQSRecord, context: LambdaContext) -> None:
    """Removes what one erased profile left."""
    erase(record.body, context.get_remaining_time_in_millis)


lambda_handler = queue_handler(erase_profile)
