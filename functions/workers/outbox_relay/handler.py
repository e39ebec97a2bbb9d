"""The table's stream, filtered to what is sent on: outbox rows, and new changes of consent."""

from aws_lambda_powertools.utilities.data_classes.dynamo_db_stream_event import DynamoDBRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.people.consent.write_back_index import IndexedChangeItem
from storepost.people.consent.write_back_relay import relay_new_change
from storepost.platform.jobs.batches import stream_handler
from storepost.platform.messaging.outbox import OutboxItem
from storepost.platform.messaging.relay import relay_due
from storepost.platform.persistence.streams import row_of


def relay_row(record: DynamoDBRecord, _context: LambdaContext) -> None:
    """Sends what one row has for a queue."""
    row = row_of(record.raw_event["dynamodb"]["NewImage"])
    if isinstance(row, OutboxItem):
        relay_due(row)
    elif isinstance(row, IndexedChangeItem):
        relay_new_change(row)


lambda_handler = stream_handler(relay_row)
