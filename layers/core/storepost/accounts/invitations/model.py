"""An invitation as a value."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from storepost.accounts.workspaces.model import Role
from storepost.values.scope import WorkspaceScope
from storepost.values.stored_enum import StoredEnum

VALID_FOR = timedelta(days=7)
RESEND_AFTER = timedelta(hours=1)
SENDS_A_DAY = 50
DAY = timedelta(hours=24)


class InvitationStatus(StoredEnum):
    """The status of an invitation. `pending`: it can be accepted or declined. `accepted`;
    `rejected`: the person declined. `canceled`: the workspace deleted it. `expired`: its seven days
    are over, and it can be sent again.
    """

    PENDING = "pending"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    CANCELED = "canceled"
    EXPIRED = "expired"


@dataclass(frozen=True)
class Invitation:
    """An invitation of an address to a workspace."""

    id: UUID
    workspace_id: UUID
    email: str
    role: Role
    invited_by: str
    status: InvitationStatus
    """The status in its row: never `expired`."""
    created_at: datetime
    sent_at: datetime
    expires_at: datetime
    key_id: UUID | None = None
    """The API key that made it, or None."""
    is_undeliverable: bool = False
    """Whether the newest email came back, or was reported as spam."""

    @property
    def workspace(self) -> WorkspaceScope:
        """Returns the workspace to which it invites."""
        return WorkspaceScope(self.workspace_id)

    @property
    def is_open(self) -> bool:
        """Returns whether it isn't answered or deleted; an expired one is still open."""
        return self.status is InvitationStatus.PENDING

    def has_expired(self, now: datetime) -> bool:
        """Returns whether its seven days are over."""
        return now >= self.expires_at

    def status_at(self, now: datetime) -> InvitationStatus:
        """Returns the status that a preview shows."""
        return InvitationStatus.EXPIRED if self.is_open and self.has_expired(now) else self.status
