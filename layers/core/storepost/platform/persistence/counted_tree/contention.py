"""Remembers at which lists this process met other transactions last.

It only says what is tried first, so a container that knows nothing of it is right, too: it tries
once in vain.
"""

import time

from storepost.platform.persistence.changes import LostRace

_SECONDS = 2.0
"""How long a list counts as contended; the nodes are tried again then."""

_MAX_LISTS = 1000

_until: dict[str, float] = {}
"""By the list's partition, in seconds of `time.monotonic`."""


def note_contention(partition: str) -> None:
    """Notes that another transaction had nodes of the list."""
    if len(_until) >= _MAX_LISTS:
        _until.clear()
    _until[partition] = time.monotonic() + _SECONDS


def is_contended(partition: str) -> bool:
    """Returns whether that was a moment ago."""
    return _until.get(partition, 0.0) > time.monotonic()


def give_way() -> None:
    """Raises LostRace: what is tidied up isn't worth waiting for another transaction."""
    raise LostRace
