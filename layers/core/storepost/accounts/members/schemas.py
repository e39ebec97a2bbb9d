"""Members on the wire."""

from typing import Literal
from uuid import UUID

from pydantic import Field

from storepost.accounts.members.service import Member
from storepost.accounts.workspaces.model import Role
from storepost.values.wire import RequestBody, Shape, Timestamp

MemberOrder = Literal["name", "-name", "joinedAt", "-joinedAt"]


class MemberUpdate(RequestBody):
    """What can be changed of a member: the role, but nobody becomes the owner this way."""

    role: Literal[Role.ADMIN, Role.MEMBER] = Field(
        description="`admin` or `member`. To make somebody the owner, transfer the ownership."
    )


class MemberSummary(Shape):
    """A person who belongs to the workspace."""

    id: UUID = Field(
        description="The membership's id, which the operations on members take. It "
        "isn't the person's."
    )
    user_id: UUID = Field(description="The person's id, the same in every workspace.")
    name: str = Field(description="The person's name, as they chose it for their account.")
    email: str = Field(description="The address that the person signs in with.")
    role: Role = Field(
        description="`owner`: one a workspace, may do everything. `admin`: also "
        "manages members, invitations, API keys and connections, and "
        "exports and erases people. `member`: works with everything else."
    )
    joined_at: Timestamp = Field(description="When the person became a member of this workspace.")
    last_active_at: Timestamp | None = Field(
        description="When the person last made a request in this workspace, to the "
        "minute. Null as long as there was none."
    )

    @classmethod
    def of(cls, member: Member) -> "MemberSummary":
        """Returns the member in this shape."""
        return cls.from_model(
            member.membership,
            user_id=member.person.id,
            name=member.person.name,
            email=member.person.email,
        )
