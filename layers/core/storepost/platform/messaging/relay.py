"""From the table to the queues: an outbox row is sent, then deleted.

Killed in between, a row is sent again: every consumer knows a message by its deduplication id.
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
"""Of a sweep's time for what it does besides: a day's rows take longer than the run has."""
MAX_MESSAGES = 10
"""In one call of SQS."""
MAX_BYTES = 200_000
"""Of the bodies in one call: SQS took 256 KB, with what else a message has, until August 2025."""


type Identified = tuple[Message, str]
"""A message and its deduplication id, which only FIFO queues take."""


class NotSent(Exception):  # noqa: N818 - it is what happened
    """SQS refused some of a row's messages for now, or there was no time for them."""


@dataclass(frozen=True)
class Outgoing:
    """What one row of the table has for a queue."""

    queue: Queue
    messages: tuple[Identified, ...]
    outbox_row: OutboxItem | None = None
    """What is deleted once the messages are sent."""


def outgoing_of(row: OutboxItem) -> Outgoing:
    """Returns what an outbox row has for its queue."""
    messages = ((message, f"{row.id}.{number}") for number, message in enumerate(row.messages))
    return Outgoing(Queue(row.queue), tuple(messages), row)


def relay(row: OutboxItem) -> None:
    """Sends the row's messages and deletes it. Raises NotSent."""
    if relay_all([outgoing_of(row)]):
        raise NotSent(row.queue)


def relay_all(parts: Sequence[Outgoing]) -> set[int]:
    """Sends what several rows have, those for one queue in as few calls as it takes.

    Returns the numbers of those of the parts that are to be sent again: SQS refused a call with a
    message of theirs, or their outbox row couldn't be deleted.
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
    """The messages as SQS takes them together."""
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
    """Returns whether the key is of an outbox row that the sweep sends by now.

    If the stream delivered such a row again, all that is behind it would wait with it, as long as
    its queue refuses it: changes of consent, too, whose queue takes them.
    """
    return pk.startswith(PARTITION) and sk < clock.to_text(clock.now() - STREAM_MISSED)


def sweep() -> int:
    """Sends what is older than two minutes; the number of rows sent.

    Each row goes by itself: one that its queue refuses holds back no other. Where any was refused,
    or there was no time for all, NotSent is raised at the end, so that the alarm of failing
    schedules rings.
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
