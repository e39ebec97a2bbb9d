"""The queue of the stream's failed records: repairs their postings."""

from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.overview.search.repairing import repair
from storepost.platform.jobs.batches import queue_handler
from storepost.webhooks.deliveries.queueing import enqueue_again


def repair_postings(record: SQSRecord, _context: LambdaContext) -> None:
    """Repairs the postings of a message's records, and queues the records' webhook events."""
    repair(record.body, enqueue_again)


lambda_handler = queue_handler(repair_postings)
