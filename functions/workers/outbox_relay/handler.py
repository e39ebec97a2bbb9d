"""The table's stream, filtered to new outbox rows: each goes to its queue."""

from aws_lambda_powertools.utilities.data_classes.dynamo_db_stream_event import DynamoDBRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.platform.jobs.batches import stream_handler
from storepost.platform.messaging.relay import relay_image


def relay_outbox(record: DynamoDBRecord, _context: LambdaContext) -> None:
    """Sends one outbox row."""
    relay_image(record.raw_event["dynamodb"]["NewImage"])


lambda_handler = stream_handler(relay_outbox)
