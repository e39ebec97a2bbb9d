"""Write-backs that a store missed while it was disconnected.

Each has a row until the store is connected again: then those whose change still holds are queued
anew, some in a transaction, and the next message comes with it. So it may be killed anywhere.
"""

from collections.abc import Iterable
from itertools import islice
from uuid import UUID

from storepost.consent.decision import ChangeRef
from storepost.consent.model import Address, ConsentChange, SkipReason, WriteBack
from storepost.consent.owed import find_owed
from storepost.consent.repository import ConsentRepository
from storepost.consent.telling import tell_stores
from storepost.ids import short
from storepost.messaging.outbox import Queue, send_with
from storepost.persistence.changes import Changes, commit_anew
from storepost.persistence.item import Identifier, Item, Key
from storepost.scope import WorkspaceScope
from storepost.stores.model import StoreStatus
from storepost.stores.repository import StoreItem, store_key

MAX_CHANGES = 25
"""In one transaction: each is its row, the change and a message."""


class MissedWriteBackItem(Item, discriminator="missed_write_back"):
    """That a disconnected store wasn't told of a change."""

    profile_id = Identifier()
    change_id = Identifier()


def missed_partition(workspace: WorkspaceScope, store_id: UUID) -> str:
    """Where it stands what a store missed."""
    return workspace.partition("missed", short(store_id))


def _key(workspace: WorkspaceScope, store_id: UUID, change: ChangeRef) -> Key:
    place = f"change#{short(change.change_id)}#{short(change.profile_id)}"
    return (missed_partition(workspace, store_id), place)


def note_missed(
    changes: Changes,
    workspace: WorkspaceScope,
    store_id: UUID,
    change: ChangeRef,
    *,
    is_away: bool = True,
) -> None:
    """Adds that the store missed the change; if it still is disconnected, where `is_away`."""
    row = MissedWriteBackItem(
        *_key(workspace, store_id, change),
        profile_id=change.profile_id,
        change_id=change.change_id,
    )
    changes.save(row)
    if is_away:
        still = StoreItem.status != StoreStatus.ACTIVE.value
        changes.expect(StoreItem(*store_key(workspace, store_id)), still)


def skip_disconnected(workspace: WorkspaceScope, change: ConsentChange, after: WriteBack) -> None:
    """Writes that a store wasn't told as it is disconnected, and that it missed the change.

    Raises LostRace where the store was connected again, or something else became of it.
    """
    changes, ref = Changes(), ChangeRef(change.profile_id, change.id)
    ConsentRepository(workspace).settle_with(changes, change, after)
    note_missed(changes, workspace, after.store_id, ref)
    changes.commit()


def miss(workspace: WorkspaceScope, store_id: UUID, change: ChangeRef, *, is_away: bool) -> None:
    """Writes that the store missed what it is owed of an erased person's change.

    `is_away` where it is disconnected: raises LostRace where it isn't any more.
    """
    changes = Changes()
    note_missed(changes, workspace, store_id, change, is_away=is_away)
    changes.commit()


def catch_up(changes: Changes, workspace: WorkspaceScope, store_id: UUID) -> None:
    """Has a store that is connected again told what it missed and still holds."""
    body: dict[str, object] = {"workspaceId": str(workspace.id), "storeId": str(store_id)}
    send_with(changes, Queue.WRITE_BACKS, [(body, f"missed#{store_id}")])


def queue_missed(workspace: WorkspaceScope, store_id: UUID) -> None:
    """Queues some of what the store missed, and the next message where there may be more."""
    commit_anew(lambda changes: _queue_some(changes, workspace, store_id))


def _queue_some(changes: Changes, workspace: WorkspaceScope, store_id: UUID) -> None:
    rows = MissedWriteBackItem.query(
        missed_partition(workspace, store_id), consistent_read=True, limit=MAX_CHANGES
    )
    some = list(islice(rows, MAX_CHANGES))
    for row in some:
        changes.delete(MissedWriteBackItem(*row.key))
        ref = ChangeRef(row.profile_id, row.change_id)
        if (owed := find_owed(workspace, ref)) is not None:
            tell_stores(changes, workspace, owed.change, (store_id,))
    for change in _holding(workspace, some):
        missed = change.write_back_to(store_id)
        if missed and missed.skip_reason is SkipReason.STORE_DISCONNECTED:
            repository = ConsentRepository(workspace)
            repository.mark(changes, change, missed.begun(), missed.status)
            tell_stores(changes, workspace, change, (store_id,))
    if len(some) == MAX_CHANGES:
        catch_up(changes, workspace, store_id)


def _holding(
    workspace: WorkspaceScope, rows: Iterable[MissedWriteBackItem]
) -> Iterable[ConsentChange]:
    """Those of the changes that still hold."""
    repository = ConsentRepository(workspace)
    refs = [ChangeRef(row.profile_id, row.change_id) for row in rows]
    found = [change for change in map(repository.get, refs) if change]
    addresses = {change.id: Address(change.channel, change.address or "") for change in found}
    consents = repository.consents_of(addresses.values())
    for change in found:
        holds = consents[addresses[change.id]].holds
        if holds and holds.change == ChangeRef(change.profile_id, change.id):
            yield change
