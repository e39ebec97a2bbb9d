"""Changes that no node counts yet: what units wrote while others were at the nodes above.

Such a unit writes its entries as ever, and in place of the nodes one row of its own, which nobody
else wants. Readers add these up; `folding.py` adds them to the nodes, many at once.
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

It sorts behind all levels, so that a query from the partition's end finds them before the top.
"""

PENDING_END = "~~"


@dataclass(frozen=True)
class PendingChange:
    """Says what became of one entry: its marks before and after, None where there is none."""

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
    """Returns the changes that a row says."""
    changes = Json().deserialize(raw["d"]["S"])
    return PendingCount(
        raw["sk"]["S"], int(raw["v"]["N"]), tuple(PendingChange(*change) for change in changes)
    )


def is_pending(raw: Raw) -> bool:
    """Returns whether the row is one of these, and no node."""
    sort_key: str = raw["sk"]["S"]
    return sort_key.startswith(PENDING)


@dataclass(frozen=True)
class PendingSums:
    """Sums up what pending changes add to nodes, by what is counted."""

    rows: Collection[PendingCount]
    fields: Sequence[FilterField]
    counters: Sequence[str]

    def below(self, within: KeyRange) -> int:
        """Returns how many entries more count within a range."""
        if not self.rows:
            return 0
        keys, sums = self._sums
        return sums[bisect_left(keys, within.hi)] - sums[bisect_left(keys, within.lo)]

    def has_changes(self, within: KeyRange) -> bool:
        """Returns whether any of the changes is in a range, whatever it adds."""
        if not self.rows:
            return False
        keys, _ = self._sums
        return bisect_left(keys, within.lo) < bisect_left(keys, within.hi)

    @cached_property
    def _sums(self) -> tuple[list[str], list[int]]:
        """The keys in order, and what all changes before each of them add."""
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
