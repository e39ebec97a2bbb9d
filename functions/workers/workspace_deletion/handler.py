"""The queue of deleted workspaces: what they held is removed."""

from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.jobs.batches import queue_handler
from storepost.workspace_deletions.removing import remove


def remove_workspace(record: SQSRecord, context: LambdaContext) -> None:
    """Removes what one deleted workspace held."""
    remove(record.body, context.get_remaining_time_in_millis)


lambda_handler = queue_handler(remove_workspace)
