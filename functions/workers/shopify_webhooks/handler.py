"""The queue of Shopify's webhooks: handles each by itself, those of one record in turn."""

from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.platform.jobs.batches import fifo_queue_handler
from storepost.sync.webhooks.worker import work_on


def work_on_webhook(record: SQSRecord, context: LambdaContext) -> None:
    """Handles one webhook of the queue."""
    work_on(record.body, context.get_remaining_time_in_millis)


lambda_handler = fifo_queue_handler(work_on_webhook)
