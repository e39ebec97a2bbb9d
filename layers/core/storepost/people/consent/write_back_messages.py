"""The messages about a change in the write-backs' queue."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from storepost.people.consent.decision import ChangeRef
from storepost.values import clock
from storepost.values.scope import WorkspaceScope

GROUPS = 8
"""How many attempts at one store are made at once, at most: a FIFO group makes one."""
OF_ERASED = "erased"
"""The series of attempts for an erased person; attempts from before the erasure have others."""


def payload_of(workspace: WorkspaceScope, change: ChangeRef, store_id: UUID) -> dict[str, object]:
    """Returns the message of a write-back's first attempt, which has only ids."""
    return {
        "workspaceId": str(workspace.id),
        "profileId": str(change.profile_id),
        "changeId": str(change.change_id),
        "storeId": str(store_id),
    }


@dataclass(frozen=True)
class NamedAttempt:
    """The attempt that a message requests."""

    number: int = 1
    since: str | None = None
    """When this series of attempts began, as text: a write-back that begins again has another."""

    @property
    def is_of_erased(self) -> bool:
        """Returns whether it is an attempt to deliver an owed opt-out."""
        return self.since == OF_ERASED

    @classmethod
    def of(cls, message: Mapping[str, Any]) -> "NamedAttempt":
        """Returns the attempt that a message of the queue names."""
        return cls(message.get("attempt", 1), message.get("since"))

    def added_to(self, payload: dict[str, object]) -> dict[str, object]:
        """Returns the message of a first attempt, changed to name this one."""
        named = {"attempt": self.number, "since": self.since}
        return payload | {name: value for name, value in named.items() if value is not None}


def series_of(pending_since: datetime | None) -> str | None:
    """Returns the name of the series of attempts that began at that time."""
    return clock.to_text(pending_since) if pending_since else None


def group_of(address: str | None, store_id: UUID) -> str:
    """Returns the FIFO group: writes of one address to one store are made in sequence.

    A store that hangs holds up its own groups alone. The address can't be read from it.
    """
    digest = hashlib.sha256(f"{store_id}\x1f{address}".encode()).digest()
    return f"{store_id}#{digest[0] % GROUPS}"
