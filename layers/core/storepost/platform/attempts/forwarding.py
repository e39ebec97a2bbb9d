"""Messages for a FIFO queue that are to come later.

SQS delays single messages in standard queues alone. So such a message waits as one of the queue of
what is tried again, whose reader sends it to its FIFO queue when its time has come.
"""

from dataclasses import dataclass
from typing import Any, ClassVar
from uuid import UUID

from storepost.platform.messaging.messages import QueueMessage
from storepost.platform.messaging.outbox import Message, Queue, body_of
from storepost.platform.messaging.relay import NotSent, Outgoing, relay_all


@dataclass(frozen=True)
class ForwardMessage(QueueMessage):
    """Has a message sent to a FIFO queue."""

    queue: ClassVar = Queue.WEBHOOK_RETRY

    forward_to: Queue
    message: dict[str, Any]
    """Its JSON, which holds ids alone."""
    fifo_group: str
    deduplication_id: str
    tenant_id: UUID
    """The store, say, that the message is for."""

    @property
    def tenant(self) -> UUID:
        """Returns whom SQS is fair to."""
        return self.tenant_id

    @property
    def due_name(self) -> str:
        """Returns what distinguishes its row from others of the same moment."""
        return self.deduplication_id


def forward(message: ForwardMessage) -> None:
    """Sends the message to its queue. Raises NotSent.

    Sent twice it has the same deduplication id, and the worker knows what was done.
    """
    sent = Message(body_of(message.message), message.fifo_group)
    if relay_all([Outgoing(message.forward_to, ((sent, message.deduplication_id),))]):
        raise NotSent(message.forward_to)
