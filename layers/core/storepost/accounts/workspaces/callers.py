"""A caller within one workspace, as services know it."""

from dataclasses import dataclass
from uuid import UUID

from storepost.accounts.identity.model import ApiKeyHolder, Caller
from storepost.accounts.workspaces.model import Membership
from storepost.values.scope import WorkspaceScope


@dataclass(frozen=True)
class Requester:
    """Who requested something, as it is stored: a person or a key, and its name at that moment."""

    name: str | None
    person_id: UUID | None = None
    key_id: UUID | None = None


@dataclass(frozen=True)
class WorkspaceCaller:
    """A caller within one workspace."""

    by: Caller
    workspace: WorkspaceScope
    membership: Membership | None
    """The signed-in person's; for a key its maker's, only if the operation demands a role."""

    @property
    def requester(self) -> Requester:
        """Returns the caller in the form that is stored."""
        if isinstance(self.by, ApiKeyHolder):
            return Requester(self.by.name, key_id=self.by.key_id)
        return Requester(self.by.person.name, person_id=self.by.person.id)

    @property
    def person_id(self) -> UUID | None:
        """Returns the person who acts, or for whom the key acts."""
        return self.by.person_id

    @property
    def key(self) -> ApiKeyHolder | None:
        """Returns the calling key, or None."""
        return self.by if isinstance(self.by, ApiKeyHolder) else None
