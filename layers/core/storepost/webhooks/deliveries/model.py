"""A delivery as a value: one event on its way to one endpoint, and each attempt to post it."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from storepost.platform.attempts.model import Attempt
from storepost.values.ids import derived_id
from storepost.values.scope import WorkspaceScope
from storepost.values.stored_enum import StoredEnum
from storepost.webhooks.events.model import WebhookEvent

KEPT_FOR = timedelta(days=30)
_FIRST = datetime(1970, 1, 1, tzinfo=UTC)
"""The earliest moment with which an id can begin."""
MAX_ATTEMPTS_SHOWN = 50
"""How many of a delivery's attempts are kept, the last ones: people may add to the usual ten."""


class DeliveryStatus(StoredEnum):
    """The status of a delivery. `pending`: an attempt is still to come. `delivered`: the endpoint
    answered 2xx. `failed`: the last attempt failed, or the endpoint was disabled before it.
    """

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"


@dataclass(frozen=True)
class Delivery:
    """One event on its way to one endpoint."""

    id: UUID
    """The `webhook-id` of each attempt."""
    workspace: WorkspaceScope
    endpoint_id: UUID
    event: WebhookEvent
    created_at: datetime
    status: DeliveryStatus = DeliveryStatus.PENDING
    attempts: tuple[Attempt, ...] = ()
    number: int = 0
    """How many attempts were made."""
    next_attempt_at: datetime | None = None
    replay_of: UUID | None = None
    is_replayed: bool = False
    """Whether a replay has sent it again."""
    is_sample: bool = False
    """Whether it is a test, which sends the type's sample."""
    is_by_hand: bool = False
    """Whether somebody asked for a single attempt, which isn't retried."""

    def attempted(self, attempt: Attempt, next_at: datetime | None) -> "Delivery":
        """Returns the delivery after an attempt; `next_at` is when the next one is."""
        status = DeliveryStatus.FAILED if next_at is None else DeliveryStatus.PENDING
        return replace(
            self,
            status=DeliveryStatus.DELIVERED if attempt.is_success else status,
            attempts=(*self.attempts, attempt)[-MAX_ATTEMPTS_SHOWN:],
            number=self.number + 1,
            next_attempt_at=next_at,
            is_by_hand=False,
        )


def first_delivery(
    workspace: WorkspaceScope, endpoint_id: UUID, event: WebhookEvent, **fields: object
) -> Delivery:
    """Returns an event's delivery to an endpoint before its first attempt."""
    identifier, at = delivery_id(endpoint_id, event), event.occurred_at
    made = Delivery(identifier, workspace, endpoint_id, event, at, next_attempt_at=at)
    return replace(made, **fields)  # type: ignore[arg-type]


def delivery_id(endpoint_id: UUID, event: WebhookEvent) -> UUID:
    """Returns the id that an event's delivery to an endpoint always has.

    It begins with the event's moment in milliseconds, as a UUIDv7 does, so that ids sort by time.
    """
    derived = derived_id(endpoint_id, "delivery", str(event.event_id)).int
    return _timed(event.occurred_at, derived >> 64 & 0xFFF, derived & (1 << 62) - 1)


def earliest_id(moment: datetime) -> UUID:
    """Returns the id before which ids of earlier moments sort; no event was before 1970."""
    return _timed(max(moment, _FIRST), 0, 0)


def _timed(moment: datetime, high: int, low: int) -> UUID:
    milliseconds = round(moment.timestamp() * 1000)
    return UUID(int=milliseconds << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low)


def replayed(delivery: Delivery, now: datetime) -> Delivery:
    """Returns a new delivery of a failed one's event, with an id of its own."""
    derived = derived_id(delivery.id, "replay", now.isoformat()).int
    return Delivery(
        id=_timed(now, derived >> 64 & 0xFFF, derived & (1 << 62) - 1),
        workspace=delivery.workspace,
        endpoint_id=delivery.endpoint_id,
        event=delivery.event,
        created_at=now,
        next_attempt_at=now,
        replay_of=delivery.id,
        is_sample=delivery.is_sample,
    )
