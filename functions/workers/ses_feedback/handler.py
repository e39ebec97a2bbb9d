"""The queue of SES's events: stores the result of each email that was sent."""

from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.people.email_feedback.service import work_on
from storepost.platform.jobs.batches import queue_handler


def work_on_event(record: SQSRecord, _context: LambdaContext) -> None:
    """Handles one event of the queue."""
    work_on(record.body)


lambda_handler = queue_handler(work_on_event)
