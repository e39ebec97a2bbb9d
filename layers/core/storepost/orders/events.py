"""The events that an order leads to: placed, cancelled, refunded (docs/interface.md, section 6).

The order's row says which events are recorded. So an order that is sent again, late, or after its
deletion records no event twice. Events belong to the order's buyer at the time of recording.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from storepost.orders.model import Order, RecordedEvents
from storepost.people.events.model import EventSource, ProfileEvent
from storepost.stores.stores.model import Platform
from storepost.values.ids import derived_id

PLACED, CANCELLED, REFUNDED = "order_placed", "order_cancelled", "order_refunded"


def recorded_events_of(order: Order) -> RecordedEvents:
    """Returns the events that are recorded once all of the order's events are."""
    return RecordedEvents(
        placed=True,
        cancelled=order.recorded.cancelled or order.cancelled,
        refunded=max(order.recorded.refunded, order.amounts.total_refunded),
    )


def events_of(order: Order, platform: Platform) -> list[ProfileEvent]:
    """Returns the events of the order that aren't recorded yet."""
    recorded, amount, events = order.recorded, order.amounts.total_refunded, list[ProfileEvent]()
    if not recorded.placed:
        events.append(_event(order, platform, PLACED, order.placed_at))
    if order.cancelled_at and not recorded.cancelled:
        events.append(_event(order, platform, CANCELLED, order.cancelled_at))
    if amount > recorded.refunded:
        refund = {
            "refunded": _money(order, amount - recorded.refunded),
            "totalRefunded": _money(order, amount),
        }
        events.append(_event(order, platform, REFUNDED, order.updated_at, refund))
    return events


def _event(
    order: Order,
    platform: Platform,
    name: str,
    occurred_at: datetime,
    more: Mapping[str, Any] | None = None,
) -> ProfileEvent:
    refunded = str(order.amounts.total_refunded) if name == REFUNDED else ""
    return ProfileEvent(
        id=derived_id(order.id, name, refunded),
        name=name,
        source=EventSource(platform),
        occurred_at=occurred_at,
        store_id=order.store_id,
        properties={
            "orderId": str(order.id),
            "externalId": order.external_id,
            "number": order.number,
            "total": _money(order, order.amounts.total),
            "items": sum(line.quantity for line in order.line_items),
            "isTest": order.is_test,
            **(more or {}),
        },
    )


def _money(order: Order, amount: int) -> dict[str, Any]:
    """Money in the form that all answers use."""
    return {"amount": amount, "currency": order.currency}
