"""SQS's message move tasks, which moto lacks: they return dead letters to their queue.

As AWS describes it (SQS, "Configuring a dead-letter queue redrive", and the API reference of
`StartMessageMoveTask`): a moved message counts as new, with a new id and a receive count of 0; a
FIFO message keeps its deduplication id; the source must be a dead-letter queue, and has one task at
a time. A task here is complete when the call returns.
"""

import uuid
from typing import Any

from moto.core.responses import ActionResult
from moto.sqs.exceptions import SQSException
from moto.sqs.models import Message, Queue, SQSBackend
from moto.sqs.responses import SQSResponse

from storepost.values import clock

_MAX_LISTED = 10


def install() -> None:
    """Adds the two operations to moto's SQS."""
    SQSResponse.start_message_move_task = _start  # type: ignore[attr-defined]
    SQSResponse.list_message_move_tasks = _list  # type: ignore[attr-defined]


def _start(self: SQSResponse) -> ActionResult:
    source = _queue(self.sqs_backend, self._get_param("SourceArn"))
    origins = self.sqs_backend.list_dead_letter_source_queues(source.name)
    if not origins:
        raise SQSException(
            "InvalidParameterValue", "Source queue must be configured as a Dead Letter Queue."
        )
    named = self._get_param("DestinationArn")
    target = _queue(self.sqs_backend, named) if named else origins[0]
    waiting = [message for message in source._messages if message.visible]
    for message in waiting:
        source._messages.remove(message)
        target.add_message(anew(message, target))
    task = {
        "Status": "COMPLETED",
        "SourceArn": source.queue_arn,
        "DestinationArn": target.queue_arn,
        "ApproximateNumberOfMessagesMoved": len(waiting),
        "ApproximateNumberOfMessagesToMove": len(waiting),
        "StartedTimestamp": int(clock.now().timestamp() * 1000),
    }
    _tasks(source).insert(0, task)
    return ActionResult({"TaskHandle": str(uuid.uuid4())})


def _list(self: SQSResponse) -> ActionResult:
    source = _queue(self.sqs_backend, self._get_param("SourceArn"))
    limit = min(int(self._get_param("MaxResults") or 1), _MAX_LISTED)
    return ActionResult({"Results": _tasks(source)[:limit]})


def _tasks(source: Queue) -> list[dict[str, Any]]:
    """Returns the queue's completed tasks, newest first."""
    tasks: list[dict[str, Any]] = source.__dict__.setdefault("move_tasks", [])
    return tasks


def _queue(backend: SQSBackend, arn: str) -> Queue:
    return backend.get_queue(arn.rpartition(":")[2])


def anew(dead: Message, target: Queue) -> Message:
    """Returns a dead letter as the new message that its queue receives."""
    message = Message(str(uuid.uuid4()), dead.body, dead.system_attributes)
    message.message_attributes = dead.message_attributes
    if target.fifo_queue:
        message.group_id, message.deduplication_id = dead.group_id, dead.id
        message.sequence_number = dead.sequence_number
    message.mark_sent(delay_seconds=0)
    return message
