"""From the outbox to the queues: send, then delete the row.

Killed in between, a row is sent again: every consumer knows a message by its deduplication id.
"""

from datetime import timedelta
from functools import cache
from typing import Any

import boto3

from storepost import clock
from storepost.messaging.outbox import SHARDS, OutboxItem, Queue, due
from storepost.settings import settings

STREAM_MISSED = timedelta(minutes=2)
_BATCH = 10


class NotSent(Exception):  # noqa: N818 - it is what happened
    """SQS refused some of the row's messages for now."""


@cache
def _sqs() -> Any:  # noqa: ANN401 - botocore's clients have no static type
    return boto3.client("sqs")


def _address(queue: Queue) -> str:
    urls = {
        Queue.EMAILS: settings().email_queue_url,
        Queue.WRITE_BACKS: settings().write_back_queue_url,
        Queue.ACCOUNT_ERASURES: settings().account_erasure_queue_url,
        Queue.STORE_IMPORTS: settings().store_import_queue_url,
        Queue.PROFILE_MERGES: settings().profile_merge_queue_url,
        Queue.WEBHOOKS: settings().webhook_queue_url,
        Queue.PROFILE_ERASURES: settings().profile_erasure_queue_url,
        Queue.WORKSPACE_DELETIONS: settings().workspace_deletion_queue_url,
        Queue.FEED_IMPORTS: settings().feed_import_queue_url,
        Queue.PRODUCT_JOBS: settings().product_job_queue_url,
        Queue.PRODUCT_SALES: settings().product_sales_queue_url,
        Queue.COUPON_CODES: settings().coupon_code_queue_url,
    }
    return urls[queue]


def relay_image(image: dict[str, Any]) -> None:
    """Sends the outbox row that the stream brings, in DynamoDB's own notation."""
    relay(OutboxItem.from_raw_data(image))


def relay(row: OutboxItem) -> None:
    """Sends the row's messages and deletes it."""
    entries = []
    for number, message in enumerate(row.messages):
        entry = {"Id": str(number), "MessageBody": message.body}
        if message.group is not None:
            entry |= {
                "MessageGroupId": message.group,
                "MessageDeduplicationId": f"{row.id}.{number}",
            }
        entries.append(entry)
    for first in range(0, len(entries), _BATCH):
        answer = _sqs().send_message_batch(
            QueueUrl=_address(Queue(row.queue)), Entries=entries[first : first + _BATCH]
        )
        if answer.get("Failed"):
            raise NotSent(row.queue)
    row.delete()


def sweep() -> int:
    """Sends what is older than two minutes; the number of rows sent."""
    before = clock.now() - STREAM_MISSED
    sent = 0
    for shard in range(SHARDS):
        for row in due(shard, before):
            relay(row)
            sent += 1
    return sent
