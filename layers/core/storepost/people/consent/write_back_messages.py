"""What the write-backs' queue is sent of a change that a store is told of."""

import hashlib
from uuid import UUID

from storepost.people.consent.decision import ChangeRef
from storepost.values.scope import WorkspaceScope


def payload_of(workspace: WorkspaceScope, change: ChangeRef, store_id: UUID) -> dict[str, object]:
    """Returns the message that has a store told of a change: ids alone."""
    return {
        "workspaceId": str(workspace.id),
        "profileId": str(change.profile_id),
        "changeId": str(change.change_id),
        "storeId": str(store_id),
    }


def group_of(address: str | None, store_id: UUID) -> str:
    """Returns the FIFO group: one store's writes of one address go in turn, and nobody can read
    which.
    """
    return hashlib.sha256(f"{store_id}\x1f{address}".encode()).hexdigest()
