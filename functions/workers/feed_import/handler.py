"""The queue of feeds that have something to import: each message goes on with one feed."""

from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.feeds.imports.running import resume
from storepost.platform.jobs.batches import fifo_queue_handler


def import_of_feed(record: SQSRecord, context: LambdaContext) -> None:
    """Goes on with one feed."""
    tries = int(record.attributes.approximate_receive_count)
    resume(record.body, tries, context.get_remaining_time_in_millis)


lambda_handler = fifo_queue_handler(import_of_feed)
