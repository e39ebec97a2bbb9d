"""The queue of coupons that have something to do: each message goes on with one coupon."""

from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.coupons.working import resume
from storepost.platform.jobs.batches import fifo_queue_handler


def codes_of_coupon(record: SQSRecord, context: LambdaContext) -> None:
    """Goes on with one coupon."""
    tries = int(record.attributes.approximate_receive_count)
    resume(record.body, tries, context.get_remaining_time_in_millis)


lambda_handler = fifo_queue_handler(codes_of_coupon)
