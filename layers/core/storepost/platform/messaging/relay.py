"""From the outbox to the queues: send, then delete the row.

Killed in between, a row is sent again: every consumer knows a message by its deduplication id.
"""

from datetime import timedelta
from itertools import chain
from typing import Any

from storepost.platform.messaging.outbox import SHARDS, OutboxItem, Queue, due
from storepost.platform.messaging.queues import address_of
from storepost.platform.messaging.queues import client as _sqs
from storepost.platform.persistence.item import remove
from storepost.values import clock
from storepost.values.logs import log_unexpected

STREAM_MISSED = timedelta(minutes=2)
_BATCH = 10


class NotSent(Exception):  # noqa: N818 - it is what happened
    """SQS refused some of the row's messages for now."""


def relay_image(image: dict[str, Any]) -> None:
    """Sends the outbox row that the stream brings, in DynamoDB's own notation.

    A row whose time is to come is left to the sweep.
    """
    row = OutboxItem.from_raw_data(image)
    if row.is_due:
        relay(row)


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
            QueueUrl=address_of(Queue(row.queue)), Entries=entries[first : first + _BATCH]
        )
        if answer.get("Failed"):
            raise NotSent(row.queue)
    remove(row, OutboxItem.pk.exists())


def sweep() -> int:
    """Sends what is older than two minutes; the number of rows sent.

    Each row goes by itself: one that its queue refuses holds back no other. Where any was refused,
    NotSent is raised at the end, so that the alarm of failing schedules rings.
    """
    before = clock.now() - STREAM_MISSED
    sent, refused = 0, set[str]()
    for row in chain.from_iterable(due(shard, before) for shard in range(SHARDS)):
        try:
            relay(row)
        except Exception as error:
            log_unexpected(error)
            refused.add(row.queue)
        else:
            sent += 1
    if refused:
        raise NotSent(", ".join(sorted(refused)))
    return sent
