"""The queue of emails: each is rendered and handed to SES."""

from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.accounts.emails.messages import OptIn
from storepost.accounts.emails.outgoing import OutgoingEmail
from storepost.accounts.emails.sending import send
from storepost.platform.jobs.batches import queue_handler


def send_email(record: SQSRecord, context: LambdaContext) -> None:
    """Sends one email, unless it is to a shopper who has refused it since it was queued."""
    send(record.body, context, is_wanted)


def is_wanted(email: OutgoingEmail) -> bool:
    """Returns whether the email may be sent now."""
    if email.template != OptIn.template:
        return True
    # Most emails are to accounts, and need nothing of profiles.
    from storepost.people.opt_in.requesting import is_still_wanted  # noqa: PLC0415 - 300 ms

    return is_still_wanted(str(email.params["link"]))


lambda_handler = queue_handler(send_email)
