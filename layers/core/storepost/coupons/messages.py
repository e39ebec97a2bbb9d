"""The message that lets the worker work on a coupon."""

from dataclasses import dataclass
from typing import ClassVar
from uuid import UUID

from storepost.platform.messaging.messages import WorkspaceMessage
from storepost.platform.messaging.outbox import Queue


@dataclass(frozen=True)
class CouponMessage(WorkspaceMessage):
    """Says that a coupon has work left; a coupon's messages run in turn."""

    queue: ClassVar = Queue.COUPON_CODES
    grouped_by: ClassVar = "coupon_id"
    margin_milliseconds: ClassVar = 30_000

    coupon_id: UUID
    failing: str | None = None
    """Why codes to add fail, if an earlier run found that the shop accepts none."""
