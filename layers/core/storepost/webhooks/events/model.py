"""Events as values: what happened in a workspace, by ids alone."""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True)
class Resource:
    """What an event is about."""

    kind: str
    """Such as `order`."""
    id: UUID


@dataclass(frozen=True)
class WebhookEvent:
    """Something that happened; it holds no personal data, so it may be stored."""

    type: str
    """Such as `order.created`."""
    event_id: UUID
    """It is the same whenever the same stream record is read again."""
    occurred_at: datetime
    """When the change was committed, to the second."""
    resource: Resource | None
    """None for `webhook.test`."""
    ids: dict[str, str] = field(default_factory=dict)
    """Further ids, by their names in the message: what is gone is named by them."""
    imported: bool = False
    """Whether a pull, a batch, a feed's import or a list of consents wrote it."""
    always: bool = False
    """Whether it is sent even for imports: an unsubscription, an erasure, a suppression."""
    also: tuple[str, ...] = ()
    """Further types of the same commit, the most specific first. An endpoint gets one message of
    the commit: of the first of `type` and these to which it subscribes (`registry.type_for`).
    """
