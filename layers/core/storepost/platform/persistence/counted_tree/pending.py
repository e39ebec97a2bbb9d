"""Pending changes, which no node counts yet: other transactions held the nodes above.

Such a unit writes its entries as usual. In place of the nodes it writes one row of its own, for
which no other unit competes. Readers add these rows up; `folding.py` adds them to the nodes, many
at once.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from storepost.platform.persistence.counted_tree.items import Raw
from storepost.platform.persistence.counted_tree.keys import KeyRange
from storepost.platform.persistence.counted_tree.model import (
    Counts,
    FilterField,
    counts_of_marks,
    difference,
    total,
)
from storepost.platform.persistence.records import Json

PENDING = "~"
"""The first letter of these rows' sort keys.

It sorts after all levels, so that a query from the partition's end finds them before the top.
"""

PENDING_END = "~~"


@dataclass(frozen=True)
class PendingChange:
    """Holds the change of one entry: its marks before and after, None where there is no entry."""

    key: str
    before: str | None
    after: str | None

    def counts(self, fields: Sequence[FilterField]) -> Counts:
        """Returns what it adds to the nodes above it, without zeros."""
        return difference(counts_of_marks(self.after, fields), counts_of_marks(self.before, fields))


@dataclass(frozen=True)
class PendingCount:
    """Holds one row: the changes of one unit."""

    sort_key: str
    version: int
    changes: tuple[PendingChange, ...]


def as_pending(raw: Raw) -> PendingCount:
    """Returns the changes that a row holds."""
    changes = Json().deserialize(raw["d"]["S"])
    return PendingCount(
        raw["sk"]["S"], int(raw["v"]["N"]), tuple(PendingChange(*change) for change in changes)
    )


def is_pending(raw: Raw) -> bool:
    """Returns whether the row holds pending changes, and is no node."""
    sort_key: str = raw["sk"]["S"]
    return sort_key.startswith(PENDING)


@dataclass(frozen=True)
class PendingSums:
    """Sums up what pending changes add to nodes, over the given counters."""

    rows: Collection[PendingCount]
    fields: Sequence[FilterField]
    counters: Sequence[str]

    def below(self, within: KeyRange) -> int:
        """Returns how many entries pending changes add to a range."""
        if not self.rows:
            return 0
        keys, sums = self._sums
        return sums[bisect_left(keys, within.hi)] - sums[bisect_left(keys, within.lo)]

    def has_changes(self, within: KeyRange) -> bool:
        """Returns whether any of the changes is in a range, even if it adds nothing."""
        if not self.rows:
            return False
        keys, _ = self._sums
        return bisect_left(keys, within.lo) < bisect_left(keys, within.hi)

    @cached_property
    def _sums(self) -> tuple[list[str], list[int]]:
        """Returns the keys in order, and the sum of all changes before each of them."""
        changes = sorted(changes_of(self.rows), key=lambda change: change.key)
        counts = (change.counts(self.fields) for change in changes)
        added = (sum(count[counter] for counter in self.counters) for count in counts)
        return [change.key for change in changes], list(accumulate(added, initial=0))


def changes_of(rows: Iterable[PendingCount]) -> list[PendingChange]:
    """Returns all changes of the rows."""
    return [change for row in rows for change in row.changes]


def pending_total(rows: Iterable[PendingCount], fields: Sequence[FilterField]) -> Counts:
    """Returns what all changes add."""
    return total(change.counts(fields) for change in changes_of(rows))
