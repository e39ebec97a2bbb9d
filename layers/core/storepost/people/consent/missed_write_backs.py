"""Write-backs that a store hasn't accepted.

The store failed, was disconnected, or had no address, or the next attempt is more than a quarter of
an hour away. Each has a row in the store's partition until it is sent again (`resending.py`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from pynamodb.expressions.condition import Condition

from storepost.people.consent.decision import ChangeRef
from storepost.people.consent.model import ConsentChange, WriteBack
from storepost.people.consent.write_back_index import RecordedWithin, sort_key_of
from storepost.people.consent.write_back_statuses import WriteBackStatusRepository
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Identifier, Item, Key, keys_in
from storepost.stores.stores.model import StoreStatus
from storepost.stores.stores.repository import StoreItem, store_key
from storepost.stores.stores.write_back import WriteBackItem, write_back_key
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope


class MissedWriteBackItem(Item, discriminator="missed_write_back"):
    """Records that a store hasn't accepted a change."""

    profile_id = Identifier()
    change_id = Identifier()

    @property
    def change(self) -> ChangeRef:
        """Returns the reference of the change."""
        return ChangeRef(self.profile_id, self.change_id)


def missed_partition(workspace: WorkspaceScope, store_id: UUID) -> str:
    """Returns the partition of the changes that a store hasn't accepted."""
    return workspace.partition("missed", short(store_id))


def _key(workspace: WorkspaceScope, store_id: UUID, change: ChangeRef) -> Key:
    return (missed_partition(workspace, store_id), sort_key_of(change))


@dataclass(frozen=True)
class Precondition:
    """A condition on one of the store's rows, checked when a missed write-back is recorded."""

    row: Item
    condition: Condition


def is_disconnected(workspace: WorkspaceScope, store_id: UUID) -> Precondition:
    """Returns the precondition that the store is disconnected."""
    row = StoreItem(*store_key(workspace, store_id))
    return Precondition(row, StoreItem.status != StoreStatus.ACTIVE.value)


def takes_no_consent(workspace: WorkspaceScope, store_id: UUID) -> Precondition:
    """Returns the precondition that consent can't be written to the store."""
    row = StoreItem(*store_key(workspace, store_id))
    return Precondition(row, StoreItem.takes_consent == False)  # noqa: E712 - a condition of DynamoDB's


def is_connected_since(workspace: WorkspaceScope, store_id: UUID, at: datetime) -> Precondition:
    """Returns the precondition that the store wasn't connected again after that time."""
    row = StoreItem(*store_key(workspace, store_id))
    return Precondition(row, StoreItem.connected_at == at)


def has_address(workspace: WorkspaceScope, store_id: UUID, url: str) -> Precondition:
    """Returns the precondition that the store's write-backs are sent to this address."""
    return Precondition(
        WriteBackItem(*write_back_key(workspace, store_id)), WriteBackItem.url == url
    )


def note_missed(
    changes: Changes,
    workspace: WorkspaceScope,
    store_id: UUID,
    change: ChangeRef,
    precondition: Precondition | None = None,
) -> None:
    """Adds that the store lacks the change; the commit loses the race if `precondition` fails."""
    row = MissedWriteBackItem(
        *_key(workspace, store_id, change),
        profile_id=change.profile_id,
        change_id=change.change_id,
    )
    changes.save(row)
    if precondition is not None:
        changes.expect(precondition.row, precondition.condition)


def finish_as_missed(
    workspace: WorkspaceScope,
    change: ConsentChange,
    after: WriteBack,
    precondition: Precondition | None,
) -> None:
    """Writes the end of a write-back, and that the store hasn't accepted the change.

    Raises LostRace where the write-back is no longer pending, or `precondition` fails.
    """
    changes, ref = Changes(), ChangeRef(change.profile_id, change.id)
    WriteBackStatusRepository(workspace).finish_with(changes, change, after)
    note_missed(changes, workspace, after.store_id, ref, precondition)
    changes.commit()


def record_missed(
    workspace: WorkspaceScope,
    store_id: UUID,
    change: ChangeRef,
    precondition: Precondition | None = None,
) -> None:
    """Writes that the store hasn't accepted an erased person's owed opt-out.

    Raises LostRace where `precondition` fails.
    """
    changes = Changes()
    note_missed(changes, workspace, store_id, change, precondition)
    changes.commit()


def has_missed(workspace: WorkspaceScope, store_id: UUID) -> bool:
    """Returns whether there may be changes that the store hasn't accepted."""
    return bool(keys_in(missed_partition(workspace, store_id), 1))


def missed_changes(
    workspace: WorkspaceScope, store_id: UUID, within: RecordedWithin, limit: int
) -> Iterator[ChangeRef]:
    """Returns up to `limit` changes of that time that the store may not have accepted.

    A change's own row has the current status.
    """
    rows = MissedWriteBackItem.query(
        missed_partition(workspace, store_id),
        within.of_keys(),
        consistent_read=True,
        scan_index_forward=False,
        limit=limit,
    )
    return (row.change for row in rows)
