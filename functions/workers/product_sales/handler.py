"""The queue of orders whose products are to be counted as sold."""

from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.overview.product_sales.counting import count_order
from storepost.platform.jobs.batches import queue_handler


def count_sales(record: SQSRecord, _context: LambdaContext) -> None:
    """Counts what one order sold."""
    count_order(record.body)


lambda_handler = queue_handler(count_sales)
