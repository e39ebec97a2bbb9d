"""Sort keys of entries, ranges of them, and what separates two of them."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from storepost import clock
from storepost.ids import from_short, short
from storepost.text import sort_key

LOWEST = "!"
"""Before every key: they begin with a digit, `=` or `>`."""

END = "~"
"""Behind every key."""

_ID_CHARACTERS = 22
_BEFORE_ID = "\x01"
"""Sorts before all that folded text can hold, so that "ann" stands before "ann lee"."""


def moment_key(moment: datetime, identifier: UUID) -> str:
    """The key of an entry that is sorted by time: 47 bytes."""
    return f"{clock.to_text(moment)}{_BEFORE_ID}{short(identifier)}"


def text_key(text: str | None, identifier: UUID) -> str:
    """The key of an entry that is sorted by a text, without case and accents; None comes last.

    At most 512 bytes of the text count; it is 24 bytes longer than those.
    """
    place = ">" if text is None else f"={sort_key(text)}"
    return f"{place}{_BEFORE_ID}{short(identifier)}"


def id_of(key: str) -> UUID:
    """The identifier at the end of a key."""
    return from_short(key[-_ID_CHARACTERS:])


@dataclass(frozen=True)
class KeyRange:
    """Keys from `lo` (inclusive) to `hi` (exclusive)."""

    lo: str = LOWEST
    hi: str = END

    @property
    def is_empty(self) -> bool:
        """Whether no key can stand in it."""
        return self.lo >= self.hi

    def __and__(self, other: "KeyRange") -> "KeyRange":
        """The keys that stand in both."""
        return KeyRange(max(self.lo, other.lo), min(self.hi, other.hi))

    def __contains__(self, key: str) -> bool:
        """Whether the key stands in it."""
        return self.lo <= key < self.hi


EVERYTHING = KeyRange()


def moments(since: datetime | None = None, until: datetime | None = None) -> KeyRange:
    """The range of moment keys from `since` (inclusive) to `until` (exclusive)."""
    return KeyRange(
        clock.to_text(since) if since else LOWEST, clock.to_text(until) if until else END
    )


def separator(left: str, right: str) -> str:
    """The shortest key behind `left` that isn't behind `right`, where left < right.

    Nodes are named by these: the ids at the ends of keys would triple a node's size.
    """
    same = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), len(left))
    return right[: same + 1]
