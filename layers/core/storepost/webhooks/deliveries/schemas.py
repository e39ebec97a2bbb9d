"""Deliveries on the wire."""

from typing import Annotated
from uuid import UUID

from pydantic import Field, StringConstraints

from storepost.values.wire import RequestBody, Shape, Timestamp, not_before
from storepost.webhooks.deliveries.model import Delivery, DeliveryStatus
from storepost.webhooks.deliveries.repository import CreatedWithin
from storepost.webhooks.endpoints.model import MAX_EVENTS
from storepost.webhooks.events.matching import TEST_TYPE

EventTypeName = Annotated[str, StringConstraints(min_length=1, max_length=64)]


class WebhookTest(RequestBody):
    """What a test sends."""

    type: EventTypeName = Field(
        default=TEST_TYPE,
        description="The event type whose sample is sent, such as `order.created`; `webhook.test` "
        "if left out.",
    )


class WebhookReplay(RequestBody):
    """Which failed deliveries are sent again."""

    created_from: Timestamp = Field(
        description="Failed deliveries that were created at this moment or later are sent again."
    )
    created_to: Annotated[Timestamp, not_before("created_from")] | None = Field(
        default=None,
        description="Only failed deliveries that were created before this moment. Left out: all "
        "until now.",
    )
    types: Annotated[list[EventTypeName], Field(min_length=1, max_length=MAX_EVENTS)] | None = (
        Field(default=None, description="Only events of these types. Left out: of all types.")
    )

    @property
    def created(self) -> CreatedWithin:
        """Returns the time."""
        return CreatedWithin(self.created_from, self.created_to)


class QueuedDeliveries(Shape):
    """How many deliveries are sent again."""

    queued: int = Field(description="How many failed deliveries are sent again.")


class WebhookResource(Shape):
    """What an event is about."""

    kind: str = Field(description="The kind of resource, such as `order`.")
    id: UUID = Field(description="The resource's id, by which it can be read.")


class WebhookAttempt(Shape):
    """One attempt to post a message. No part of the answer's body is kept."""

    at: Timestamp = Field(description="When the attempt began.")
    status: int | None = Field(
        description="The status that the endpoint answered with. Null where there was no answer."
    )
    error: str | None = Field(description="Why the attempt failed. Null where it succeeded.")
    duration_ms: int = Field(description="How long the attempt took, in milliseconds.")


class WebhookDelivery(Shape):
    """One event on its way to one webhook endpoint. It is kept for 30 days."""

    id: UUID = Field(description="The delivery's id: the `webhook-id` of each of its attempts.")
    type: str = Field(description="The event's type, such as `order.created`.")
    resource: WebhookResource | None = Field(
        description="What the event is about. Null for a test."
    )
    status: DeliveryStatus = Field(
        description="`pending`, an attempt is to come; `delivered`, the endpoint answered 2xx; "
        "`failed`, the last attempt failed, or the endpoint was disabled before it."
    )
    attempts: list[WebhookAttempt] = Field(
        description="Each attempt so far, the first one first; the last 50 of more."
    )
    next_attempt_at: Timestamp | None = Field(
        description="When the next attempt is. Null where none is to come."
    )
    created_at: Timestamp = Field(
        description="When the event happened, or when a test or a replay was requested."
    )
    replay_of: UUID | None = Field(
        description="The failed delivery whose event this one sends again; null for all others."
    )

    @classmethod
    def of(cls, delivery: Delivery) -> "WebhookDelivery":
        """Returns the delivery in this shape."""
        resource = delivery.event.resource
        return cls.from_model(
            delivery,
            type=delivery.event.type,
            resource=WebhookResource(kind=resource.kind, id=resource.id) if resource else None,
            attempts=[WebhookAttempt.from_model(each) for each in delivery.attempts],
        )
