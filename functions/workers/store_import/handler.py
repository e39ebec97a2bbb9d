"""The queue of stores that have something to import: each message goes on with one store."""

from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.platform.jobs.batches import fifo_queue_handler
from storepost.sync.pulls.dispatch import resume


def import_of_store(record: SQSRecord, context: LambdaContext) -> None:
    """Goes on with one store."""
    tries = int(record.attributes.approximate_receive_count)
    resume(record.body, tries, context.get_remaining_time_in_millis)


lambda_handler = fifo_queue_handler(import_of_store)
