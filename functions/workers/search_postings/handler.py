"""The table's stream, filtered to the rows that are searched: their postings follow them."""

from aws_lambda_powertools.utilities.data_classes.dynamo_db_stream_event import DynamoDBRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.overview.search.indexing import update_index
from storepost.platform.jobs.batches import stream_handler


def update_postings(record: DynamoDBRecord, _context: LambdaContext) -> None:
    """Brings one row's postings to what the row is now."""
    images = record.raw_event["dynamodb"]
    update_index(images.get("OldImage"), images.get("NewImage"))


lambda_handler = stream_handler(update_postings)
