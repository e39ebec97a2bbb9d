"""The messages of the write-backs' queue about a change."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from storepost.people.consent.decision import ChangeRef
from storepost.values import clock
from storepost.values.scope import WorkspaceScope

OF_ERASED = "erased"
"""What the attempts for an erased person are known by: those of before the erasure have others."""


def payload_of(workspace: WorkspaceScope, change: ChangeRef, store_id: UUID) -> dict[str, object]:
    """Returns the message of a write-back's first attempt: ids alone."""
    return {
        "workspaceId": str(workspace.id),
        "profileId": str(change.profile_id),
        "changeId": str(change.change_id),
        "storeId": str(store_id),
    }


@dataclass(frozen=True)
class NamedAttempt:
    """Says which attempt a message asks for."""

    number: int = 1
    since: str | None = None
    """When these attempts began, as text: a write-back that is begun again has others."""

    @property
    def is_of_erased(self) -> bool:
        """Returns whether it is of what is owed to a store since the person was erased."""
        return self.since == OF_ERASED

    @classmethod
    def of(cls, message: Mapping[str, Any]) -> "NamedAttempt":
        """Returns what a message of the queue says."""
        return cls(message.get("attempt", 1), message.get("since"))

    def added_to(self, payload: dict[str, object]) -> dict[str, object]:
        """Returns the message of a first attempt as that of this one."""
        named = {"attempt": self.number, "since": self.since}
        return payload | {name: value for name, value in named.items() if value is not None}


def series_of(pending_since: datetime | None) -> str | None:
    """Returns what the attempts of a write-back are known by that was begun then."""
    return clock.to_text(pending_since) if pending_since else None


def group_of(address: str | None, store_id: UUID) -> str:
    """Returns the FIFO group: one store's writes of one address go in turn, and nobody can read
    which.
    """
    return hashlib.sha256(f"{store_id}\x1f{address}".encode()).hexdigest()
