"""The queue of deleted workspaces: what they held is removed."""

from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.lifecycle.workspaces.removing import remove
from storepost.platform.jobs.batches import queue_handler


def remove_workspace(record: SQSRecord, context: LambdaContext) -> None:
    """Removes what one deleted workspace held."""
    remove(record.body, context.get_remaining_time_in_millis)


lambda_handler = queue_handler(remove_workspace)
