"""From the table to the queues: an outbox row is sent, then deleted.

Killed in between, a row is sent again: every consumer knows a message by its deduplication id.
"""

from collections.abc import Iterable
from datetime import timedelta
from itertools import batched, chain

from storepost.platform.messaging.outbox import SHARDS, Message, OutboxItem, Queue, due
from storepost.platform.messaging.queues import address_of
from storepost.platform.messaging.queues import client as _sqs
from storepost.platform.persistence.item import remove
from storepost.values import clock
from storepost.values.logs import log_unexpected

STREAM_MISSED = timedelta(minutes=2)
_BATCH = 10


class NotSent(Exception):  # noqa: N818 - it is what happened
    """SQS refused some of a row's messages for now."""


def relay_due(row: OutboxItem) -> None:
    """Sends the outbox row that the stream brings; one whose time is to come is the sweep's."""
    if row.is_due:
        relay(row)


def relay(row: OutboxItem) -> None:
    """Sends the row's messages and deletes it."""
    messages = ((message, f"{row.id}.{number}") for number, message in enumerate(row.messages))
    send_now(Queue(row.queue), messages)
    remove(row, OutboxItem.pk.exists())


def send_now(queue: Queue, messages: Iterable[tuple[Message, str]]) -> None:
    """Sends messages, each with its deduplication id, which only FIFO queues take.

    Raises NotSent where SQS refuses some: then all of them are to be sent again.
    """
    for some in batched(messages, _BATCH, strict=False):
        entries = [_entry(number, *each) for number, each in enumerate(some)]
        answer = _sqs().send_message_batch(QueueUrl=address_of(queue), Entries=entries)
        if answer.get("Failed"):
            raise NotSent(queue)


def _entry(number: int, message: Message, deduplication_id: str) -> dict[str, str]:
    entry = {"Id": str(number), "MessageBody": message.body}
    if message.group is not None:
        entry |= {
            "MessageGroupId": message.group,
            "MessageDeduplicationId": deduplication_id,
        }
    return entry


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
