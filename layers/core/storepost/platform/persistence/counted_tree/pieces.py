"""What a leaf consists of, entry by entry: where each begins, and what the leaf counts of it."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from storepost.platform.persistence.changes import LostRace
from storepost.platform.persistence.counted_tree.items import Node
from storepost.platform.persistence.counted_tree.keys import KeyRange, separator
from storepost.platform.persistence.counted_tree.model import (
    Counts,
    TreeEntry,
    counts_of,
    marks,
    negative,
    total,
)
from storepost.platform.persistence.counted_tree.pending import PendingChange
from storepost.platform.persistence.counted_tree.rows import Rows

type _Place = tuple[str, str]
"""A pending row's sort key and an entry's key."""


@dataclass(frozen=True)
class Piece:
    """A part of a node: where it begins and what it counts."""

    lo: str
    counts: Counts


@dataclass
class LeafPieces:
    """Reads a leaf's entries together with what is pending among them.

    The pending changes are read before the entries and after them. What was pending before is in
    the entries. What came in between may be or not, as the entry itself tells. Whatever else
    changes an entry, or counts what was pending, changes the leaf's version too.
    """

    rows: Rows
    saw_pending: bool = False
    """Whether anything was pending in the list so far."""

    def of(self, leaf: Node) -> list[Piece]:
        """The entries as pieces. Raises LostRace where that can't be told just now."""
        before = self._pending(leaf.range)
        entries = self.rows.entries(leaf.range)
        behind = self._pending(leaf.range)
        if before.keys() - behind.keys():
            raise LostRace  # they were counted meanwhile
        stored = {entry.key: marks(entry, self.rows.fields) for entry in entries}
        came = [change for place, change in behind.items() if place not in before]
        uncounted = [*before.values(), *_stored_already(came, stored)]
        starts = [leaf.lo, *(separator(left.key, right.key) for left, right in pairwise(entries))]
        return self._pieces(starts[: len(entries)], entries, uncounted)

    def _pending(self, within: KeyRange) -> dict[_Place, PendingChange]:
        pending = self.rows.pending()
        self.saw_pending |= bool(pending)
        return {
            (row.sort_key, change.key): change
            for row in pending
            for change in row.changes
            if change.key in within
        }

    def _pieces(
        self,
        starts: Sequence[str],
        entries: Sequence[TreeEntry],
        uncounted: Iterable[PendingChange],
    ) -> list[Piece]:
        """What is counted of each; of an entry that is gone it comes to what stood before it."""
        fields = self.rows.fields
        counts = [[counts_of(entry, fields)] for entry in entries]
        for change in uncounted:
            if counts:
                place = max(0, bisect_right(starts, change.key) - 1)
                counts[place].append(negative(change.counts(fields)))
        return [Piece(lo, total(each)) for lo, each in zip(starts, counts, strict=True)]


def _stored_already(
    came: Sequence[PendingChange], stored: Mapping[str, str]
) -> list[PendingChange]:
    """Those of the changes that the entries show. Raises LostRace where they show neither state."""
    if len({change.key for change in came}) < len(came):
        raise LostRace
    found = []
    for change in came:
        mark = stored.get(change.key)
        if mark == change.after:
            found.append(change)
        elif mark != change.before:
            raise LostRace
    return found
