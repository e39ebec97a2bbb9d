"""An event as a value: what happened, to which resource, and who is told of it."""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True)
class Resource:
    """What an event is about."""

    kind: str
    id: UUID


@dataclass(frozen=True)
class WebhookEvent:
    """Something that happened in a workspace, as a commit shows it."""

    type: str
    """Such as `order.created`."""
    event_id: UUID
    """The same whenever the same stream record is read again."""
    occurred_at: datetime
    resource: Resource | None
    ids: dict[str, str] = field(default_factory=dict)
    """Further ids, for what is gone or merged."""
    imported: bool = False
    """Whether a pull, a batch or a feed's import wrote it."""
    always: bool = False
    """Whether endpoints are told of it even of imports: a no, an erasure, a suppression."""
