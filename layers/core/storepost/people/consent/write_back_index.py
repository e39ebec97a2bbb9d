"""The workspace's index of changes that have write-backs: it finds them without a profile.

A row stands for a change and names the stores that it is written back to. What became of each
stands in the change alone, so that settling a write-back costs nothing here. The row of a new
change has what its messages need, too: the table's stream delivers it to the relay
(`write_back_relay.py`).
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
"""Ids have no moment outside of these, nor was anything recorded then."""


class IndexedChangeItem(Item, discriminator="indexed_change"):
    """A change that has write-backs."""

    profile_id = Identifier()
    change_id = Identifier()
    channel = UnicodeAttribute()
    recorded_at = UtcDateTimeAttribute()
    stores = JSONAttribute()
    """The short ids of the stores that it is written back to, in their order."""
    groups = JSONAttribute(null=True)
    """The FIFO groups of the messages to these stores, where the relay sends them."""

    @property
    def change(self) -> ChangeRef:
        """Returns the reference of the change."""
        return ChangeRef(self.profile_id, self.change_id)


@dataclass(frozen=True)
class RecordedWithin:
    """A range of moments at which changes were recorded; None leaves a side open."""

    since: datetime | None = None
    """Inclusive."""
    until: datetime | None = None
    """Exclusive."""

    def has(self, moment: datetime) -> bool:
        """Returns whether the moment is in the range."""
        is_early = self.since is not None and moment < self.since
        is_late = self.until is not None and moment >= self.until
        return not (is_early or is_late)

    def of_keys(self, after: str | None = None) -> Condition:
        """Returns the range of sort keys of rows that may be in it:
        a millisecond wider on each side.

        With `after`, a row's sort key, those behind it.
        """
        low = _sort_key(_within_ids(self.since) - _SMALLEST_STEP) if self.since else _PREFIX
        if after is not None:
            # Nothing stands between a key and the same with a space: all are equally long.
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
    """Where the ids of changes of a moment begin."""
    return f"{_PREFIX}{short(UUID(int=timed_id(moment).int >> 80 << 80))}"


def sort_key_of(change: ChangeRef) -> str:
    """Returns a change's sort key: it sorts by when the change was recorded."""
    return f"{_PREFIX}{short(change.change_id)}#{short(change.profile_id)}"


def index_partition(workspace: WorkspaceScope) -> str:
    """Returns the partition of a workspace's index."""
    return workspace.partition("write_backs")


def _key(workspace: WorkspaceScope, change: ChangeRef) -> Key:
    return (index_partition(workspace), sort_key_of(change))


def index_new_change(changes: Changes, workspace: WorkspaceScope, change: ConsentChange) -> None:
    """Adds which stores a new change is written back to; the stream queues the pending ones."""
    row = _row(workspace, change, {each.store_id for each in change.write_backs})
    if any(each.status is WriteBackStatus.PENDING for each in change.write_backs):
        row.groups = [group_of(change.address, from_short(store)) for store in row.stores]
    if row.stores:
        changes.save(row)


def index_change(
    changes: Changes, workspace: WorkspaceScope, change: ConsentChange, store_ids: Collection[UUID]
) -> None:
    """Adds that a change that is there already is written back to these stores.

    They are all of its stores: the row is written whole.
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
    """Takes the change out, if it has write-backs."""
    if change.write_backs:
        ref = ChangeRef(change.profile_id, change.id)
        changes.delete(IndexedChangeItem(*_key(workspace, ref)))


def indexed_changes(
    workspace: WorkspaceScope, within: RecordedWithin, limit: int
) -> Iterator[IndexedChange]:
    """Returns the changes that were recorded then, most recently first; at most so many."""
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
    """Returns the rows behind a sort key, of changes recorded before a moment, oldest first."""
    within = RecordedWithin(until=until)
    rows = IndexedChangeItem.query(
        index_partition(workspace), within.of_keys(after), consistent_read=True, limit=limit
    )
    return [row for row in rows if within.has(row.recorded_at)]


def _as_indexed(row: IndexedChangeItem) -> IndexedChange:
    stores = tuple(from_short(store) for store in row.stores)
    return IndexedChange(ChangeRef(row.profile_id, row.change_id), Channel(row.channel), stores)
