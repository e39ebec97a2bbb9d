"""Workspaces and memberships as values."""

import re
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from storepost.values.scope import PersonScope, WorkspaceScope
from storepost.values.stored_enum import StoredEnum
from storepost.values.text import fold

SLUG_LENGTH = 60
_UNFIT = re.compile(r"[^a-z0-9]+")
_DROPPED = str.maketrans("", "", "'\u2019")
"""Apostrophes inside a word, which a slug leaves out: Nora's Tea is noras-tea."""


class Role(StoredEnum):
    """What a person is in a workspace. `owner`: one a workspace, may do everything. `admin`:
    also manages members, invitations, API keys and connections, and exports and erases
    people. `member`: works with everything else.
    """

    OWNER = "owner"
    ADMIN = "admin"
    MEMBER = "member"


MANAGERS = frozenset({Role.OWNER, Role.ADMIN})


@dataclass(frozen=True)
class Workspace:
    """A workspace."""

    id: UUID
    name: str
    slug: str
    require_two_factor: bool
    store_count: int
    """How many of its stores are active."""

    @property
    def scope(self) -> WorkspaceScope:
        """Returns the scope of what belongs to the workspace."""
        return WorkspaceScope(self.id)


@dataclass(frozen=True)
class Membership:
    """A person's membership in a workspace."""

    id: UUID
    workspace_id: UUID
    person_id: UUID
    role: Role
    joined_at: datetime
    last_active_at: datetime | None

    @property
    def manages(self) -> bool:
        """Returns whether the role is owner or admin."""
        return self.role in MANAGERS

    @property
    def person(self) -> PersonScope:
        """Returns the member's scope."""
        return PersonScope(self.person_id)


def slug_of(name: str) -> str:
    """Returns the slug of a name: folded ASCII words joined by hyphens."""
    words = _UNFIT.sub("-", fold(name.translate(_DROPPED))).strip("-")[:SLUG_LENGTH].strip("-")
    return words or "workspace"
