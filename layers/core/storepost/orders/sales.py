"""What an order sold of products, and the message that requests its count.

The order's own row says that it is to be counted, and the table's stream delivers that to the
relay: no outbox row is written (docs/adr/0073).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date
from uuid import UUID

from storepost.catalog.products.model import product_id
from storepost.orders.messages import ProductSalesMessage
from storepost.orders.model import Order
from storepost.orders.repository import OrderItem
from storepost.platform.messaging.messages import send
from storepost.platform.messaging.outbox import Message, body_of
from storepost.platform.messaging.relay import Outgoing
from storepost.platform.persistence.changes import Changes
from storepost.values.scope import WorkspaceScope


@dataclass(frozen=True)
class Sold:
    """What one order sold of one product."""

    units: int
    revenue: int
    """Minor units of the order's currency: the lines' prices without their discounts."""


type SalesKey = tuple[UUID, date, str]
"""A product, a day (UTC) and a currency."""

type Sales = Mapping[SalesKey, Sold]


def sales_of(order: Order | None) -> Sales:
    """Returns what the order sold: nothing for a test, a cancelled or a deleted order."""
    if order is None or order.is_test or order.cancelled:
        return {}
    day, sold = order.placed_at.astimezone(UTC).date(), dict[SalesKey, Sold]()
    for line in order.line_items:
        if line.product_external_id is None:
            continue
        key = (product_id(order.store_id, line.product_external_id), day, order.currency)
        before = sold.get(key, Sold(0, 0))
        revenue = line.unit_price * line.quantity - line.total_discount
        sold[key] = Sold(before.units + line.quantity, before.revenue + revenue)
    return sold


def has_sold_otherwise(before: Order | None, after: Order | None) -> bool:
    """Returns whether the order's sales changed, so that they must be counted again."""
    return sales_of(before) != sales_of(after)


def outgoing_of_order(row: OrderItem) -> Outgoing | None:
    """Returns the message that requests an order's count, or None if none is needed.

    The row is a stream record's. The worker reads the order itself, so a late or repeated message
    does no harm.
    """
    if row.to_count is None:
        return None
    message = _message(WorkspaceScope.of(row.pk), row.id)
    body = Message(body_of(message.payload()))
    return Outgoing(message.queue, ((body, ""),))


def queue_sales_count(changes: Changes, workspace: WorkspaceScope, order_id: UUID) -> None:
    """Queues an order's count through the outbox, for an order whose message may be lost."""
    send(changes, _message(workspace, order_id))


def queue_sales_removal(
    changes: Changes, workspace: WorkspaceScope, store_id: UUID, order_id: UUID
) -> None:
    """Queues the removal of an order's counted sales; the order leaves no tombstone."""
    send(changes, ProductSalesMessage(workspace.id, order_id, str(store_id)))


def _message(workspace: WorkspaceScope, order_id: UUID) -> ProductSalesMessage:
    return ProductSalesMessage(workspace.id, order_id)
