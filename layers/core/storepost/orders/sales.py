"""What an order sold of products, and the message that has it counted."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date
from uuid import UUID

from storepost.catalog.products.model import product_id
from storepost.orders.messages import ProductSalesMessage
from storepost.orders.model import Order
from storepost.platform.messaging.messages import send
from storepost.platform.persistence.changes import Changes
from storepost.values.scope import WorkspaceScope


@dataclass(frozen=True)
class Sold:
    """What one order sold of one product."""

    units: int
    revenue: int
    """Minor units of the order's currency: the lines' prices without their discounts."""


type Sales = Mapping[tuple[UUID, date, str], Sold]
"""By product, day, in UTC, and currency."""


def sales_of(order: Order | None) -> Sales:
    """What the order sold; nothing of a test, a cancelled or a deleted one."""
    if order is None or order.is_test or order.cancelled:
        return {}
    day, sold = order.placed_at.astimezone(UTC).date(), dict[tuple[UUID, date, str], Sold]()
    for line in order.line_items:
        if line.product_external_id is None:
            continue
        key = (product_id(order.store_id, line.product_external_id), day, order.currency)
        before = sold.get(key, Sold(0, 0))
        revenue = line.unit_price * line.quantity - line.total_discount
        sold[key] = Sold(before.units + line.quantity, before.revenue + revenue)
    return sold


def queue_sales_count(
    changes: Changes, workspace: WorkspaceScope, before: Order | None, after: Order | None
) -> None:
    """Has the order counted, where it sold something else than before."""
    order = after or before
    if order is None or sales_of(before) == sales_of(after):
        return
    send(changes, ProductSalesMessage(workspace.id, order.id))
