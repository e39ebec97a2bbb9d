"""Members on the wire."""

from typing import Literal
from uuid import UUID

from storepost.accounts.members.service import Member
from storepost.accounts.workspaces.model import Role
from storepost.values.wire import RequestBody, Shape, Timestamp

type MemberOrder = Literal["name", "-name", "joinedAt", "-joinedAt"]


class MemberUpdate(RequestBody):
    """What may change of a member; nobody is made owner this way."""

    role: Literal[Role.ADMIN, Role.MEMBER]


class MemberSummary(Shape):
    """A member; the id is the membership's."""

    id: UUID
    user_id: UUID
    name: str
    email: str
    role: Role
    joined_at: Timestamp
    last_active_at: Timestamp | None

    @classmethod
    def of(cls, member: Member) -> "MemberSummary":
        """The member in this shape."""
        return cls(
            id=member.membership.id,
            user_id=member.person.id,
            name=member.person.name,
            email=member.person.email,
            role=member.membership.role,
            joined_at=member.membership.joined_at,
            last_active_at=member.membership.last_active_at,
        )
