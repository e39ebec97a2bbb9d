"""Invitations on the wire."""

from typing import Literal
from uuid import UUID

from storepost.accounts.invitations.model import Invitation, InvitationStatus
from storepost.accounts.workspaces.model import Role, Workspace
from storepost.values import clock
from storepost.values.emails import ReachableAddress
from storepost.values.wire import RequestBody, Shape, Timestamp


class NewInvitation(RequestBody):
    """Whom to invite, and as what."""

    email: ReachableAddress
    role: Literal[Role.ADMIN, Role.MEMBER]


class InvitationSummary(Shape):
    """An open invitation as the workspace sees it."""

    id: UUID
    email: str
    role: Role
    invited_by: str
    created_at: Timestamp
    expires_at: Timestamp
    expired: bool

    @classmethod
    def of(cls, invitation: Invitation) -> "InvitationSummary":
        """The invitation in this shape."""
        return cls(
            id=invitation.id,
            email=invitation.email,
            role=invitation.role,
            invited_by=invitation.invited_by,
            created_at=invitation.created_at,
            expires_at=invitation.expires_at,
            expired=invitation.has_expired(clock.now()),
        )


class InvitationPreview(Shape):
    """An invitation as whoever holds the link sees it."""

    workspace: str
    workspace_slug: str
    invited_by: str
    email: str
    role: Role
    status: InvitationStatus

    @classmethod
    def of(cls, invitation: Invitation, workspace: Workspace) -> "InvitationPreview":
        """The invitation in this shape."""
        return cls(
            workspace=workspace.name,
            workspace_slug=workspace.slug,
            invited_by=invitation.invited_by,
            email=invitation.email,
            role=invitation.role,
            status=invitation.status_at(clock.now()),
        )


class AcceptedInvitation(Shape):
    """Where accepting led."""

    workspace_slug: str
