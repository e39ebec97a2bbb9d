"""From events to the queue of deliveries: a message for each endpoint that is sent an event.

One read finds which of a batch's workspaces have endpoints, for all its events. Their endpoints are
read in one query each. A workspace without endpoints costs one small read a batch.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from storepost.platform.messaging.outbox import Message, Queue, body_of
from storepost.platform.messaging.relay import Identified, NotSent, Outgoing, relay_all
from storepost.values.scope import WorkspaceScope
from storepost.webhooks.deliveries.messages import DeliveryMessage
from storepost.webhooks.deliveries.model import first_delivery
from storepost.webhooks.endpoints.model import WebhookEndpoint
from storepost.webhooks.endpoints.repository import by_workspace
from storepost.webhooks.events.model import WebhookEvent
from storepost.webhooks.events.stream import events_of

type Happened = tuple[WorkspaceScope, WebhookEvent]
"""An event with its workspace."""


def enqueue_deliveries(events: Iterable[Happened]) -> None:
    """Queues each event for each endpoint that is sent it. Raises NotSent.

    An event that is queued twice has the same delivery, and the worker makes each attempt once.
    """
    if relay_all(list(outgoing_deliveries({None: list(events)}).values())):
        raise NotSent(Queue.WEBHOOK_DELIVERY)


def enqueue_again(record: Mapping[str, Any]) -> None:
    """Queues the events of a stream record, after the relay failed with it. Raises NotSent."""
    enqueue_deliveries(events_of(record))


def outgoing_deliveries[K: Hashable](
    events: Mapping[K, Sequence[Happened]],
) -> dict[K, Outgoing]:
    """Returns the messages to queue, by the keys of their events; none without subscribers."""
    if not any(events.values()):
        return {}
    named = {workspace for some in events.values() for workspace, _ in some}
    endpoints = by_workspace(named)
    found = {key: _messages(some, endpoints) for key, some in events.items()}
    return {
        key: Outgoing(Queue.WEBHOOK_DELIVERY, messages)
        for key, messages in found.items()
        if messages
    }


def _messages(
    events: Sequence[Happened], endpoints: Mapping[WorkspaceScope, Sequence[WebhookEndpoint]]
) -> tuple[Identified, ...]:
    messages = (
        DeliveryMessage.first(first_delivery(workspace, endpoint.id, its_event))
        for workspace, event in events
        for endpoint in endpoints.get(workspace, ())
        if (its_event := endpoint.event_for(event)) is not None
    )
    return tuple(_identified(each) for each in messages)


def _identified(message: DeliveryMessage) -> Identified:
    return Message(body_of(message.payload()), message.group), message.deduplication_id
