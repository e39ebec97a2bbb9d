"""Sort keys of entries, ranges of them, and what separates two of them."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from storepost.values.ids import SHORT_LENGTH, from_short, from_short_moment, short, short_moment
from storepost.values.text import sort_key

LOWEST = "!"
"""Before every key: they begin with a letter of short ids and numbers, `=` or `>`."""

END = "~"
"""Behind every key."""

_BEFORE_ID = "\x01"
"""Sorts before all that folded text can hold, so that "ann" stands before "ann lee"."""


def moment_key(moment: datetime, identifier: UUID) -> str:
    """Returns the key of an entry that is sorted by time, to the millisecond: 31 bytes.

    A third of what RFC 3339 takes: every row that a page reads has it, and every node twice.
    """
    return short_moment(moment) + short(identifier)


def moment_of(key: str) -> datetime:
    """Returns the moment at the beginning of a moment key."""
    return from_short_moment(key[:-SHORT_LENGTH])


def text_key(text: str | None, identifier: UUID) -> str:
    """Returns the key of an entry sorted by a text, without case and accents; None comes last.

    At most 512 bytes of the text count; it is 24 bytes longer than those.
    """
    place = ">" if text is None else f"={sort_key(text)}"
    return f"{place}{_BEFORE_ID}{short(identifier)}"


def id_of(key: str) -> UUID:
    """Returns the identifier at the end of a key."""
    return from_short(key[-SHORT_LENGTH:])


@dataclass(frozen=True)
class KeyRange:
    """Keys from `lo` (inclusive) to `hi` (exclusive)."""

    lo: str = LOWEST
    hi: str = END

    @property
    def is_empty(self) -> bool:
        """Returns whether no key can stand in it."""
        return self.lo >= self.hi

    def __and__(self, other: "KeyRange") -> "KeyRange":
        """The keys that stand in both."""
        return KeyRange(max(self.lo, other.lo), min(self.hi, other.hi))

    def __contains__(self, key: str) -> bool:
        """Whether the key stands in it."""
        return self.lo <= key < self.hi


EVERYTHING = KeyRange()


def behind(key: str) -> KeyRange:
    """Returns the range of keys behind this one."""
    return KeyRange(key + LOWEST)


def moments(since: datetime | None = None, until: datetime | None = None) -> KeyRange:
    """Returns the range of moment keys from `since` (inclusive) to `until` (exclusive)."""
    return KeyRange(short_moment(since) if since else LOWEST, short_moment(until) if until else END)


def separator(left: str, right: str) -> str:
    """Returns the shortest key behind `left` that isn't behind `right`, where left < right.

    Nodes are named by these: the ids at the ends of keys would triple a node's size.
    """
    same = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), len(left))
    return right[: same + 1]
