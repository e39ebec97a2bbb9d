"""SQS's queues: their addresses, and when a failed message is delivered again.

By itself, SQS hides a failed message for six times its reader's timeout, which suits runs that were
killed. A message whose work failed is delivered again after seconds, then minutes.
"""

import random
from collections.abc import Iterable
from functools import cache
from itertools import batched
from typing import Any

from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from storepost.platform.messaging.outbox import Queue
from storepost.platform.persistence.clients import make_client
from storepost.values.settings import settings

MAX_SECONDS = 900
_FIRST_SECONDS = 5
_FACTOR = 4
_BATCH = 10


@cache
def client() -> Any:  # noqa: ANN401 - botocore's clients have no static type
    """Returns the one SQS client; it is made on first use, as most readers never need it."""
    return make_client("sqs")


def address_of(queue: Queue) -> str:
    """Returns the queue's address."""
    return settings().queue_urls[queue]


def _address_by_arn(arn: str) -> str:
    name = arn.rpartition(":")[2]
    return next(url for url in map(address_of, Queue) if url.rpartition("/")[2] == name)


class NotQueued(Exception):  # noqa: N818 - it is what happened
    """SQS refused some of the messages."""


def send_fairly(queue: Queue, messages: Iterable[tuple[str, str]], delay_seconds: int = 0) -> None:
    """Sends messages, each a body and its tenant, to a standard queue. Raises NotQueued.

    A queue whose messages name tenants is a fair queue: SQS prefers messages of tenants that keep
    few readers busy (SQS, "How Amazon SQS fair queues work"). `delay_seconds` is 900 at most.
    """
    for some in batched(messages, _BATCH, strict=False):
        answer = client().send_message_batch(
            QueueUrl=address_of(queue),
            Entries=[
                {
                    "Id": str(number),
                    "MessageBody": body,
                    "MessageGroupId": tenant,
                    "DelaySeconds": delay_seconds,
                }
                for number, (body, tenant) in enumerate(some)
            ],
        )
        if answer.get("Failed"):
            raise NotQueued(queue)


def longest_wait(receives: int, first_seconds: int = _FIRST_SECONDS) -> int:
    """Returns the seconds within which a message that failed so many times is delivered again."""
    return min(MAX_SECONDS, first_seconds * int(_FACTOR ** (receives - 1)))


def redeliver_soon(records: Iterable[SQSRecord]) -> None:
    """Makes SQS deliver failed messages of one queue again soon, by how often each was delivered.

    Half of the wait is random, so that messages that failed together aren't delivered together. If
    SQS refuses, they are delivered after the queue's own visibility timeout.
    """
    for some in batched(records, _BATCH, strict=False):
        client().change_message_visibility_batch(
            QueueUrl=_address_by_arn(some[0].event_source_arn),
            Entries=[
                {
                    "Id": str(number),
                    "ReceiptHandle": record.receipt_handle,
                    "VisibilityTimeout": _wait(int(record.attributes.approximate_receive_count)),
                }
                for number, record in enumerate(some)
            ],
        )


def _wait(receives: int) -> int:
    longest = longest_wait(receives)
    return round(random.uniform(longest / 2, longest))  # noqa: S311
