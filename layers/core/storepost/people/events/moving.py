"""Moves a merged profile's events."""

from storepost.people.events.repository import ProfileEventRepository
from storepost.people.profiles.moving import Move
from storepost.platform.persistence.changes import Changes, commit_anew

MAX_EVENTS = 40
"""Events per transaction: each deletes a row and writes one, of 32 KB at most."""


def move_events(move: Move) -> bool:
    """Moves some of the merged profile's events; returns whether there may be more."""
    return commit_anew(lambda changes: _move_some(changes, move))


def _move_some(changes: Changes, move: Move) -> bool:
    repository = ProfileEventRepository(move.workspace)
    some = repository.some_of(move.source, MAX_EVENTS)
    repository.move(changes, some, move.into)
    return len(some) == MAX_EVENTS
