"""The workspace's index of changes that have write-backs: it finds them without a profile.

A row represents a change and names the stores that it is written back to. Only the change itself
has their status, so settling a write-back writes nothing here. A new change's row also has what its
messages need: the table's stream delivers it to the relay (`write_back_relay.py`).
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from uuid import UUID

from pynamodb.attributes import JSONAttribute, UnicodeAttribute
from pynamodb.expressions.condition import Condition

from storepost.people.consent.decision import ChangeRef
from storepost.people.consent.model import ConsentChange, WriteBackStatus
from storepost.people.consent.states import Channel
from storepost.people.consent.write_back_messages import group_of
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Identifier, Item, Key, UtcDateTimeAttribute
from storepost.values.ids import from_short, short, timed_id
from storepost.values.scope import WorkspaceScope

_SMALLEST_STEP = timedelta(milliseconds=1)
_FIRST = datetime(1970, 1, 1, tzinfo=UTC) + _SMALLEST_STEP
_LAST = datetime(9999, 12, 31, tzinfo=UTC)
"""Ids can't represent times outside this range, and no change was recorded outside it."""


class IndexedChangeItem(Item, discriminator="indexed_change"):
    """A change that has write-backs."""

    profile_id = Identifier()
    change_id = Identifier()
    channel = UnicodeAttribute()
    recorded_at = UtcDateTimeAttribute()
    stores = JSONAttribute()
    """The short ids of the stores that it is written back to, sorted by their ids."""
    groups = JSONAttribute(null=True)
    """The FIFO groups of the messages to these stores, where the relay sends them."""

    @property
    def change(self) -> ChangeRef:
        """Returns the reference of the change."""
        return ChangeRef(self.profile_id, self.change_id)


@dataclass(frozen=True)
class RecordedWithin:
    """A range of times at which changes were recorded; None leaves a side open."""

    since: datetime | None = None
    """Inclusive."""
    until: datetime | None = None
    """Exclusive."""

    def has(self, moment: datetime) -> bool:
        """Returns whether the time is in the range."""
        is_early = self.since is not None and moment < self.since
        is_late = self.until is not None and moment >= self.until
        return not (is_early or is_late)

    def of_keys(self, after: str | None = None) -> Condition:
        """Returns the range of sort keys of rows that may be in it, 1 ms wider on each side.

        With `after`, a row's sort key, only the keys after it.
        """
        low = _sort_key(_within_ids(self.since) - _SMALLEST_STEP) if self.since else _PREFIX
        if after is not None:
            # No key sorts between a key and the same key with a space: all have the same length.
            low = f"{after} "
        high = _sort_key(_within_ids(self.until) + _SMALLEST_STEP) if self.until else f"{_PREFIX}~"
        return Item.sk.between(low, high)


ANY_TIME = RecordedWithin()


@dataclass(frozen=True)
class IndexedChange:
    """A change and the stores that it is written back to."""

    ref: ChangeRef
    channel: Channel
    store_ids: tuple[UUID, ...]


_PREFIX = "change#"


def _within_ids(moment: datetime) -> datetime:
    return min(max(moment, _FIRST), _LAST)


def _sort_key(moment: datetime) -> str:
    """The first sort key of changes recorded at that time."""
    return f"{_PREFIX}{short(UUID(int=timed_id(moment).int >> 80 << 80))}"


def sort_key_of(change: ChangeRef) -> str:
    """Returns a change's sort key, which sorts by recording time."""
    return f"{_PREFIX}{short(change.change_id)}#{short(change.profile_id)}"


def index_partition(workspace: WorkspaceScope) -> str:
    """Returns the partition of a workspace's index."""
    return workspace.partition("write_backs")


def _key(workspace: WorkspaceScope, change: ChangeRef) -> Key:
    return (index_partition(workspace), sort_key_of(change))


def index_new_change(changes: Changes, workspace: WorkspaceScope, change: ConsentChange) -> None:
    """Indexes the stores of a new change; the stream queues the pending write-backs."""
    row = _row(workspace, change, {each.store_id for each in change.write_backs})
    if any(each.status is WriteBackStatus.PENDING for each in change.write_backs):
        row.groups = [group_of(change.address, from_short(store)) for store in row.stores]
    if row.stores:
        changes.save(row)


def index_change(
    changes: Changes, workspace: WorkspaceScope, change: ConsentChange, store_ids: Collection[UUID]
) -> None:
    """Indexes the stores of an existing change.

    `store_ids` are all of its stores: the row is overwritten.
    """
    changes.save(_row(workspace, change, store_ids))


def _row(
    workspace: WorkspaceScope, change: ConsentChange, store_ids: Collection[UUID]
) -> IndexedChangeItem:
    return IndexedChangeItem(
        *_key(workspace, ChangeRef(change.profile_id, change.id)),
        profile_id=change.profile_id,
        change_id=change.id,
        channel=change.channel,
        recorded_at=change.recorded_at,
        stores=[short(store_id) for store_id in sorted(store_ids)],
    )


def unindex_change(changes: Changes, workspace: WorkspaceScope, change: ConsentChange) -> None:
    """Removes the change from the index, if it has write-backs."""
    if change.write_backs:
        ref = ChangeRef(change.profile_id, change.id)
        changes.delete(IndexedChangeItem(*_key(workspace, ref)))


def indexed_changes(
    workspace: WorkspaceScope, within: RecordedWithin, limit: int
) -> Iterator[IndexedChange]:
    """Returns up to `limit` changes recorded in the range, most recent first."""
    rows = IndexedChangeItem.query(
        index_partition(workspace),
        within.of_keys(),
        consistent_read=True,
        scan_index_forward=False,
    )
    found = (_as_indexed(row) for row in rows if within.has(row.recorded_at))
    return islice(found, limit)


def indexed_rows_behind(
    workspace: WorkspaceScope, after: str | None, until: datetime, limit: int
) -> list[IndexedChangeItem]:
    """Returns rows after a sort key, of changes recorded before `until`, oldest first."""
    within = RecordedWithin(until=until)
    rows = IndexedChangeItem.query(
        index_partition(workspace), within.of_keys(after), consistent_read=True, limit=limit
    )
    return [row for row in rows if within.has(row.recorded_at)]


def _as_indexed(row: IndexedChangeItem) -> IndexedChange:
    stores = tuple(from_short(store) for store in row.stores)
    return IndexedChange(ChangeRef(row.profile_id, row.change_id), Channel(row.channel), stores)
