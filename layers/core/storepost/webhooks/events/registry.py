"""The types of events, with what is said of each."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from storepost.values.wire import Shape

ALL = "*"
TEST_TYPE = "webhook.test"


class TestData(Shape):
    """The `data` of `webhook.test`."""

    __test__ = False


@dataclass(frozen=True)
class EventType:
    """A type of events."""

    type: str
    description: str
    schema: Any
    sample: dict[str, Any] = field(default_factory=dict)


_NAMES = (
    "profile.created",
    "profile.updated",
    "profile.merged",
    "profile.erased",
    "consent.changed",
    "order.created",
    "order.updated",
    "order.cancelled",
    "order.refunded",
    "order.deleted",
    "product.created",
    "product.updated",
    "product.removed",
    "coupon.created",
    "coupon.ended",
    "coupon_code.assigned",
    "coupon_code.used",
    "coupon_code.expired",
    "store.connected",
    "store.disconnected",
    "store.needs_attention",
    "store_import.completed",
    "store_import.failed",
    "feed_import.completed",
    "feed_import.failed",
    "change_proposal.opened",
    "change_proposal.approved",
    "change_proposal.rejected",
    "member.joined",
    "member.removed",
    "member.role_changed",
    "api_key.created",
    "api_key.rotated",
    "api_key.revoked",
    "suppression.created",
    "suppression.deleted",
    TEST_TYPE,
)

EVENT_TYPES: tuple[EventType, ...] = tuple(
    EventType(
        type=name,
        description="",
        schema=TestData,
        sample={"type": name, "timestamp": "2026-01-01T00:00:00.000Z", "data": {}},
    )
    for name in _NAMES
)


def matches(patterns: Iterable[str], type: str) -> bool:
    """Returns whether one of the patterns stands for the type: `*`, a group as `order.*`, itself.

    `webhook.test` belongs to no pattern but itself: it is sent to whoever asks for it.
    """
    group = type.partition(".")[0] + ".*"
    return any(pattern in (ALL, group, type) for pattern in patterns)
