"""Unsubscriptions of people who were erased before every store accepted them.

A row has only what a write-back needs: the stores' ids of the customers, the time, and the keyed
hash of the address. A store's part is deleted once the store accepted it.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from pynamodb.attributes import JSONAttribute, NumberAttribute, UnicodeAttribute

from storepost.people.consent.decision import ChangeRef
from storepost.people.consent.keys import erased_key
from storepost.people.consent.model import (
    Address,
    ConsentChange,
    ConsentOrigin,
    ConsentSource,
    SkipReason,
    WriteBack,
    WriteBackStatus,
)
from storepost.people.consent.states import Channel, ConsentState
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.item import (
    Key,
    UtcDateTimeAttribute,
    VersionedItem,
    find,
    find_all,
    find_in,
)
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope


class OwedOptOutItem(VersionedItem, discriminator="owed_refusal"):
    """An erased person's unsubscription, and the stores that haven't accepted it yet."""

    channel = UnicodeAttribute()
    source = UnicodeAttribute()
    occurred_at = UtcDateTimeAttribute()
    recorded_at = UtcDateTimeAttribute()
    address_hash = UnicodeAttribute()
    customers = JSONAttribute()
    """By the stores' ids: each store's own ids of the customers."""
    resends = NumberAttribute(default=0)
    attempts = JSONAttribute(null=True)
    """By the ids of the stores that accepted consent at the erasure, or that an attempt was made
    at: how many attempts failed since they were last restarted.
    """
    deliveries = JSONAttribute(null=True)
    """By the stores' ids: how many deliveries were begun, where more than one."""


@dataclass(frozen=True)
class OwedOptOut:
    """An erased person's unsubscription, and the customers whose stores haven't accepted it yet."""

    change: ConsentChange
    """The change as it is written back to the stores: without the address."""
    address_hash: str
    customers: Mapping[UUID, tuple[str, ...]]
    resends: int
    """How often it was sent again because a store accepted another change."""
    attempts: Mapping[UUID, int]
    """How many attempts failed at each store since they were last restarted; a store that never
    accepted consent isn't among them.
    """

    def is_of(self, workspace: WorkspaceScope, address: str | None) -> bool:
        """Returns whether it is about this address of its channel, in normalised form."""
        if address is None:
            return False
        return hash_of(workspace, Address(self.change.channel, address)) == self.address_hash


def hash_of(workspace: WorkspaceScope, address: Address) -> str:
    """Returns the address's keyed hash."""
    return erased_key(workspace, address)[1]


def may_be_owed(write_back: WriteBack) -> bool:
    """Returns whether the store may still have to accept the change."""
    unsettled = {WriteBackStatus.PENDING, WriteBackStatus.FAILED}
    is_disconnected = write_back.skip_reason is SkipReason.STORE_DISCONNECTED
    has_lost_permission = write_back.skip_reason is SkipReason.PERMISSION_MISSING and bool(
        write_back.attempts
    )
    return is_disconnected or has_lost_permission or write_back.status in unsettled


def add_owed(
    changes: Changes,
    workspace: WorkspaceScope,
    address: Address,
    change: ConsentChange,
    as_of: datetime,
    customers: Mapping[UUID, Iterable[str]],
    accepting: Collection[UUID],
) -> None:
    """Keeps the unsubscription for these customers' stores, even if the change is deleted.

    `as_of` is the latest time at which it was stated, `accepting` are those of the stores that
    accept consent now.
    """
    counts = {
        str(each.store_id): each.delivery_count
        for each in change.write_backs
        if each.store_id in customers and each.delivery_count > 1
    }
    tried = {
        str(each.store_id): 0
        for each in change.write_backs
        if each.store_id in customers and (each.attempts or each.store_id in accepting)
    }
    row = OwedOptOutItem(
        *_key(workspace, ChangeRef(change.profile_id, change.id)),
        channel=change.channel,
        source=change.origin.source,
        occurred_at=as_of,
        recorded_at=change.recorded_at,
        address_hash=hash_of(workspace, address),
        customers={str(store_id): sorted(ids) for store_id, ids in customers.items()},
        deliveries=counts or None,
        attempts=tried or None,
    )
    changes.create(row)


