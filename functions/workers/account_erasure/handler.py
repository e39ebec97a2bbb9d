"""The queue of deleted accounts: what they left behind is removed."""

from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.accounts.me.erasure import erase
from storepost.platform.jobs.batches import queue_handler


def erase_account(record: SQSRecord, _context: LambdaContext) -> None:
    """Removes what one deleted account left."""
    erase(record.body)


lambda_handler = queue_handler(erase_account)
