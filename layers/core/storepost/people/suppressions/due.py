"""The due queue of suppressions that end by themselves; a schedule moves these to the history."""

from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from storepost.people.suppressions.model import Suppression
from storepost.people.suppressions.rows import SuppressionDueItem
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Key
from storepost.values import clock
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope

_SHARDS = 4


def due_key(suppression_id: UUID, ends_at: datetime) -> Key:
    """Returns the key of the row that makes a suppression's end due."""
    return (
        partition(suppression_id.int % _SHARDS),
        f"{clock.to_text(ends_at)}#{short(suppression_id)}",
    )


def note_end(
    changes: Changes,
    workspace: WorkspaceScope,
    before: Suppression | None,
    after: Suppression,
    digest: str,
) -> None:
    """Updates the due row when a suppression's end changes; a lifted one has none."""
    old = before.ends_at if before else None
    new = None if after.lifted_at else after.ends_at
    if old and old != new:
        changes.delete(SuppressionDueItem(*due_key(after.id, old)))
    if new and old != new:
        key = due_key(after.id, new)
        due = SuppressionDueItem(*key, id=after.id, workspace_id=workspace.id, digest=digest)
        changes.save(due)


def due_before(now: datetime) -> Iterator[SuppressionDueItem]:
    """Returns the due rows of all workspaces."""
    for shard in range(_SHARDS):
        yield from SuppressionDueItem.rows_before(partition(shard), clock.to_text(now) + "$")


def partition(shard: int) -> str:
    """Returns one of the partitions that the schedule reads."""
    return f"due#suppressions#{shard}"
