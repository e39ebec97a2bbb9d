"""The events of a change of an order's row."""

from dataclasses import replace
from datetime import UTC, datetime

from storepost.orders.model import Order, RecordedEvents
from storepost.orders.repository import OrderItem, as_order
from storepost.platform.persistence.item import Item
from storepost.webhooks.events.causes.cause import Cause, Comparisons, one_cause
from storepost.webhooks.events.model import Resource

_NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)


def order_cause(old: Item | None, new: Item | None) -> Cause | None:
    """Compares what is stored under an order's id; a deleted order's row counts as none."""
    before, after = _order(old), _order(new)
    types = _types(before, after)
    order = after or before
    if not types or order is None:
        return None
    return Cause(types, Resource("order", order.id), {"storeId": order.store_id})


def _order(row: Item | None) -> Order | None:
    if not isinstance(row, OrderItem) or row.deleted_at is not None:
        return None
    return as_order(row)


def _types(before: Order | None, after: Order | None) -> tuple[str, ...]:
    if after is None:
        return ("order.deleted",) if before else ()
    types = [
        (before is None, "order.created"),
        (after.cancelled and not (before and before.cancelled), "order.cancelled"),
        (_refunded(after) > _refunded(before), "order.refunded"),
        (before is not None and _visible(before) != _visible(after), "order.updated"),
    ]
    return tuple(name for holds, name in types if holds)


def _refunded(order: Order | None) -> int:
    return order.amounts.total_refunded if order else 0


def _visible(order: Order) -> Order:
    """Returns the order without what no answer shows: the store's time, codes, recorded events."""
    return replace(
        order,
        updated_at=_NO_TIME,
        discount_codes=(),
        recorded=RecordedEvents(),
        buyer_erased=False,
    )


COMPARISONS: Comparisons = {
    OrderItem: one_cause(order_cause),
}
"""The comparisons of these kinds of rows."""
