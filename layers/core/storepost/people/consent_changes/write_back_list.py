"""A workspace's write-backs, of all people.

A failed one has a row in its store's partition (`people/consent/missed_write_backs.py`), so it is
found among any number of others. All others are found by the index of changes, of which at most
20,000 are read.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import batched
from uuid import UUID

from storepost.people.consent.decision import ChangeRef
from storepost.people.consent.missed_write_backs import missed_changes
from storepost.people.consent.model import ConsentChange, WriteBack, WriteBackStatus
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.states import Channel
from storepost.people.consent.write_back_index import ANY_TIME, RecordedWithin, indexed_changes
from storepost.people.profiles.repository import ProfileRepository
from storepost.stores.stores.repository import StoreRepository
from storepost.values.pagination import MAX_ROWS, FilterTooBroad, Listing, PageRequest, cut
from storepost.values.scope import WorkspaceScope

_AT_ONCE = 1000
"""How many changes are read into memory together."""


@dataclass(frozen=True)
class WriteBackFilter:
    """The filters of the list; None doesn't filter."""

    status: Collection[WriteBackStatus] | None = None
    store_id: UUID | None = None
    channel: Collection[Channel] | None = None
    recorded: RecordedWithin = ANY_TIME

    @property
    def is_of_failed(self) -> bool:
        """Returns whether only failed write-backs are requested."""
        return self.status is not None and set(self.status) == {WriteBackStatus.FAILED}

    @property
    def advised(self) -> str:
        """Returns the query parameter that would narrow the list."""
        return "recordedTo" if self.recorded.since else "recordedFrom"

    def has_store(self, store_id: UUID) -> bool:
        """Returns whether write-backs to the store match."""
        return self.store_id is None or store_id == self.store_id

    def has_channel(self, channel: Channel) -> bool:
        """Returns whether changes of the channel match."""
        return self.channel is None or channel in self.channel

    def matches(self, change: ConsentChange, write_back: WriteBack) -> bool:
        """Returns whether the write-back matches all filters."""
        has_status = self.status is None or write_back.status in self.status
        is_requested = self.recorded.has(change.recorded_at) and self.has_channel(change.channel)
        return has_status and is_requested and self.has_store(write_back.store_id)


@dataclass(frozen=True)
class ListedWriteBack:
    """The write-back of a change to one store."""

    profile_id: UUID
    """The profile that now has the change: the survivor after a merge."""
    change: ConsentChange
    write_back: WriteBack


type _WriteBackKey = tuple[ChangeRef, UUID]
"""A change, and a store that it is written back to."""


def list_write_backs(
    workspace: WorkspaceScope, filters: WriteBackFilter, page: PageRequest
) -> Listing[ListedWriteBack]:
    """Returns the workspace's write-backs, by when their change was recorded, the last first.

    Raises FilterTooBroad.
    """
    keys = _failed(workspace, filters) if filters.is_of_failed else _indexed(workspace, filters)
    if filters.status is not None:
        keys = _with_status(workspace, keys, filters)
    return _read(workspace, cut(keys, page), filters)


def _indexed(workspace: WorkspaceScope, filters: WriteBackFilter) -> list[_WriteBackKey]:
    """The keys in the index that match all filters but the status."""
    changes = list(indexed_changes(workspace, filters.recorded, MAX_ROWS + 1))
    if len(changes) > MAX_ROWS:
        raise FilterTooBroad(filters.advised)
    return [
        (change.ref, store_id)
        for change in changes
        if filters.has_channel(change.channel)
        for store_id in change.store_ids
        if filters.has_store(store_id)
    ]


def _failed(workspace: WorkspaceScope, filters: WriteBackFilter) -> list[_WriteBackKey]:
    """The keys of write-backs that may have failed."""
    stores = [each.id for each in StoreRepository(workspace).all() if filters.has_store(each.id)]
    keys = [key for store_id in stores for key in _missed_by(workspace, store_id, filters)]
    if len(keys) > MAX_ROWS:
        raise FilterTooBroad(filters.advised)
    return sorted(keys, key=_newest_last, reverse=True)


def _missed_by(
    workspace: WorkspaceScope, store_id: UUID, filters: WriteBackFilter
) -> Iterator[_WriteBackKey]:
    refs = missed_changes(workspace, store_id, filters.recorded, MAX_ROWS + 1)
    return ((ref, store_id) for ref in refs)


def _newest_last(key: _WriteBackKey) -> tuple[UUID, UUID, int]:
    """The index's sort order, for sorting in reverse; stores of one change stay in their order."""
    ref, store_id = key
    return (ref.change_id, ref.profile_id, -store_id.int)


def _with_status(
    workspace: WorkspaceScope, keys: Sequence[_WriteBackKey], filters: WriteBackFilter
) -> list[_WriteBackKey]:
    """The keys whose write-back matches the filters, as read now."""
    found = list[_WriteBackKey]()
    for some in batched(keys, _AT_ONCE, strict=False):
        changes = ConsentRepository(workspace).get_many(ref for ref, _ in some)
        found += [key for key in some if _matching(changes, key, filters)]
    return found


def _matching(
    changes: dict[ChangeRef, ConsentChange], key: _WriteBackKey, filters: WriteBackFilter
) -> WriteBack | None:
    """The write-back of the key, if it exists and matches."""
    ref, store_id = key
    change = changes.get(ref)
    write_back = change.write_back_to(store_id) if change else None
    return write_back if change and write_back and filters.matches(change, write_back) else None


def _read(
    workspace: WorkspaceScope, listing: Listing[_WriteBackKey], filters: WriteBackFilter
) -> Listing[ListedWriteBack]:
    """The write-backs of a page, with the profiles that now have their changes."""
    refs = [ref for ref, _ in listing.items]
    changes = ConsentRepository(workspace).get_many(refs)
    profiles = ProfileRepository(workspace).by_id(ref.profile_id for ref in refs)
    rows = list[ListedWriteBack]()
    for ref, store_id in listing.items:
        write_back = _matching(changes, (ref, store_id), filters)
        if write_back:
            profile = profiles.get(ref.profile_id)
            answering = profile.id if profile else ref.profile_id
            rows.append(ListedWriteBack(answering, changes[ref], write_back))
    return Listing(rows, listing.total, listing.request)
