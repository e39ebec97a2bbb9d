"""The message that has a coupon's work done."""

from dataclasses import dataclass
from typing import ClassVar
from uuid import UUID

from storepost.platform.messaging.messages import WorkspaceMessage
from storepost.platform.messaging.outbox import Queue


@dataclass(frozen=True)
class CouponMessage(WorkspaceMessage):
    """Says that there is something to do for a coupon, whose messages run in turn."""

    queue: ClassVar = Queue.COUPON_CODES
    grouped_by: ClassVar = "coupon_id"
    margin_milliseconds: ClassVar = 30_000

    coupon_id: UUID
    failing: str | None = None
    """Why codes fail that the shop was to take, where a run before found that it takes none."""
