"""Erases a profile's events."""

from uuid import UUID

from storepost.people.events.repository import ProfileEventRepository
from storepost.people.profiles.erasing import erase_from
from storepost.people.profiles.erasure import Erasure
from storepost.platform.persistence.changes import Changes

MAX_EVENTS = 80
"""Events per transaction."""


def erase_events(erasure: Erasure) -> bool:
    """Deletes some of the erased person's events and unique ids; whether there may be more."""
    return erase_from(erasure.partitions, erasure, _erase_some)


def _erase_some(changes: Changes, erasure: Erasure, profile_id: UUID) -> bool:
    repository = ProfileEventRepository(erasure.workspace)
    some = repository.some_of(profile_id, MAX_EVENTS)
    repository.delete_rows(changes, some)
    return len(some) == MAX_EVENTS
