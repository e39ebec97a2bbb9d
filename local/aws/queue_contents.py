"""Lists a queue's messages without receiving them, and sends a single dead letter back.

No operation of SQS does either: `ReceiveMessage` counts a try, and move tasks move all messages.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.sqs.models import Message, Queue, sqs_backends

from local import aws
from local.aws.moto_move_tasks import anew
from local.template import QUEUE, resources


@dataclass(frozen=True)
class QueuedMessage:
    """A message that waits or is in flight; `sent_at` is the machine's time."""

    id: str
    body: str
    group: str | None
    sent_at: datetime
    receives: int
    is_visible: bool


def dead_letters_of(queue: str) -> str | None:
    """Returns the logical id of the queue's dead-letter queue; None if it has none."""
    policy = resources(QUEUE)[queue].get("RedrivePolicy")
    return str(policy["deadLetterTargetArn"]["Fn::GetAtt"][0]) if policy else None


def messages_in(queue: str) -> list[QueuedMessage]:
    """Returns all messages of the queue with this logical id, oldest first."""
    with aws.LOCK:
        return [_read(message) for message in _queue(queue)._messages]


def send_again(queue: str, message_id: str) -> bool:
    """Sends one of the queue's dead letters back to it; returns whether it still existed."""
    dead = dead_letters_of(queue)
    if dead is None:
        return False
    with aws.LOCK:
        source, target = _queue(dead), _queue(queue)
        found = [message for message in source._messages if message.id == message_id]
        for message in found:
            source._messages.remove(message)
            target.add_message(anew(message, target))
    aws.QUEUES_CHANGED.ring()
    return bool(found)


def _queue(queue: str) -> Queue:
    return sqs_backends[DEFAULT_ACCOUNT_ID][aws.REGION].get_queue(aws.queue_name(queue))


def _read(message: Message) -> QueuedMessage:
    sent = datetime.fromtimestamp(int(message.sent_timestamp or 0) / 1000, UTC)
    return QueuedMessage(
        message.id, message.body, message.group_id, sent,
        message.approximate_receive_count, message.visible,
    )  # fmt: skip
