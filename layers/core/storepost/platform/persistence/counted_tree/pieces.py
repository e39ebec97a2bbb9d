"""Divides a leaf into pieces, one for each entry: its first key, and what the leaf counts there."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
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
from storepost.platform.persistence.counted_tree.pages import Stored
from storepost.platform.persistence.counted_tree.pending import PendingChange
from storepost.platform.persistence.counted_tree.rows import Rows

type _Place = tuple[str, str]
"""A pending row's sort key and an entry's key."""


@dataclass(frozen=True)
class Piece:
    """A part of a node: its first key and its counts."""

    lo: str
    counts: Counts


@dataclass(frozen=True)
class Contents:
    """Holds the rows, pages and entries of a leaf, and what the leaf counts at which key."""

    leaf: Node
    stored: Stored
    entries: Sequence[TreeEntry]
    counted: Sequence[tuple[str, Counts]]

    @property
    def pieces(self) -> list[Piece]:
        """Returns a piece for each entry, with the counts from its key up to the next one."""
        pairs = pairwise(self.entries)
        starts = [self.leaf.lo, *(separator(left.key, right.key) for left, right in pairs)]
        return pieces_at(starts[: len(self.entries)], self.counted)


def pieces_at(starts: Sequence[str], counted: Iterable[tuple[str, Counts]]) -> list[Piece]:
    """Returns the parts that begin at those keys; the first also gets the counts before it."""
    counts: list[list[Counts]] = [[] for _ in starts]
    for key, count in counted:
        if counts:
            counts[max(0, bisect_right(starts, key) - 1)].append(count)
    return [Piece(lo, total(each)) for lo, each in zip(starts, counts, strict=True)]


@dataclass
class LeafPieces:
    """Reads a leaf's entries together with their pending changes.

    The pending changes are read before the entries and again after them. The entries include those
    that were pending before. A change added in between may be included or not, as the entry itself
    shows. Any other write to an entry, and any fold, changes the leaf's version too.
    """

    rows: Rows
    saw_pending: bool = False
    """Whether any read so far found pending changes in the list."""
    contents: dict[tuple[str, int], Contents] = field(default_factory=dict)
    """By the leaf's first key and its version."""

    def of(self, leaf: Node) -> list[Piece]:
        """Returns the entries as pieces. Raises LostRace where the counts aren't certain now."""
        contents = self.contents[leaf.lo, leaf.version] = self.read(leaf)
        return contents.pieces

    def contents_of(self, leaf: Node) -> Contents:
        """Returns what `of` last read for the leaf."""
        return self.contents[leaf.lo, leaf.version]

    def read(self, leaf: Node) -> Contents:
        """Returns the leaf's contents and counts. Raises LostRace as `of` does."""
        pages = leaf.page_keys
        before = self._pending(leaf.range)
        stored = self.rows.stored(leaf.range)
        behind = self._pending(leaf.range)
        if before.keys() - behind.keys() or not stored.has(pages):
            raise LostRace  # a fold counted them, or the leaf has another page by now
        entries = stored.entries(leaf.range, pages)
        marked = {entry.key: marks(entry, self.rows.fields) for entry in entries}
        concurrent = [change for place, change in behind.items() if place not in before]
        uncounted = [*before.values(), *_already_applied(concurrent, marked)]
        return Contents(leaf, stored, entries, self._counted(entries, uncounted))

    def _pending(self, within: KeyRange) -> dict[_Place, PendingChange]:
        pending = self.rows.pending()
        self.saw_pending |= bool(pending)
        return {
            (row.sort_key, change.key): change
            for row in pending
            for change in row.changes
            if change.key in within
        }

    def _counted(
        self, entries: Sequence[TreeEntry], uncounted: Iterable[PendingChange]
    ) -> list[tuple[str, Counts]]:
        """Returns what the leaf counts at each key; for a deleted entry, what it still counts."""
        fields = self.rows.fields
        counts = [(entry.key, counts_of(entry, fields)) for entry in entries]
        counts += [(change.key, negative(change.counts(fields))) for change in uncounted]
        return sorted(counts, key=lambda counted: counted[0])


def _already_applied(
    concurrent: Sequence[PendingChange], stored: Mapping[str, str]
) -> list[PendingChange]:
    """Returns the changes that the entries show. Raises LostRace where they show neither state."""
    if len({change.key for change in concurrent}) < len(concurrent):
        raise LostRace
    found = []
    for change in concurrent:
        mark = stored.get(change.key)
        if mark == change.after:
            found.append(change)
        elif mark != change.before:
            raise LostRace
    return found