def find_owed(workspace: WorkspaceScope, change: ChangeRef) -> OwedOptOut | None:
    """Returns what is owed of a change; None where nothing is."""
    row = find(OwedOptOutItem, _key(workspace, change))
    return _as_owed(row, change) if row else None


def find_many_owed(
    workspace: WorkspaceScope, refs: Iterable[ChangeRef]
) -> dict[ChangeRef, OwedOptOut]:
    """Returns the owed opt-outs of those changes that have one; reads a hundred per call."""
    keys = {ref: _key(workspace, ref) for ref in refs}
    rows = find_all(keys.values())
    found = ((ref, find_in(rows, OwedOptOutItem, key)) for ref, key in keys.items())
    return {ref: _as_owed(row, ref) for ref, row in found if row}


def restart_owed(
    changes: Changes,
    workspace: WorkspaceScope,
    change: ChangeRef,
    store_id: UUID,
    *,
    counts: bool,
) -> None:
    """Restarts the attempts at a store; `counts` if the store has accepted another change."""
    row = find(OwedOptOutItem, _key(workspace, change))
    if row is None:
        return
    known, key = row.attempts or {}, str(store_id)
    attempts = known | {key: 0} if key in known else known
    if counts or attempts != known:
        row.resends += counts
        row.attempts = attempts or None
        changes.save(row)


def note_owed_attempt(
    workspace: WorkspaceScope, change: ChangeRef, store_id: UUID, number: int
) -> None:
    """Records that the attempt with this number failed, and that another one follows."""
    commit_anew(lambda changes: _note_attempt(changes, workspace, change, store_id, number))


def note_owed_refusal(workspace: WorkspaceScope, change: ChangeRef, store_id: UUID) -> None:
    """Records that an attempt was made at the store, and that no other one follows."""
    commit_anew(lambda changes: _note_attempt(changes, workspace, change, store_id, 0))


def _note_attempt(
    changes: Changes, workspace: WorkspaceScope, change: ChangeRef, store_id: UUID, number: int
) -> None:
    row = find(OwedOptOutItem, _key(workspace, change))
    known = (row.attempts or {}) if row else {}
    if row is not None and known.get(str(store_id), -1) < number:
        row.attempts = known | {str(store_id): number}
        changes.save(row)


def finish_owed(workspace: WorkspaceScope, change: ChangeRef, store_id: UUID) -> None:
    """Deletes the part that is owed to one store."""
    commit_anew(lambda changes: _finish(changes, workspace, change, store_id))


def _finish(changes: Changes, workspace: WorkspaceScope, change: ChangeRef, store_id: UUID) -> None:
    row = find(OwedOptOutItem, _key(workspace, change))
    if row is None:
        return
    row.customers = {key: ids for key, ids in row.customers.items() if key != str(store_id)}
    if row.customers:
        changes.save(row)
    else:
        changes.delete(row)


def _key(workspace: WorkspaceScope, change: ChangeRef) -> Key:
    """The key: in one of the partitions of erased addresses."""
    sort_key = f"refusal#{short(change.change_id)}#{short(change.profile_id)}"
    return (workspace.partition("erased", change.change_id.hex[-1]), sort_key)


def _as_owed(row: OwedOptOutItem, change: ChangeRef) -> OwedOptOut:
    customers: dict[str, list[str]] = row.customers
    deliveries: dict[str, int] = row.deliveries or {}
    opt_out = ConsentChange(
        id=change.change_id,
        profile_id=change.profile_id,
        channel=Channel(row.channel),
        state=ConsentState.UNSUBSCRIBED,
        origin=ConsentOrigin(ConsentSource(row.source)),
        address=None,
        occurred_at=row.occurred_at,
        recorded_at=row.recorded_at,
        write_backs=tuple(
            WriteBack(UUID(store_id), delivery_count=int(count))
            for store_id, count in deliveries.items()
        ),
        follows=None,
    )
    found = {UUID(store_id): tuple(ids) for store_id, ids in customers.items()}
    attempts = {UUID(store_id): int(made) for store_id, made in (row.attempts or {}).items()}
    return OwedOptOut(opt_out, row.address_hash, found, int(row.resends), attempts)
