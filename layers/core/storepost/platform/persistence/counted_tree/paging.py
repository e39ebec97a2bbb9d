"""Finds a page or a random entry of a list by number: which leaves to read, and what of them."""

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from storepost.platform.persistence.counted_tree.items import Node
from storepost.platform.persistence.counted_tree.keys import END, EVERYTHING, LOWEST, KeyRange
from storepost.platform.persistence.counted_tree.model import TreeEntry
from storepost.platform.persistence.counted_tree.reading import Reading
from storepost.values.pagination import PageRequest

_ROWS_FOR_A_LEVEL = 48
"""So many rows of our lists take two read units, as the nodes of one level do."""


@dataclass(frozen=True)
class PageQuery:
    """Asks for a page of a range, from either end."""

    request: PageRequest
    within: KeyRange
    descending: bool

    def skipped_in(self, leaf: Node, skipped: int) -> int:
        """Returns how many of the entries skipped in the page's first leaf are in the range.

        Where the range begins in that leaf, they are all the entries that the page skips. So a
        write outside the range never moves the page.
        """
        begins = self.within.hi < leaf.hi if self.descending else leaf.lo < self.within.lo
        return self.request.skipped if begins else skipped


def page(reading: Reading, query: PageQuery) -> tuple[Sequence[TreeEntry], int]:
    """Returns one page of the entries that count within the range, and how many those are."""
    within, request, descending = query.within, query.request, query.descending
    before = reading.rank(within.lo) if within.lo > LOWEST else 0
    behind = reading.total - reading.rank(within.hi) if within.hi < END else 0
    total = max(0, reading.total - before - behind)
    left = total - request.skipped
    if left <= 0:
        return [], total
    skip = request.skipped + (behind if descending else before)
    if reading.counts_all and _is_near(reading, query):
        until = request.skipped + request.size
        first = reading.first(within, until, descending=descending)
        rows = None if first is None else first[request.skipped :]
    elif reading.counts_all:
        rows = _run(reading, skip, query)
    else:
        rows = None
    if rows is None:
        rows = _page_of_leaves(reading, skip, left, query)
    # A row too many, like one too few, shows a write in between.
    reading.demand(len(rows) == min(request.size, left))
    return rows, total


def _is_near(reading: Reading, query: PageQuery) -> bool:
    """Returns whether the rows before the page cost no more than the nodes that lead to it.

    In a list with pages, only the first `ends` entries at an end are sure to be rows.
    """
    skipped, packing = query.request.skipped, reading.packing
    if packing and skipped and reading.packed(query.within):
        return skipped + query.request.size <= packing.ends
    return skipped <= _ROWS_FOR_A_LEVEL * reading.levels_below


def random_entry(reading: Reading) -> TreeEntry | None:
    """Returns one of the entries that count, each equally likely."""
    if reading.total <= 0:
        return None
    skip = secrets.randbelow(reading.total)
    one = PageQuery(PageRequest(skip + 1, 1), EVERYTHING, descending=False)
    found = _page_of_leaves(reading, skip, reading.total - skip, one)
    reading.demand(bool(found))
    return found[0] if found else None


def _run(reading: Reading, skip: int, query: PageQuery) -> Sequence[TreeEntry] | None:
    """Returns the page after the skipped entries by one query from the start of its first leaf.

    Returns None where pages may hold some of its entries.
    """
    needed = query.request.size if reading.packed(query.within) else 0
    place = reading.place(skip, descending=query.descending, needed=needed)
    if place is None:
        return []
    leaf, skipped = place
    first = query.skipped_in(leaf, skipped)
    within = KeyRange(LOWEST, leaf.hi) if query.descending else KeyRange(leaf.lo, END)
    limit = first + query.request.size
    has_page_as_rows = not leaf.page and reading.weight(leaf) >= skipped + query.request.size
    if not has_page_as_rows and reading.packed(within & query.within):
        return None
    rows = reading.first(within & query.within, limit, descending=query.descending)
    return None if rows is None else rows[first:]


def _leaves(reading: Reading, skip: int, size: int, query: PageQuery) -> Iterable[tuple[Node, int]]:
    """Returns the leaves after the skipped entries; without a filter, few adjacent ones.

    The entries that a filter keeps are spread over many leaves.
    """
    descending = query.descending
    near = None
    if reading.counts_all:
        near = reading.near_leaves(skip, descending=descending, needed=size)
    return near or reading.leaves(skip, descending=descending, needed=size)


def _page_of_leaves(
    reading: Reading, skip: int, left: int, query: PageQuery
) -> Sequence[TreeEntry]:
    """Returns the page after the skipped entries, from the leaves that have entries that count.

    `left` is how many entries of the range come after the skipped ones.
    """
    leaves: list[Node] = []
    first, promised = 0, 0
    size = min(query.request.size, left)
    for leaf, skipped in _leaves(reading, skip, size, query):
        if not leaves:
            first = query.skipped_in(leaf, skipped)
        leaves.append(leaf)
        promised += reading.weight(leaf) - skipped
        if promised >= size:
            break
    rows = reading.entries(leaves, query.within, descending=query.descending)
    reading.demand(len(rows) == first + min(promised, left))
    return rows[first : first + query.request.size]
