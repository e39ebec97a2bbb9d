"""The queue of write-backs: each writes one change of consent back to one store."""

from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.people.consent_changes.write_backs import write_back
from storepost.platform.jobs.batches import fifo_queue_handler


def write_back_consent(record: SQSRecord, _context: LambdaContext) -> None:
    """Writes one consent change back to one store."""
    write_back(record.body, int(record.attributes.approximate_receive_count))


lambda_handler = fifo_queue_handler(write_back_consent)
