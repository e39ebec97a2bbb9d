"""Invitations on the wire."""

from typing import Literal
from uuid import UUID

from pydantic import Field

from storepost.accounts.invitations.model import Invitation, InvitationStatus
from storepost.accounts.workspaces.model import Role, Workspace
from storepost.values import clock
from storepost.values.emails import ReachableAddress
from storepost.values.wire import RequestBody, Shape, Timestamp


class NewInvitation(RequestBody):
    """Whom to invite to the workspace, and as what."""

    email: ReachableAddress = Field(
        description="The email address that gets the link. Only somebody who is signed "
        "in with this address can accept."
    )
    role: Literal[Role.ADMIN, Role.MEMBER] = Field(
        description="What the person will be in the workspace. Nobody is invited as "
        "owner: transfer the ownership afterwards."
    )


class InvitationSummary(Shape):
    """An open invitation as the workspace sees it."""

    id: UUID = Field(
        description="The invitation's id, which is also in the emailed link: its holder can see "
        "the invitation's preview."
    )
    email: str = Field(description="The email address that was invited, in small letters.")
    role: Role = Field(description="What the person will be in the workspace once they accept.")
    invited_by: str = Field(
        description="The name of the person who invited, or whose API key did, as it was then."
    )
    created_at: Timestamp = Field(
        description="When the invitation was made; sending it again doesn't change that."
    )
    expires_at: Timestamp = Field(
        description="Until when it can be accepted: seven days after it was sent last."
    )
    expired: bool = Field(
        description="Whether that time is over. An expired invitation stays open: send "
        "it again, or delete it."
    )
    undeliverable: bool = Field(
        description="Whether the newest email with the link came back, or was reported as "
        "spam. Check the address: delete the invitation and invite the right one, or send it "
        "again once the mailbox works."
    )

    @classmethod
    def of(cls, invitation: Invitation) -> "InvitationSummary":
        """Returns the invitation in this shape."""
        return cls.from_model(
            invitation,
            expired=invitation.has_expired(clock.now()),
            undeliverable=invitation.is_undeliverable,
        )


class InvitationPreview(Shape):
    """An invitation as the holder of its link sees it."""

    workspace: str = Field(description="The name of the workspace that the person is invited to.")
    workspace_slug: str = Field(description="The workspace's part in web addresses.")
    invited_by: str = Field(description="The name of the person who invited, or whose API key did.")
    email: str = Field(description="The email address that was invited: sign in with it to accept.")
    role: Role = Field(description="What the person will be in the workspace once they accept.")
    status: InvitationStatus = Field(
        description="`pending`: it can be accepted or declined. `expired`: its seven "
        "days are over, but it can be sent again. `accepted`, `rejected` "
        "(declined) and `canceled` (deleted by the workspace) are final."
    )

    @classmethod
    def of(cls, invitation: Invitation, workspace: Workspace) -> "InvitationPreview":
        """Returns the invitation in this shape."""
        return cls.from_model(
            invitation,
            workspace=workspace.name,
            workspace_slug=workspace.slug,
            status=invitation.status_at(clock.now()),
        )


class AcceptedInvitation(Shape):
    """Where the person who accepted an invitation is a member now."""

    workspace_slug: str = Field(description="The workspace's part in web addresses, to go on to.")
