"""What waits longer than SQS can delay a message: rows by their time, looked through each minute.

A row holds the message of a later attempt, or of a look at a failing endpoint. It is sent first and
deleted then, so that a run that is killed in between sends it again; the worker knows an attempt
that was made. Each endpoint's rows are in one of 16 partitions, and a run takes a few hundred of
each in turn, so that no endpoint with many rows keeps the others' waiting.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from pynamodb.attributes import UnicodeAttribute

from storepost.platform.messaging.outbox import Queue, body_of
from storepost.platform.messaging.queues import MAX_SECONDS, send_fairly
from storepost.platform.persistence.item import Item, Key
from storepost.platform.persistence.patience import seconds_left
from storepost.values import clock
from storepost.values.logs import log_unexpected
from storepost.webhooks.deliveries.messages import EndpointCheckMessage, RetryMessage

SHARDS = 16
PARTITION = "due#webhooks#"
MAX_IN_TURN = 200
"""Of one partition, before the next one has its turn."""
RESERVED_SECONDS = 5.0

type LaterMessage = RetryMessage | EndpointCheckMessage


class NotSent(Exception):  # noqa: N818 - it is what happened
    """What was due in some partitions couldn't be sent."""


class WebhookDueItem(Item, discriminator="webhook_due"):
    """A message for a time to come; it holds ids alone."""

    body = UnicodeAttribute()
    tenant = UnicodeAttribute()


def queue_later(message: LaterMessage, at: datetime) -> None:
    """Queues a message for then: by SQS where that is soon, else by a row."""
    wait = at - clock.now()
    body, tenant = body_of(message.payload()), str(message.endpoint_id)
    if wait <= timedelta(seconds=MAX_SECONDS):
        seconds = max(0, round(wait.total_seconds()))
        send_fairly(Queue.WEBHOOK_RETRY, [(body, tenant)], seconds)
    else:
        due_row(message, at).save()


def due_row(message: LaterMessage, at: datetime) -> WebhookDueItem:
    """Returns the row of a message for a time to come; the same message has the same row."""
    body, tenant = body_of(message.payload()), str(message.endpoint_id)
    return WebhookDueItem(*_key(message, at), body=body, tenant=tenant)


def send_due() -> int:
    """Sends what is due; returns how many messages. Raises NotSent."""
    sent, failed = 0, 0
    waiting = set(range(SHARDS))
    while waiting and seconds_left() > RESERVED_SECONDS:
        for shard in sorted(waiting):
            try:
                number = _send(_due(shard))
            except Exception as error:  # one partition's failure is not the others'
                log_unexpected(error)
                number, failed = 0, failed + 1
            sent += number
            if number < MAX_IN_TURN:
                waiting.remove(shard)
    if failed:
        raise NotSent(failed)
    return sent


def _send(rows: Sequence[WebhookDueItem]) -> int:
    """Sends the messages of some rows, and deletes those; returns how many there were."""
    if rows:
        send_fairly(Queue.WEBHOOK_RETRY, ((row.body, row.tenant) for row in rows))
        with WebhookDueItem.batch_write() as batch:
            for row in rows:
                batch.delete(row)
    return len(rows)


def _due(shard: int) -> list[WebhookDueItem]:
    found = WebhookDueItem.query(
        f"{PARTITION}{shard}",
        WebhookDueItem.sk < clock.to_text(clock.now()),
        consistent_read=True,
        limit=MAX_IN_TURN,
    )
    return list(found)


def _key(message: LaterMessage, at: datetime) -> Key:
    named = message.delivery_id if isinstance(message, RetryMessage) else message.endpoint_id
    return (_partition(message.endpoint_id), f"{clock.to_text(at)}#{named}")


def _partition(endpoint_id: UUID) -> str:
    return f"{PARTITION}{endpoint_id.int % SHARDS}"
