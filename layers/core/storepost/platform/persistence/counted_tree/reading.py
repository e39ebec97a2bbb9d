"""Reading: places in a list by their number, and how many entries there are.

The nodes are read level by level, not at one moment, so each attempt checks that they agree. Where
a split or a write came between, the read begins again.
"""

import secrets
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
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
from storepost.platform.persistence.counted_tree.pending import (
    PendingCount,
    PendingSums,
    pending_total,
)
from storepost.platform.persistence.counted_tree.rows import Rows
from storepost.values.pagination import PageRequest

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
        return self._top_and_pending[0]

    @property
    def counts(self) -> Counts:
        """What all entries count."""
        top, pending = self._top_and_pending
        return total((*(n.counts for n in top), pending_total(pending, self._rows.fields)))

    @cached_property
    def _top_and_pending(self) -> tuple[Sequence[Node], Sequence[PendingCount]]:
        top, pending = self._rows.top_and_pending()
        if pending and not top:
            return [_UNCOUNTED], pending
        self.demand(not top or (is_whole(top, EVERYTHING) and not top[0].has_parent))
        return top, pending

    @cached_property
    def _pending(self) -> PendingSums:
        return PendingSums(self._top_and_pending[1], self._rows.fields, self._counters)

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
        entries = self.entries(leaf.range)
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

    def entries(
        self, within: KeyRange, limit: int | None = None, *, descending: bool = False
    ) -> list[TreeEntry]:
        """The entries of a range that count; a limit is one of rows read."""
        found = self._rows.entries(within, limit, descending=descending)
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


@dataclass(frozen=True)
class PageQuery:
    """Asks for a page of a range, from either end."""

    request: PageRequest
    within: KeyRange
    descending: bool

    def skipped_in(self, leaf: Node, skipped: int) -> int:
        """How many of the entries that are skipped in the page's first leaf are in the range.

        Where the range begins there, they are all that the page skips. So what is written beside
        the range never moves the page.
        """
        begins = self.within.hi < leaf.hi if self.descending else leaf.lo < self.within.lo
        return self.request.skipped if begins else skipped


def page(reading: Reading, query: PageQuery) -> tuple[Sequence[TreeEntry], int]:
    """One page of what counts within the range, and how much that is."""
    within, request, descending = query.within, query.request, query.descending
    before = reading.rank(within.lo) if within.lo > LOWEST else 0
    behind = reading.total - reading.rank(within.hi) if within.hi < END else 0
    total = max(0, reading.total - before - behind)
    left = total - request.skipped
    if left <= 0:
        return [], total
    skip = request.skipped + (behind if descending else before)
    if reading.counts_all and not request.skipped:
        rows = reading.entries(within, request.size, descending=descending)
    elif reading.counts_all:
        rows = _run(reading, skip, query)
    else:
        rows = _filtered_page(reading, skip, left, query)
    # One row too many was written meanwhile, like one too few.
    reading.demand(len(rows) == min(request.size, left))
    return rows, total


def any_one(reading: Reading) -> TreeEntry | None:
    """One of the entries that count, each as likely."""
    if reading.total <= 0:
        return None
    skip = secrets.randbelow(reading.total)
    one = PageQuery(PageRequest(skip + 1, 1), EVERYTHING, descending=False)
    found = _filtered_page(reading, skip, reading.total - skip, one)
    reading.demand(bool(found))
    return found[0] if found else None


def _run(reading: Reading, skip: int, query: PageQuery) -> list[TreeEntry]:
    """The page behind the skipped entries, in one query from the beginning of its first leaf."""
    place = reading.place(skip, descending=query.descending)
    if place is None:
        return []
    leaf, skipped = place
    first = query.skipped_in(leaf, skipped)
    within = KeyRange(LOWEST, leaf.hi) if query.descending else KeyRange(leaf.lo, END)
    limit = first + query.request.size
    return reading.entries(within & query.within, limit, descending=query.descending)[first:]


def _filtered_page(reading: Reading, skip: int, left: int, query: PageQuery) -> list[TreeEntry]:
    """The page behind the skipped entries, from the leaves that have some which the filter keeps.

    `left` is how many there are behind them in the range.
    """
    leaves: list[Node] = []
    first, promised = 0, 0
    for leaf, skipped in reading.leaves(skip, descending=query.descending):
        if not leaves:
            first = query.skipped_in(leaf, skipped)
        leaves.append(leaf)
        promised += reading.weight(leaf) - skipped
        if promised >= min(query.request.size, left):
            break
    rows: list[TreeEntry] = []
    for run in runs(leaves):
        rows += reading.entries(run & query.within, descending=query.descending)
    reading.demand(len(rows) == first + min(promised, left))
    return rows[first : first + query.request.size]


def runs(leaves: Iterable[Node]) -> list[KeyRange]:
    """The ranges of the leaves in their order, neighbours joined so that one query reads them."""
    joined: list[KeyRange] = []
    for leaf in leaves:
        last = joined[-1] if joined else None
        if last and last.hi == leaf.lo:
            joined[-1] = KeyRange(last.lo, leaf.hi)
        elif last and leaf.hi == last.lo:
            joined[-1] = KeyRange(leaf.lo, last.hi)
        else:
            joined.append(leaf.range)
    return joined
