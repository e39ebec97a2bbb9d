"""Delayed messages for FIFO queues.

SQS delays single messages only in standard queues. So such a message waits in a message of the
retry queue, whose reader sends it to its FIFO queue when it is due.
"""

from dataclasses import dataclass
from typing import Any, ClassVar
from uuid import UUID

from storepost.platform.messaging.messages import QueueMessage
from storepost.platform.messaging.outbox import Message, Queue, body_of
from storepost.platform.messaging.relay import NotSent, Outgoing, relay_all


@dataclass(frozen=True)
class ForwardMessage(QueueMessage):
    """Requests that a message is sent to a FIFO queue."""

    queue: ClassVar = Queue.WEBHOOK_RETRY

    forward_to: Queue
    message: dict[str, Any]
    """Its JSON, which holds only ids."""
    fifo_group: str
    deduplication_id: str
    tenant_id: UUID
    """What the message is for, such as a store."""

    @property
    def tenant(self) -> UUID:
        """Returns the tenant of SQS's fair queue."""
        return self.tenant_id

    @property
    def due_name(self) -> str:
        """Returns what distinguishes its row from others of the same moment."""
        return self.deduplication_id


def forward(message: ForwardMessage) -> None:
    """Sends the message to its queue. Raises NotSent.

    If it is sent twice, it has the same deduplication id, and the worker recognizes what was done.
    """
    sent = Message(body_of(message.message), message.fifo_group)
    if relay_all([Outgoing(message.forward_to, ((sent, message.deduplication_id),))]):
        raise NotSent(message.forward_to)
