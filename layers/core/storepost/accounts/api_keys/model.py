"""An API key as a value: what is shown of it, and the digests of the secrets that work for it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from storepost.accounts.identity.model import KeyScope
from storepost.values.scope import WorkspaceScope

ACTIVE_KEYS = 100
"""How many active keys a workspace may have (docs/interface.md, section 4)."""

OVERLAP_SECONDS = 24 * 60 * 60
OWN_OVERLAP_SECONDS = 5 * 60
OWN_OVERLAP_DEFAULT = 60 * 60


class KeyStatus(StrEnum):
    """Whether an API key works. `active`: it does. `revoked`: it never works again."""

    ACTIVE = "active"
    REVOKED = "revoked"


@dataclass(frozen=True)
class Secret:
    """One secret of a key, as its token row has it."""

    digest: str = field(repr=False)
    used_at: datetime | None


@dataclass(frozen=True)
class ApiKey:
    """An API key of a workspace."""

    id: UUID
    workspace_id: UUID
    name: str
    scope: KeyScope
    prefix: str
    """The visible beginning of the newest secret."""
    maker_id: UUID | None
    created_at: datetime
    used_before: datetime | None
    """When a secret that is deleted by now was last used."""
    rotated_at: datetime | None
    revoked_at: datetime | None
    secrets: tuple[Secret, ...]
    """Oldest first, two at most: after a rotation the former one stays until its overlap ends."""

    @property
    def workspace(self) -> WorkspaceScope:
        """Returns the workspace that the key belongs to."""
        return WorkspaceScope(self.workspace_id)

    @property
    def status(self) -> KeyStatus:
        """Returns whether the key works."""
        return KeyStatus.ACTIVE if self.revoked_at is None else KeyStatus.REVOKED

    @property
    def is_active(self) -> bool:
        """Returns whether the key isn't revoked."""
        return self.revoked_at is None

    @property
    def last_used_at(self) -> datetime | None:
        """Returns when the key was last used, to the minute; None before its first use."""
        return latest(self.used_before, *(secret.used_at for secret in self.secrets))


def latest(*moments: datetime | None) -> datetime | None:
    """Returns the latest of the moments that aren't None."""
    known: Iterable[datetime] = (moment for moment in moments if moment is not None)
    return max(known, default=None)
