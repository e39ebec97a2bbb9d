"""Remembers the lists at which this process last met other transactions.

It only decides what is tried first. A container that remembers nothing is right, too: it makes one
try in vain.
"""

import time

from storepost.platform.persistence.changes import LostRace

_SECONDS = 2.0
"""How long a list counts as contended; after that the nodes are tried again."""

_MAX_LISTS = 1000

_until: dict[str, float] = {}
"""Until when a list counts as contended, by its partition; seconds of `time.monotonic`."""


def note_contention(partition: str) -> None:
    """Notes that another transaction held nodes of the list."""
    if len(_until) >= _MAX_LISTS:
        _until.clear()
    _until[partition] = time.monotonic() + _SECONDS


def is_contended(partition: str) -> bool:
    """Returns whether another transaction held nodes of the list within the last seconds."""
    return _until.get(partition, 0.0) > time.monotonic()


def give_way() -> None:
    """Raises LostRace: upkeep of the tree doesn't wait for another transaction."""
    raise LostRace
