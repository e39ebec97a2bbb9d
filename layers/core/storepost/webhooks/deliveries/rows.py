"""Rows of webhook deliveries, and their keys."""

from uuid import UUID

from pynamodb.attributes import BooleanAttribute, NumberAttribute, UnicodeAttribute

from storepost.platform.attempts.model import attempt_json, attempt_of
from storepost.platform.persistence.item import Identifier, Item, Key, UtcDateTimeAttribute
from storepost.platform.persistence.mapping import as_row, as_value
from storepost.platform.persistence.records import Json, Records
from storepost.values.ids import from_short, short
from storepost.values.scope import WorkspaceScope
from storepost.webhooks.deliveries.events_json import event_json, event_of_json
from storepost.webhooks.deliveries.model import KEPT_FOR, Delivery


class DeliveryItem(Item, discriminator="endpoint_delivery"):
    """A delivery with its attempts; no part of what was sent or answered."""

    event = Json()
    status = UnicodeAttribute()
    attempts = Records("at", "status", "error", "duration_ms", named_by=["at"])
    number = NumberAttribute()
    created_at = UtcDateTimeAttribute()
    next_attempt_at = UtcDateTimeAttribute(null=True)
    replay_of = Identifier(null=True)
    is_replayed = BooleanAttribute(null=True)
    is_sample = BooleanAttribute(null=True)
    is_by_hand = BooleanAttribute(null=True)


def deliveries_partition(workspace: WorkspaceScope) -> str:
    """Returns the partition that has a workspace's deliveries, by endpoint and time."""
    return workspace.partition("webhook_deliveries")


def delivery_key(workspace: WorkspaceScope, endpoint_id: UUID, delivery_id: UUID) -> Key:
    """Returns the key of a delivery's row."""
    return (deliveries_partition(workspace), f"{short(endpoint_id)}#{short(delivery_id)}")


def row_of_delivery(delivery: Delivery) -> DeliveryItem:
    """Returns the row of a delivery; DynamoDB drops it after 30 days."""
    return as_row(
        DeliveryItem,
        delivery_key(delivery.workspace, delivery.endpoint_id, delivery.id),
        delivery,
        event=event_json(delivery.event),
        attempts=[attempt_json(each) for each in delivery.attempts],
        is_replayed=delivery.is_replayed or None,
        is_sample=delivery.is_sample or None,
        is_by_hand=delivery.is_by_hand or None,
        expiration=delivery.created_at + KEPT_FOR,
    )


def delivery_of(row: DeliveryItem) -> Delivery:
    """Returns the delivery of a row."""
    endpoint, _, identifier = row.sk.partition("#")
    return as_value(
        Delivery,
        row,
        id=from_short(identifier),
        workspace=WorkspaceScope.of(row.pk),
        endpoint_id=from_short(endpoint),
        event=event_of_json(row.event),
        attempts=tuple(attempt_of(each) for each in row.attempts),
        is_replayed=bool(row.is_replayed),
        is_sample=bool(row.is_sample),
        is_by_hand=bool(row.is_by_hand),
    )
