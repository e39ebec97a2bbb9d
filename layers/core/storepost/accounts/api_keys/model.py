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

FORMER_SECRETS = 4
"""How many secrets from before rotations may work at a time, so that a key's row stays small."""


class KeyStatus(StrEnum):
    """Whether an API key works. `active`: it does. `revoked`: it never works again."""

    ACTIVE = "active"
    REVOKED = "revoked"


@dataclass(frozen=True)
class Secret:
    """One secret of a key, as its token row has it."""

    digest: str = field(repr=False)
    used_at: datetime | None
    ends_at: datetime | None = None
    """When a rotated secret stops working; None for the newest one."""


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
    """Oldest first: after a rotation a former one works until its own overlap ends."""

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

    def former_secrets(self, now: datetime) -> tuple[Secret, ...]:
        """Returns the secrets that work `now` and may go on after a rotation, oldest first."""
        working = [each for each in self.secrets if each.ends_at is None or each.ends_at > now]
        return tuple(working[-FORMER_SECRETS:])

    @property
    def last_used_at(self) -> datetime | None:
        """Returns when the key was last used, to the minute; None before its first use."""
        return latest(self.used_before, *(secret.used_at for secret in self.secrets))


def latest(*moments: datetime | None) -> datetime | None:
    """Returns the latest of the moments that aren't None."""
    known: Iterable[datetime] = (moment for moment in moments if moment is not None)
    return max(known, default=None)
