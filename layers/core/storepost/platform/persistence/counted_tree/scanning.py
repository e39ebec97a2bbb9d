"""Scans rows for filters that no node counts."""

from collections.abc import Sequence

from storepost.platform.persistence.counted_tree.items import Node
from storepost.platform.persistence.counted_tree.keys import END, LOWEST, KeyRange
from storepost.platform.persistence.counted_tree.model import Filter, TreeEntry
from storepost.platform.persistence.counted_tree.reading import Reading, read_consistently
from storepost.platform.persistence.counted_tree.rows import Rows
from storepost.values.pagination import MAX_ROWS, FilterTooBroad


def scan(rows: Rows, filters: Sequence[Filter], within: KeyRange, advised: str) -> list[TreeEntry]:
    """Returns the entries of a range that all the filters keep, by key.

    Raises FilterTooBroad, which advises the query parameter `advised`, rather than read more than
    20,000 rows.
    """
    by = _narrowest(rows, filters)
    found = read_consistently(rows, by, lambda reading: _read(reading, within, advised))
    return [entry for entry in found if all(f.keeps(entry) for f in filters)]


def _narrowest(rows: Rows, filters: Sequence[Filter]) -> Filter | None:
    """Returns the filter that keeps the fewest entries of the whole list."""
    if len(filters) < 2:
        return filters[0] if filters else None
    top = rows.top()
    return min(filters, key=lambda f: sum(node.counts[c] for node in top for c in f.counters))


def _read(reading: Reading, within: KeyRange, advised: str) -> list[TreeEntry]:
    """Returns the entries that the one filter keeps within the range."""
    before = reading.rank(within.lo) if within.lo > LOWEST else 0
    until = reading.rank(within.hi) if within.hi < END else reading.total
    limit = max(0, until - before)
    if limit > MAX_ROWS:
        raise FilterTooBroad(advised)
    found = reading.all_rows(within) if reading.counts_all else None
    if found is None:
        found = reading.entries(_leaves(reading, before, limit, advised), within)
    reading.demand(len(found) == limit)
    return found


def _leaves(reading: Reading, skip: int, limit: int, advised: str) -> list[Node]:
    """Returns the leaves that hold the needed entries; all rows of a leaf are read."""
    leaves: list[Node] = []
    promised = looked_at = 0
    if not limit:
        return leaves
    for leaf, offset in reading.leaves(skip, descending=False):
        leaves.append(leaf)
        looked_at += leaf.n
        promised += reading.weight(leaf) - offset
        if looked_at > MAX_ROWS:
            raise FilterTooBroad(advised)
        if promised >= limit:
            break
    return leaves
