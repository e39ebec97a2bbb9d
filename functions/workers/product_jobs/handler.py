"""The queue of work on a store's products: names of many variants, changes of its rules."""

from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.catalog.priorities.running import run_job
from storepost.platform.jobs.batches import queue_handler


def work_on_products(record: SQSRecord, context: LambdaContext) -> None:
    """Does what one message asks for, or a part of it."""
    tries = int(record.attributes.approximate_receive_count)
    run_job(record.body, tries, context.get_remaining_time_in_millis)


lambda_handler = queue_handler(work_on_products)
