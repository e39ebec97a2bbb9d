"""A profile's events, newest first."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from uuid import UUID

from storepost.people.events.model import EventSource, ProfileEvent
from storepost.people.events.repository import ProfileEventRepository
from storepost.people.events.rows import EventRow, as_event
from storepost.people.profiles.model import Profile
from storepost.people.profiles.service import get_profile
from storepost.values.pagination import MAX_ROWS, FilterTooBroad, Listing, PageRequest, is_among
from storepost.values.scope import WorkspaceScope


@dataclass(frozen=True)
class EventFilter:
    """The filters of the list; None doesn't filter."""

    name: str | None = None
    sources: Collection[EventSource] | None = None
    store_id: UUID | None = None
    occurred_from: datetime | None = None
    occurred_to: datetime | None = None

    def matches(self, row: EventRow) -> bool:
        """Returns whether the event matches the filters; its time was checked before."""
        return (
            self.name in {None, row.name}
            and is_among(row.source, self.sources)
            and self.store_id in {None, row.store_id}
        )


def list_events(
    workspace: WorkspaceScope, profile_id: UUID, filters: EventFilter, page: PageRequest
) -> Listing[ProfileEvent]:
    """Returns the profile's events that match. Raises FilterTooBroad."""
    profile = get_profile(workspace, profile_id)
    if filters == EventFilter():
        return page_of_events(profile, page)
    found, total = list[EventRow](), 0
    for row in filter(filters.matches, _looked_at(profile, filters)):
        if page.skipped <= total < page.skipped + page.size:
            found.append(row)
        total += 1
    return Listing(list(map(as_event, found)), total, page)


def page_of_events(profile: Profile, page: PageRequest) -> Listing[ProfileEvent]:
    """Returns a page of all events, which are read up to it; the profile has their count."""
    total = profile.events
    if page.skipped >= total:
        return Listing((), total, page)
    until = page.skipped + page.size
    rows = ProfileEventRepository(profile.workspace).of_profile(profile, limit=until)
    return Listing(list(map(as_event, islice(rows, page.skipped, until))), total, page)


def _looked_at(profile: Profile, filters: EventFilter) -> Iterator[EventRow]:
    since, until = filters.occurred_from, filters.occurred_to
    rows = ProfileEventRepository(profile.workspace).of_profile(profile, since, until, MAX_ROWS + 1)
    for number, row in enumerate(rows):
        if number == MAX_ROWS:
            raise FilterTooBroad("occurredFrom")
        yield row
