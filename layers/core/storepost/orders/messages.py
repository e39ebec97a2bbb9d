"""The message that has an order's products counted."""

from dataclasses import dataclass
from typing import ClassVar
from uuid import UUID

from storepost.platform.messaging.messages import WorkspaceMessage
from storepost.platform.messaging.outbox import Queue


@dataclass(frozen=True)
class ProductSalesMessage(WorkspaceMessage):
    """Asks for the count of what an order sold."""

    queue: ClassVar = Queue.PRODUCT_SALES

    order_id: UUID
    store_id: str | None = None
    """The store of an order that was removed without a trace: its row can't say it any more."""
