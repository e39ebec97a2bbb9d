"""Finds entries of a list by their number, and counts its entries."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import accumulate

from storepost.platform.persistence.counted_tree.items import Node
from storepost.platform.persistence.counted_tree.keys import LOWEST, KeyRange
from storepost.platform.persistence.counted_tree.model import Counts, Filter, TreeEntry, total
from storepost.platform.persistence.counted_tree.pages import Packing, Stored
from storepost.platform.persistence.counted_tree.pending import pending_total
from storepost.platform.persistence.counted_tree.read_parts import InconsistentRead, ReadParts
from storepost.platform.persistence.counted_tree.rows import Rows


class Reading(ReadParts):
    """Finds entries and counts in a list, from the parts that were read."""

    @property
    def counts_all(self) -> bool:
        """Returns whether there is no filter."""
        return self._only is None

    @property
    def counts(self) -> Counts:
        """Returns the counts of all entries."""
        pending = pending_total(self._summit.pending, self._rows.fields)
        return total((*(node.counts for node in self.top), pending))

    @property
    def total(self) -> int:
        """Returns how many entries count in the whole list."""
        return sum(map(self.weight, self.top))

    def rank(self, key: str) -> int:
        """Returns how many entries before the key count."""
        nodes, before = self.top, 0
        while True:
            before += sum(self.weight(node) for node in nodes if node.hi <= key)
            edge = next((node for node in nodes if node.lo < key < node.hi), None)
            if edge is None or not self.weight(edge):
                return before
            if not edge.level:
                return before + self._rank_in(edge, key)
            nodes = self.children(edge)

    def _rank_in(self, leaf: Node, key: str) -> int:
        return sum(entry.key < key for entry in self.entries([leaf]))

    def place(self, skip: int, *, descending: bool, needed: int = 0) -> tuple[Node, int] | None:
        """Returns the leaf where the first `skip` entries that count end, in that direction.

        The number is how many of the leaf's entries are among those. Returns None past the end.
        `needed` is as in `leaves`.
        """
        leaves, skip = self._descend(skip, descending=descending, needed=needed)
        return (leaves[0], skip) if leaves else None

    def near_leaves(
        self, skip: int, *, descending: bool, needed: int
    ) -> Sequence[tuple[Node, int]] | None:
        """Returns what `leaves` does if neighbours that were read suffice; else None."""
        leaves, skip = self._descend(skip, descending=descending, needed=needed)
        found, promised = list[tuple[Node, int]](), -skip
        for leaf in leaves:
            if promised >= needed:
                break
            if weight := self.weight(leaf):
                found.append((leaf, 0 if found else skip))
                promised += weight
        return found if promised >= needed else None

    def _descend(self, skip: int, *, descending: bool, needed: int) -> tuple[Sequence[Node], int]:
        """Returns the leaves that were read, from the one where the first `skip` entries end.

        The number is how many of that leaf's entries are among those.
        """
        nodes = self.top[::-1] if descending else self.top
        while True:
            ranks = list(accumulate(map(self.weight, nodes), initial=0))
            first = bisect_right(ranks, skip) - 1
            skip, nodes = skip - ranks[first], nodes[first:]
            if not nodes or not nodes[0].level:
                return nodes, skip
            if self.weight(nodes[0]) - skip < needed:
                self.read_on(nodes[:2], descending=descending)
            parts = [self.children(nodes[0]), *map(self.edge, nodes[1:2])]
            nodes = [node for part in parts for node in (part[::-1] if descending else part)]

    def leaves(self, skip: int, *, descending: bool, needed: int = 0) -> Iterator[tuple[Node, int]]:
        """Returns the leaves with entries that count, after the first `skip`, in that direction.

        Each leaf has the number of its entries that are still to be skipped. Where the `needed`
        entries are below two neighbours, both are read together.
        """
        return self._leaves(self.top, skip, needed, descending=descending)

    def _leaves(
        self, nodes: Sequence[Node], skip: int, needed: int, *, descending: bool
    ) -> Iterator[tuple[Node, int]]:
        in_order = nodes[::-1] if descending else nodes
        for place, node in enumerate(in_order):
            weight = self.weight(node)
            if weight <= skip:
                skip -= weight
                continue
            if node.level:
                if weight - skip < needed:
                    self.read_ahead(in_order[place : place + 2])
                yield from self._leaves(self.children(node), skip, needed, descending=descending)
            else:
                yield node, skip
            needed -= weight - skip
            skip = 0

    @property
    def packing(self) -> Packing | None:
        """Returns how the list's leaves are packed; None in a list that never has a page."""
        return self._rows.packing

    def packed(self, within: KeyRange) -> KeyRange | None:
        """Returns the part of a range where entries may be in pages; None where all are rows."""
        span = self._summit.span
        common = within & span if span else None
        return None if common is None or common.is_empty else common

    def first(
        self, within: KeyRange, limit: int, *, descending: bool
    ) -> Sequence[TreeEntry] | None:
        """Returns the first entries of a range without any node; None where pages may have some.

        A load that packs leaves between two reads of an attempt leaves their rows in place.
        """
        packed = self.packed(within)
        if packed is None:
            stored = self._rows.first_stored(within, limit, descending=descending)
            return None if self._was_packed(within, stored, descending) else stored.live[:limit]
        clear = KeyRange(packed.hi, within.hi) if descending else KeyRange(within.lo, packed.lo)
        found = self._rows.live(clear, limit, descending=descending)
        return found if len(found) == limit else None

    def _was_packed(self, within: KeyRange, stored: Stored, descending: bool) -> bool:  # noqa: FBT001 - it is private
        """Returns whether rows may be missing: their cold leaf was packed since the span was read.

        Leaves are packed next to the span, so the rows nearest to it are deleted. Where other rows
        follow these in reading order, the query read the page too, unless the range begins inside
        the page's leaf, as the page's key then sorts before the range.
        """
        if self._rows.packing is None or self._rows.packing.cold_after is None:
            return False
        levels = (self.top, *self._below.values())
        begins = {LOWEST, *(node.lo for nodes in levels for node in nodes)}
        if descending or within.lo in begins:
            return bool(stored.pages)
        return self._rows.span() != self._summit.span

    def all_rows(self, within: KeyRange) -> list[TreeEntry] | None:
        """Returns all entries of a range by key; None where pages may have some."""
        return None if self.packed(within) else self._rows.live(within)


def read_consistently[T](rows: Rows, only: Filter | None, read: Callable[[Reading], T]) -> T:
    """Returns what `read` finds; runs it again where a write came between its queries."""
    reading = Reading(rows, only)
    while True:
        with suppress(InconsistentRead):
            found = read(reading)
            reading.check_folds()
            return found
