"""The secrets that sign what is posted to an address: the newest, and former ones for a day.

A secret is `whsec_` and 24 random bytes in base64, the format of Standard Webhooks. A former one
signs for 24 hours after the rotation that replaced it, whatever is rotated meanwhile: so a rotation
that is repeated, because its answer got lost, takes nothing from a receiver.
"""

import secrets
from base64 import b64encode
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from pynamodb.attributes import UnicodeAttribute

from storepost.platform.persistence.item import UtcDateTimeAttribute, VersionedItem
from storepost.platform.persistence.records import Json

OLD_SECRET_SIGNS = timedelta(hours=24)
MAX_FORMER = 4
"""How many former secrets sign at most, as each adds a signature to every message."""


def new_secret() -> str:
    """Returns a signing secret."""
    return "whsec_" + b64encode(secrets.token_bytes(24)).decode()


@dataclass(frozen=True)
class FormerSecret:
    """A secret that was replaced, sealed, and until when it signs."""

    sealed: str = field(repr=False)
    ends_at: datetime


@dataclass(frozen=True)
class SealedSecrets:
    """The secrets that sign an address's messages, sealed."""

    newest: str = field(repr=False)
    former: tuple[FormerSecret, ...] = ()
    """The newest first."""

    def at(self, now: datetime) -> list[str]:
        """Returns the secrets that sign at a moment, the newest first."""
        return [self.newest, *(each.sealed for each in self._valid(now))]

    def rotated(self, sealed: str, now: datetime) -> "SealedSecrets":
        """Returns the secrets with a new one; the newest until now is a former one."""
        former = FormerSecret(self.newest, now + OLD_SECRET_SIGNS)
        return SealedSecrets(sealed, (former, *self._valid(now))[:MAX_FORMER])

    def _valid(self, now: datetime) -> list[FormerSecret]:
        return [each for each in self.former if now < each.ends_at]


class SigningItem(VersionedItem):
    """A row with the sealed secrets of an address."""

    secret = UnicodeAttribute()
    old_secret = UnicodeAttribute(null=True)
    """The one that the newest secret replaced."""
    old_secret_ends_at = UtcDateTimeAttribute(null=True)
    earlier_secrets = Json(null=True)
    """Those before it, which still signed at the last rotation: each with the moment it ends."""

    @property
    def secrets(self) -> SealedSecrets:
        """Returns the row's secrets."""
        former = []
        if self.old_secret and self.old_secret_ends_at:
            former.append(FormerSecret(self.old_secret, self.old_secret_ends_at))
        for sealed, ends_at in self.earlier_secrets or ():
            former.append(FormerSecret(sealed, datetime.fromisoformat(ends_at)))
        return SealedSecrets(self.secret, tuple(former))

    def store_secrets(self, sealed: SealedSecrets) -> None:
        """Sets the row's secrets."""
        former = list(sealed.former)
        old = former.pop(0) if former else None
        self.secret = sealed.newest
        self.old_secret = old.sealed if old else None
        self.old_secret_ends_at = old.ends_at if old else None
        earlier = [[each.sealed, each.ends_at.isoformat()] for each in former]
        self.earlier_secrets = earlier or None
