"""The table's stream, filtered to the rows that are searched: updates their postings."""

from aws_lambda_powertools.utilities.data_classes.dynamo_db_stream_event import DynamoDBRecord

from storepost.overview.search.indexing import posting_writes, write_batch
from storepost.platform.jobs.batches import stream_batch_handler
from storepost.platform.postings.writing import PostingWrites


def writes_of(record: DynamoDBRecord) -> PostingWrites | None:
    """Returns the changes that update one row's postings."""
    images = record.raw_event["dynamodb"]
    return posting_writes(images.get("OldImage"), images.get("NewImage"))


lambda_handler = stream_batch_handler(writes_of, write_batch)
