"""Has moto's queues count their messages only when a caller reads the counts.

moto counts them several times for each message sent, so that filling a queue takes time quadratic
in its length. It also converts each attribute's name anew.
"""

from functools import cache
from typing import Any

from moto.core.utils import camelcase_to_underscores
from moto.sqs import models
from moto.sqs.models import Queue, SQSBackend

COUNTS = tuple(name for name in Queue.BASE_ATTRIBUTES if "NumberOfMessages" in name)
attributes_by_moto = vars(Queue)["attributes"].fget
_answer_by_moto = SQSBackend.get_queue_attributes


class _WithoutCounts:
    """A queue without the message counts among its attributes."""

    BASE_ATTRIBUTES = [name for name in Queue.BASE_ATTRIBUTES if name not in COUNTS]  # noqa: RUF012

    def __init__(self, queue: Queue) -> None:
        self._queue = queue

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the queue has
        return getattr(self._queue, name)


def install() -> None:
    """Replaces moto's attributes by the faster ones."""
    Queue.attributes = property(_attributes)  # type: ignore[assignment,method-assign]
    SQSBackend.get_queue_attributes = _answer  # type: ignore[method-assign]
    vars(models)["camelcase_to_underscores"] = cache(camelcase_to_underscores)


def _attributes(queue: Queue) -> dict[str, Any]:
    known: dict[str, Any] = attributes_by_moto(_WithoutCounts(queue))
    return known


def _answer(self: SQSBackend, queue_name: str, attribute_names: list[str]) -> dict[str, Any]:
    """Answers GetQueueAttributes; only here are the messages counted."""
    found = _answer_by_moto(self, queue_name, attribute_names)
    queue = self.get_queue(queue_name)
    names = COUNTS if "All" in attribute_names else set(attribute_names) & set(COUNTS)
    return {**found, **{each: getattr(queue, camelcase_to_underscores(each)) for each in names}}
