"""Rows of events, in the partitions of their profiles."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from heapq import merge
from itertools import chain, groupby, islice
from typing import cast
from uuid import UUID

from storepost.people.events.keys import (
    EVENTS,
    UNIQUE_IDS,
    event_key,
    event_partition,
    unique_key,
)
from storepost.people.events.model import ProfileEvent
from storepost.people.events.reading import newest_first
from storepost.people.events.rows import (
    EventRow,
    ProfileEventItem,
    UniqueEventItem,
    as_event,
    delete_event,
    own_row,
    sort_key_of,
)
from storepost.people.profiles.model import Profile
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Item, Key, find
from storepost.platform.persistence.reads import UnitRepository
from storepost.values import clock

type Unique = tuple[str, str]
"""An event's name and its unique id."""


class ProfileEventRepository(UnitRepository):
    """The events of a workspace's profiles."""

    def add(
        self, changes: Changes, profile_id: UUID, event: ProfileEvent, unique_id: str | None = None
    ) -> None:
        """Adds an event; the caller saves the profile's count. A known unique id loses the race."""
        key = event_key(self._scope, profile_id, event)
        changes.save(own_row(key, event))
        if unique_id is not None:
            unique = unique_key(self._scope, profile_id, event.name, unique_id)
            changes.create(UniqueEventItem(*unique, event=key[1]))

    def unique_keys(self, profile: Profile, uniques: Iterable[Unique]) -> dict[Unique, list[Key]]:
        """Returns the keys of the rows that record these unique ids for the profile."""
        return {
            unique: [unique_key(self._scope, each, *unique) for each in profile.partitions]
            for unique in uniques
        }

    def known(self, profile: Profile, uniques: Iterable[Unique]) -> dict[Unique, str]:
        """Returns the sort keys of the events with these unique ids that are known.

        A row that moves meanwhile may not be found; then writing its unique id fails.
        """
        keys = self.unique_keys(profile, uniques)
        rows = self._reads.find_all(chain.from_iterable(keys.values()))
        return {
            unique: cast("UniqueEventItem", rows[key]).event
            for unique, keys_of in keys.items()
            for key in keys_of
            if key in rows
        }

    def get(self, profile: Profile, sort_key: str) -> ProfileEvent | None:
        """Returns one event of the profile, or None.

        Events only move to a later one of its partitions.
        """
        partitions = (event_partition(self._scope, each) for each in profile.partitions)
        rows = (find(ProfileEventItem, (partition, sort_key)) for partition in partitions)
        return next((as_event(row) for row in rows if row), None)

    def of_profile(
        self,
        profile: Profile,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int | None = None,
    ) -> Iterator[EventRow]:
        """Returns the profile's events, newest first, each once.

        `limit` is for each partition; None reads all. Partitions of merged profiles are read before
        the survivor's, to which their rows move. So a row that moves meanwhile is found twice
        rather than never.
        """
        *moving, own = (self._between(each, since, until, limit) for each in profile.partitions)
        unmoved = sorted(chain.from_iterable(moving), key=sort_key_of, reverse=True)
        both = merge(unmoved, own, key=sort_key_of, reverse=True)
        return (next(same) for _, same in groupby(both, sort_key_of))

    def some_of(self, profile_id: UUID, limit: int) -> list[ProfileEventItem | UniqueEventItem]:
        """Returns some rows of one partition.

        These are events with their own rows, and after them the rows of unique ids.
        """
        pk = event_partition(self._scope, profile_id)
        events = ProfileEventItem.rows_in(pk, EVENTS, newest_first=True, limit=limit)
        rows: list[ProfileEventItem | UniqueEventItem] = list(islice(events, limit))
        remaining = limit - len(rows)
        if not remaining:
            return rows
        unique = UniqueEventItem.rows_in(pk, UNIQUE_IDS, limit=remaining)
        return [*rows, *islice(unique, remaining)]

    def move(
        self, changes: Changes, rows: Iterable[ProfileEventItem | UniqueEventItem], into: UUID
    ) -> None:
        """Moves rows to another profile's partition, if they are still where they were read.

        If that profile has an event with the same unique id, its row for the unique id stays.
        """
        pk = event_partition(self._scope, into)
        targets = [(pk, row.sk) for row in rows if isinstance(row, UniqueEventItem)]
        known = self._reads.find_all(targets)
        for row in rows:
            changes.delete(type(row)(*row.key), Item.pk.exists())
            row.pk = pk
            if row.key not in known:
                changes.create(row)

    def delete_rows(
        self, changes: Changes, rows: Iterable[ProfileEventItem | UniqueEventItem]
    ) -> None:
        """Deletes rows for good; repeatable."""
        for row in rows:
            changes.delete(type(row)(*row.key))

    def delete(self, changes: Changes, rows: Iterable[EventRow]) -> None:
        """Deletes events, if they are still where they were read; the caller updates the count."""
        for row in rows:
            delete_event(changes, row)

    def _between(
        self, profile_id: UUID, since: datetime | None, until: datetime | None, limit: int | None
    ) -> Iterator[EventRow]:
        if since and until and until <= since:
            return iter(())
        low, high = (clock.to_text(moment) if moment else "" for moment in (since, until))
        return newest_first(event_partition(self._scope, profile_id), low, high, limit)
