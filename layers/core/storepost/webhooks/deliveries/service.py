"""Deliveries for owners and admins: a test, another attempt, a replay of failed ones."""

from collections.abc import Collection
from dataclasses import replace
from uuid import UUID

from storepost.platform.messaging.messages import send
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.scope import WorkspaceScope
from storepost.webhooks.deliveries.listing import DeliveryFilter, found_delivery, matching
from storepost.webhooks.deliveries.messages import DeliveryMessage, ReplayMessage
from storepost.webhooks.deliveries.model import Delivery, DeliveryStatus, first_delivery
from storepost.webhooks.deliveries.repository import CreatedWithin, DeliveryRepository
from storepost.webhooks.endpoints.model import WebhookEndpoint
from storepost.webhooks.endpoints.problems import EndpointDisabled
from storepost.webhooks.endpoints.repository import EndpointRepository
from storepost.webhooks.endpoints.service import check_types, found_endpoint
from storepost.webhooks.events.model import WebhookEvent


def send_test(
    workspace: WorkspaceScope, endpoint_id: UUID, event_type: str, changes: Changes
) -> Delivery:
    """Sends an endpoint the sample of a type. Raises EndpointDisabled and UnknownEventType."""
    check_types("/type", [event_type])
    endpoint = _enabled(workspace, endpoint_id)
    event = WebhookEvent(event_type, new_id(), clock.now(), None)
    delivery = first_delivery(workspace, endpoint_id, event, is_sample=True)
    EndpointRepository(workspace).expect(changes, endpoint)
    DeliveryRepository(workspace).create(changes, delivery)
    send(changes, DeliveryMessage.next(delivery))
    return delivery


def retry_delivery(
    workspace: WorkspaceScope, endpoint_id: UUID, delivery_id: UUID, changes: Changes
) -> Delivery:
    """Makes one attempt now, whatever the delivery's status is.

    For a pending delivery it is the next attempt, and the others follow it.
    """
    before = found_delivery(workspace, endpoint_id, delivery_id)
    is_pending = before.status is DeliveryStatus.PENDING
    endpoint = found_endpoint(workspace, endpoint_id)
    after = replace(
        before,
        status=DeliveryStatus.PENDING,
        next_attempt_at=clock.now(),
        is_by_hand=before.is_by_hand or not is_pending or not endpoint.is_enabled,
    )
    DeliveryRepository(workspace).save(changes, before, after)
    send(changes, DeliveryMessage.next(after))
    return after


def replay_failed(
    workspace: WorkspaceScope,
    endpoint_id: UUID,
    created: CreatedWithin,
    types: Collection[str] | None,
    changes: Changes,
) -> int:
    """Queues a replay of the deliveries that failed in a time; returns how many they are.

    Raises EndpointDisabled, UnknownEventType and FilterTooBroad.
    """
    for place, each in enumerate(types or ()):
        check_types(f"/types/{place}", [each])
    endpoint = _enabled(workspace, endpoint_id)
    now = clock.now()
    until = min(created.until, now) if created.until else now
    within = CreatedWithin(created.since, until)
    found = failed_in(workspace, endpoint_id, within, types)
    if found:
        EndpointRepository(workspace).expect(changes, endpoint)
        send(
            changes,
            ReplayMessage(
                workspace.id,
                endpoint_id,
                clock.to_text(created.since or now),
                clock.to_text(until),
                sorted(types) if types else None,
            ),
        )
    return len(found)


def failed_in(
    workspace: WorkspaceScope,
    endpoint_id: UUID,
    within: CreatedWithin,
    types: Collection[str] | None,
) -> list[Delivery]:
    """Returns a time's failed deliveries that weren't replayed, newest first.

    Raises FilterTooBroad.
    """
    filters = DeliveryFilter(types, {DeliveryStatus.FAILED}, within)
    found = matching(workspace, endpoint_id, filters, place="/")
    return [each for each in found if not each.is_replayed]


def _enabled(workspace: WorkspaceScope, endpoint_id: UUID) -> WebhookEndpoint:
    endpoint = found_endpoint(workspace, endpoint_id)
    if not endpoint.is_enabled:
        raise EndpointDisabled()
    return endpoint
