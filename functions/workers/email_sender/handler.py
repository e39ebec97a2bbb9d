"""The queue of emails: each is rendered and handed to SES."""

from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.accounts.emails.sending import send
from storepost.platform.jobs.batches import queue_handler


def send_email(record: SQSRecord, context: LambdaContext) -> None:
    """Sends one email."""
    send(record.body, context)


lambda_handler = queue_handler(send_email)
