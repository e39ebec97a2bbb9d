"""What an erased profile leaves in events: nothing."""

from functools import partial
from uuid import UUID

from storepost.persistence.changes import Changes, commit_anew
from storepost.profile_events.repository import ProfileEventRepository
from storepost.profiles.erasure import Erasure

MOST_EVENTS = 80
"""In one transaction."""


def erase_events(erasure: Erasure) -> bool:
    """Removes some of the erased person's events, and what made them unique."""
    return any(
        commit_anew(partial(_erase_some, erasure=erasure, profile_id=each))
        for each in erasure.partitions
    )


def _erase_some(changes: Changes, erasure: Erasure, profile_id: UUID) -> bool:
    repository = ProfileEventRepository(erasure.workspace)
    some = repository.some_of(profile_id, MOST_EVENTS)
    repository.remove(changes, some)
    return len(some) == MOST_EVENTS
