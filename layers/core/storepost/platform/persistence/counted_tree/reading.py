"""Reading: places in a list by their number, and how many entries there are.

The nodes are read level by level, not at one moment, so each attempt checks that they agree. Where
a split or a write came between, the read begins again.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate

from storepost.platform.persistence.counted_tree.items import Node, is_whole
from storepost.platform.persistence.counted_tree.keys import END, EVERYTHING, LOWEST, KeyRange
from storepost.platform.persistence.counted_tree.model import (
    ENTRIES,
    Counts,
    Filter,
    TreeEntry,
    total,
)
from storepost.platform.persistence.counted_tree.pages import Stored
from storepost.platform.persistence.counted_tree.pending import PendingSums, pending_total
from storepost.platform.persistence.counted_tree.rows import Rows, Summit
from storepost.platform.persistence.counted_tree.runs import runs

_STRICT_ATTEMPTS = 5


_UNCOUNTED = Node(0, LOWEST, END, Counter(), version=0, has_parent=False)
"""Stands for the nodes of a list all of which is to be counted later."""


class Unsettled(Exception):  # noqa: N818 - it is what the reads found, and they try again
    """A write came between two reads of one attempt."""


class Reading:
    """One attempt at reading a list: each node is read at most once.

    What is counted are the entries that the filter keeps, or all of them. Where it isn't `strict`,
    reads that disagree give what they found: a list that is written all the time has an answer too,
    each part of which was true a moment ago.
    """

    def __init__(self, rows: Rows, only: Filter | None, *, strict: bool) -> None:
        """Nothing read yet."""
        self._rows = rows
        self._only = only
        self._counters = only.counters if only else (ENTRIES,)
        self._strict = strict
        self._below: dict[tuple[int, str], Sequence[Node]] = {}

    @property
    def counts_all(self) -> bool:
        """Whether there is no filter."""
        return self._only is None

    def weight(self, node: Node) -> int:
        """How many entries under the node count, with those that it doesn't count yet."""
        counted = sum(node.counts[counter] for counter in self._counters)
        return counted + self._pending.below(node.range)

    @property
    def top(self) -> Sequence[Node]:
        """The top level's nodes."""
        return self._summit.top

    @property
    def counts(self) -> Counts:
        """What all entries count."""
        pending = pending_total(self._summit.pending, self._rows.fields)
        return total((*(node.counts for node in self.top), pending))

    @cached_property
    def _summit(self) -> Summit:
        summit = self._rows.summit()
        top = summit.top
        if summit.pending and not top:
            return replace(summit, top=[_UNCOUNTED])
        self.demand(not top or (is_whole(top, EVERYTHING) and not top[0].has_parent))
        return summit

    @cached_property
    def _pending(self) -> PendingSums:
        return PendingSums(self._summit.pending, self._rows.fields, self._counters)

    @property
    def total(self) -> int:
        """How many entries count in the whole list."""
        return sum(map(self.weight, self.top))

    def children(self, node: Node) -> Sequence[Node]:
        """The nodes below a node, seen to hold what it says."""
        place = (node.level, node.lo)
        if place not in self._below:
            children = self._rows.children(node)
            weight = sum(map(self.weight, children))
            self.demand(is_whole(children, node.range) and weight == self.weight(node))
            self._below[place] = children
        return self._below[place]

    def rank(self, key: str) -> int:
        """How many entries before the key count."""
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
        entries = self.entries([leaf])
        self.demand(len(entries) == self.weight(leaf))
        return sum(entry.key < key for entry in entries)

    def place(self, skip: int, *, descending: bool) -> tuple[Node, int] | None:
        """The leaf where the first `skip` entries that count end, in that direction.

        With how many of its entries are among those; None behind the end.
        """
        nodes = self.top
        while True:
            in_order = nodes[::-1] if descending else nodes
            ranks = list(accumulate(map(self.weight, in_order), initial=0))
            first = bisect_right(ranks, skip) - 1
            if first == len(in_order):
                return None
            skip -= ranks[first]
            if not in_order[first].level:
                return in_order[first], skip
            nodes = self.children(in_order[first])

    def leaves(self, skip: int, *, descending: bool) -> Iterator[tuple[Node, int]]:
        """The leaves with entries that count, behind the first `skip` of those, in that direction.

        The first one comes with how many of its entries are still to be skipped.
        """
        return self._leaves(self.top, skip, descending=descending)

    def _leaves(
        self, nodes: Sequence[Node], skip: int, *, descending: bool
    ) -> Iterator[tuple[Node, int]]:
        for node in reversed(nodes) if descending else nodes:
            weight = self.weight(node)
            if weight <= skip:
                skip -= weight
                continue
            if node.level:
                yield from self._leaves(self.children(node), skip, descending=descending)
            else:
                yield node, skip
            skip = 0

    def packed(self, within: KeyRange) -> KeyRange | None:
        """The part of a range where entries may stand in pages; None where all are rows."""
        span = self._summit.span
        common = within & span if span else None
        return None if common is None or common.is_empty else common

    def first(
        self, within: KeyRange, limit: int, *, descending: bool
    ) -> Sequence[TreeEntry] | None:
        """The first entries of a range, without any node; None where pages may have some of them.

        What a load packs between two reads of an attempt stays a row for now.
        """
        packed = self.packed(within)
        if packed is None:
            stored = self._rows.some_stored(within, limit, descending=descending)
            return None if self._was_packed(within, stored, descending) else stored.live[:limit]
        clear = KeyRange(packed.hi, within.hi) if descending else KeyRange(within.lo, packed.lo)
        found = self._rows.live(clear, limit, descending=descending)
        return found if len(found) == limit else None

    def _was_packed(self, within: KeyRange, stored: Stored, descending: bool) -> bool:  # noqa: FBT001 - it is private
        """Whether rows may be missing, as their cold leaf was packed since the span was read.

        Leaves are packed next to the span, so the rows nearest to it are deleted. Where others
        come after them in the order that is read, the page was read too, unless it stands before
        the range, whose beginning cuts its leaf.
        """
        if self._rows.packing is None or self._rows.packing.cold_after is None:
            return False
        levels = (self.top, *self._below.values())
        begins = {LOWEST, *(node.lo for nodes in levels for node in nodes)}
        if descending or within.lo in begins:
            return bool(stored.pages)
        return self._rows.span() != self._summit.span

    def all_rows(self, within: KeyRange) -> list[TreeEntry] | None:
        """All entries of a range by key; None where pages may have some of them."""
        return None if self.packed(within) else self._rows.live(within)

    def entries(
        self,
        leaves: Iterable[Node],
        within: KeyRange = EVERYTHING,
        *,
        descending: bool = False,
    ) -> list[TreeEntry]:
        """The entries of leaves that count, within a range; the leaves are in that direction."""
        found: list[TreeEntry] = []
        for run in runs(leaves):
            stored = self._rows.stored(run.range if run.pages else run.range & within)
            self.demand(stored.has(run.pages))
            entries = stored.entries(run.range & within, run.pages)
            found += reversed(entries) if descending else entries
        return [e for e in found if self._only.keeps(e)] if self._only else found

    def demand(self, agreed: bool) -> None:  # noqa: FBT001 - it reads like an assertion
        """Gives the attempt up where two reads disagree."""
        if self._strict and not agreed:
            raise Unsettled


def read_consistently[T](rows: Rows, only: Filter | None, read: Callable[[Reading], T]) -> T:
    """Returns what `read` finds, tried again where a write came between its queries."""
    for _ in range(_STRICT_ATTEMPTS):
        try:
            return read(Reading(rows, only, strict=True))
        except Unsettled:
            continue
    return read(Reading(rows, only, strict=False))
