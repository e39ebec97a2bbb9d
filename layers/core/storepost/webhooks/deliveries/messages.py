"""The messages in the queues of deliveries."""

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self
from uuid import UUID

from storepost.platform.messaging.messages import WorkspaceMessage
from storepost.platform.messaging.outbox import Queue
from storepost.webhooks.deliveries.events_json import event_json
from storepost.webhooks.deliveries.model import Delivery

GROUPS = 8
"""How many attempts of one endpoint are made at once, at most: a FIFO group makes one."""


@dataclass(frozen=True)
class DeliveryMessage(WorkspaceMessage):
    """One attempt of one delivery."""

    queue: ClassVar = Queue.WEBHOOK_DELIVERY

    endpoint_id: UUID
    delivery_id: UUID
    attempt: int = 1
    event: dict[str, Any] | None = None
    """The event of a delivery that has no row yet."""

    @property
    def group(self) -> str | None:
        """Returns the FIFO group: a slow endpoint holds up its own groups alone."""
        return f"{self.endpoint_id}#{self.delivery_id.int % GROUPS}"

    @property
    def deduplication_id(self) -> str:
        """Returns the attempt's name, which is the same however often it is queued."""
        return f"{self.delivery_id}.{self.attempt}"

    @classmethod
    def first(cls, delivery: Delivery) -> Self:
        """Returns the message of the first attempt of an event that was just committed."""
        return cls(
            delivery.workspace.id,
            delivery.endpoint_id,
            delivery.id,
            event=event_json(delivery.event),
        )

    @classmethod
    def next(cls, delivery: Delivery) -> Self:
        """Returns the message of the next attempt of a delivery that has a row."""
        return cls(
            delivery.workspace.id, delivery.endpoint_id, delivery.id, attempt=delivery.number + 1
        )


@dataclass(frozen=True)
class RetryMessage(DeliveryMessage):
    """The same in the queue of retries, where a slow endpoint holds up retries alone."""

    queue: ClassVar = Queue.WEBHOOK_RETRY

    @property
    def group(self) -> str | None:
        """Returns None: a standard queue has no groups. Its tenants are named when it is sent."""
        return None

    @property
    def tenant(self) -> UUID:
        """Returns the endpoint."""
        return self.endpoint_id

    @property
    def due_name(self) -> str:
        """Returns what distinguishes its due row from others of the same moment."""
        return str(self.delivery_id)


@dataclass(frozen=True)
class EndpointCheckMessage(WorkspaceMessage):
    """Asks whether an endpoint has been failing since a moment."""

    queue: ClassVar = Queue.WEBHOOK_RETRY

    endpoint_id: UUID
    failing_since: str

    @property
    def tenant(self) -> UUID:
        """Returns the endpoint."""
        return self.endpoint_id

    @property
    def due_name(self) -> str:
        """Returns what distinguishes its due row from others of the same moment."""
        return str(self.endpoint_id)


@dataclass(frozen=True)
class ReplayMessage(WorkspaceMessage):
    """Asks for a replay of the failed deliveries that were created in a time."""

    queue: ClassVar = Queue.WEBHOOK_RETRY

    endpoint_id: UUID
    created_from: str
    created_to: str
    types: list[str] | None = None


def as_retry(message: DeliveryMessage) -> RetryMessage:
    """Returns the message for the queue of retries."""
    return RetryMessage(**{each.name: getattr(message, each.name) for each in fields(message)})
