"""Messages due later than SQS can delay them: rows sorted by time, checked every minute.

A row holds the message of a later attempt, or of a check of a failing endpoint. The message is sent
first and the row deleted then, so that a run that is killed in between sends it again; the worker
recognizes an attempt that was made. The rows of one receiver (an endpoint, a store) are in one of
16 partitions, and a run takes a few hundred rows of each in turn, so that a partition with many
rows doesn't delay the others.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol
from uuid import UUID

from pynamodb.attributes import UnicodeAttribute

from storepost.platform.messaging.outbox import Queue, body_of
from storepost.platform.messaging.queues import MAX_SECONDS, send_fairly
from storepost.platform.persistence.item import Item, Key
from storepost.platform.persistence.patience import seconds_left
from storepost.values import clock
from storepost.values.logs import log_unexpected

SHARDS = 16
PARTITION = "due#webhooks#"
MAX_IN_TURN = 200
"""How many rows of one partition are sent before the next one has its turn."""
RESERVED_SECONDS = 5.0


class LaterMessage(Protocol):
    """A message of the retry queue, which may be delayed."""

    @property
    def tenant(self) -> UUID:
        """Returns the receiver's id, the tenant of SQS's fair queue."""

    @property
    def due_name(self) -> str:
        """Returns what distinguishes its row from others of the receiver at the same moment."""

    def payload(self) -> dict[str, object]:
        """Returns the message's JSON in the queue."""


class DueNotSent(Exception):  # noqa: N818 - it is what happened
    """Messages that were due in some partitions couldn't be sent."""


class DueMessageItem(Item, discriminator="webhook_due"):
    """A message for a later time; it holds only ids."""

    body = UnicodeAttribute()
    tenant = UnicodeAttribute()


def queue_later(message: LaterMessage, at: datetime) -> None:
    """Queues a message for that moment: by SQS if it is soon enough, else by a row."""
    wait = at - clock.now()
    body, tenant = body_of(message.payload()), str(message.tenant)
    if wait <= timedelta(seconds=MAX_SECONDS):
        seconds = max(0, round(wait.total_seconds()))
        send_fairly(Queue.WEBHOOK_RETRY, [(body, tenant)], seconds)
    else:
        due_row(message, at).save()


def due_row(message: LaterMessage, at: datetime) -> DueMessageItem:
    """Returns the row of a message for a later time; the same message has the same row."""
    body, tenant = body_of(message.payload()), str(message.tenant)
    return DueMessageItem(*_key(message, at), body=body, tenant=tenant)


def send_due() -> int:
    """Sends what is due; returns how many messages. Raises DueNotSent."""
    sent, failed = 0, 0
    waiting = set(range(SHARDS))
    while waiting and seconds_left() > RESERVED_SECONDS:
        for shard in sorted(waiting):
            try:
                number = _send(_due(shard))
            except Exception as error:  # a failure of one partition doesn't stop the others
                log_unexpected(error)
                number, failed = 0, failed + 1
            sent += number
            if number < MAX_IN_TURN:
                waiting.remove(shard)
    if failed:
        raise DueNotSent(failed)
    return sent


def _send(rows: Sequence[DueMessageItem]) -> int:
    """Sends the messages of some rows, and deletes the rows; returns how many there were."""
    if rows:
        send_fairly(Queue.WEBHOOK_RETRY, ((row.body, row.tenant) for row in rows))
        with DueMessageItem.batch_write() as batch:
            for row in rows:
                batch.delete(row)
    return len(rows)


def _due(shard: int) -> list[DueMessageItem]:
    now = clock.to_text(clock.now())
    return list(DueMessageItem.rows_before(f"{PARTITION}{shard}", now, MAX_IN_TURN))


def _key(message: LaterMessage, at: datetime) -> Key:
    shard = message.tenant.int % SHARDS
    return (f"{PARTITION}{shard}", f"{clock.to_text(at)}#{message.due_name}")
