"""Relays messages from the table to the queues: an outbox row is sent, then deleted.

After a kill in between, a row is sent again: every consumer recognizes a message by its
deduplication id.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain

from storepost.platform.messaging.outbox import PARTITION, SHARDS, Message, OutboxItem, Queue, due
from storepost.platform.messaging.queues import address_of
from storepost.platform.messaging.queues import client as _sqs
from storepost.platform.persistence.item import remove
from storepost.platform.persistence.patience import seconds_left
from storepost.values import clock
from storepost.values.logs import log_unexpected

STREAM_MISSED = timedelta(minutes=2)
RESERVED_SECONDS = 20.0
"""The part of a sweep's time for its other work: a day's rows take longer than a run has."""
MAX_MESSAGES = 10
"""How many messages SQS takes in one call."""
MAX_BYTES = 200_000
"""The bytes of bodies in one call: SQS took 256 KB, with all of a message, until August 2025."""


type Identified = tuple[Message, str]
"""A message and its deduplication id, which only FIFO queues take."""


class NotSent(Exception):  # noqa: N818 - it is what happened
    """SQS refused some of a row's messages for now, or there was no time for them."""


@dataclass(frozen=True)
class Outgoing:
    """The messages that one row of the table has for a queue."""

    queue: Queue
    messages: tuple[Identified, ...]
    outbox_row: OutboxItem | None = None
    """The row to delete once the messages are sent."""


def outgoing_of(row: OutboxItem) -> Outgoing:
    """Returns the messages that an outbox row has for its queue."""
    messages = ((message, f"{row.id}.{number}") for number, message in enumerate(row.messages))
    return Outgoing(Queue(row.queue), tuple(messages), row)


def relay(row: OutboxItem) -> None:
    """Sends the row's messages and deletes it. Raises NotSent."""
    if relay_all([outgoing_of(row)]):
        raise NotSent(row.queue)


def relay_all(parts: Sequence[Outgoing]) -> set[int]:
    """Sends the messages of several rows, those for one queue in as few calls as possible.

    Returns the numbers of the parts that must be sent again: SQS refused a call with one of their
    messages, or their outbox row couldn't be deleted.
    """
    failed = set[int]()
    for queue in dict.fromkeys(part.queue for part in parts):
        of_queue = (
            (number, message)
            for number, part in enumerate(parts)
            if part.queue == queue
            for message in part.messages
        )
        for call in _calls(of_queue):
            if not _is_sent(queue, [message for _, message in call]):
                failed.update(number for number, _ in call)
    sent = {number: part.outbox_row for number, part in enumerate(parts) if number not in failed}
    return failed | {number for number, row in sent.items() if row and not _is_deleted(row)}


def _calls(messages: Iterable[tuple[int, Identified]]) -> Iterator[list[tuple[int, Identified]]]:
    """Returns the messages of each call, as many as SQS takes together."""
    call: list[tuple[int, Identified]] = []
    size = 0
    for each in messages:
        length = len(each[1][0].body.encode())
        if call and (len(call) == MAX_MESSAGES or size + length > MAX_BYTES):
            yield call
            call, size = [], 0
        call.append(each)
        size += length
    if call:
        yield call


def _is_sent(queue: Queue, messages: Sequence[Identified]) -> bool:
    entries = [_entry(number, *each) for number, each in enumerate(messages)]
    try:
        answer = _sqs().send_message_batch(QueueUrl=address_of(queue), Entries=entries)
    except Exception as error:
        log_unexpected(error)
        return False
    return not answer.get("Failed")


def _is_deleted(row: OutboxItem) -> bool:
    try:
        remove(row, OutboxItem.pk.exists())
    except Exception as error:
        log_unexpected(error)
        return False
    return True


def _entry(number: int, message: Message, deduplication_id: str) -> dict[str, str]:
    entry = {"Id": str(number), "MessageBody": message.body}
    if message.group is not None:
        entry |= {
            "MessageGroupId": message.group,
            "MessageDeduplicationId": deduplication_id,
        }
    return entry


def is_left_to_sweep(pk: str, sk: str) -> bool:
    """Returns whether the key is of an outbox row that is old enough for the sweep.

    If the stream delivered such a row again, all records after it would wait for as long as its
    queue refuses it: changes of consent, too, whose queue accepts them.
    """
    return pk.startswith(PARTITION) and sk < clock.to_text(clock.now() - STREAM_MISSED)


def sweep() -> int:
    """Sends the rows that are due for more than two minutes; returns how many rows it sent.

    Each row is sent by itself: a row that its queue refuses delays no other. If any was refused, or
    there was no time for all, NotSent is raised at the end, so that the alarm of failing schedules
    is triggered.
    """
    before = clock.now() - STREAM_MISSED
    sent, failures = 0, set[str]()
    for row in chain.from_iterable(due(shard, before) for shard in range(SHARDS)):
        if seconds_left() < RESERVED_SECONDS:
            failures.add("out of time")
            break
        try:
            relay(row)
        except Exception as error:
            log_unexpected(error)
            failures.add(row.queue)
        else:
            sent += 1
    if failures:
        raise NotSent(", ".join(sorted(failures)))
    return sent
