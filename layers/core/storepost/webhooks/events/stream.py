"""Which events a record of the table's stream stands for."""

from aws_lambda_powertools.utilities.data_classes.dynamo_db_stream_event import DynamoDBRecord

from storepost.values.scope import WorkspaceScope
from storepost.webhooks.events.model import WebhookEvent


def events_of(_record: DynamoDBRecord) -> list[tuple[WorkspaceScope, WebhookEvent]]:
    """Returns the record's events, each with its workspace."""
    return []
