"""The message that requests the count of an order's products."""

from dataclasses import dataclass
from typing import ClassVar
from uuid import UUID

from storepost.platform.messaging.messages import WorkspaceMessage
from storepost.platform.messaging.outbox import Queue


@dataclass(frozen=True)
class ProductSalesMessage(WorkspaceMessage):
    """Requests the count of the products that an order sold."""

    queue: ClassVar = Queue.PRODUCT_SALES

    order_id: UUID
    store_id: str | None = None
    """The store of an order that was removed without a tombstone, as no row names it any more."""
