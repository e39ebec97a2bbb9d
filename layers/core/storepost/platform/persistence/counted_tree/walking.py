"""Going through a list bit by bit, in the order of its keys."""

from collections.abc import Sequence
from itertools import batched

from storepost.platform.persistence.changes import LostRace, until_won
from storepost.platform.persistence.counted_tree.items import Node, is_whole
from storepost.platform.persistence.counted_tree.keys import EVERYTHING, KeyRange
from storepost.platform.persistence.counted_tree.model import TreeEntry
from storepost.platform.persistence.counted_tree.rows import Rows

_LEAVES = 60
"""Whose entries are in memory at once."""
_MIN_IN_LEAF = 36
"""What most leaves have at least."""


def first(rows: Rows, within: KeyRange, limit: int) -> Sequence[TreeEntry]:
    """The first entries of a range.

    Where a list may be packed the rows are read before it is known where: what is packed since
    stays a row for now.
    """
    found = rows.live(within, limit)
    span = rows.span() if rows.packing else None
    reach = KeyRange(within.lo, within.hi if len(found) < limit else found[-1].key)
    if span is None or (span & reach).is_empty:
        return found
    return until_won(lambda: _by_leaves(rows, within, limit))


def keys(rows: Rows, limit: int) -> list[str] | None:
    """The keys of all entries, in no order; None where there are more than `limit`.

    Leaves and what stands under them are read by a few queries, whether they have pages or not.
    """
    return until_won(lambda: _keys(rows, limit))


def _keys(rows: Rows, limit: int) -> list[str] | None:
    """The same. Raises LostRace where leaves were packed anew between two reads."""
    leaves = rows.first(0, EVERYTHING, limit + 1, descending=False)
    if not leaves:  # all that there may be is counted later
        live = rows.live(EVERYTHING, limit + 1)
        return [entry.key for entry in live] if len(live) <= limit else None
    if sum(leaf.n for leaf in leaves) > limit:
        return None
    if not is_whole(leaves, EVERYTHING):
        raise LostRace
    found: set[str] = set()
    for some in batched(leaves, _LEAVES, strict=False):
        pages = [page for leaf in some for page in leaf.page_keys]
        stored = rows.stored(KeyRange(some[0].lo, some[-1].hi))
        if not stored.has(pages):
            raise LostRace
        gone = {key for key, entry in stored.rows.items() if entry is None}
        found |= stored.rows.keys() - gone
        found |= {key for page in pages for key in stored.keys_of(page)} - gone
    return list(found) if len(found) <= limit else None


def _by_leaves(rows: Rows, within: KeyRange, limit: int) -> list[TreeEntry]:
    """The same, some leaves at once. Raises LostRace where one was packed anew meanwhile."""
    found: list[TreeEntry] = []
    while len(found) < limit and not within.is_empty:
        needed = limit - len(found)
        leaves = _leaves(rows, within, needed)
        if not leaves:
            return found + rows.live(within, needed)
        reach = KeyRange(leaves[0].lo, leaves[-1].hi)
        pages = [page for leaf in leaves for page in leaf.page_keys]
        stored = rows.stored(reach)
        if not (is_whole(leaves, reach) and stored.has(pages)):
            raise LostRace
        # Rows are deleted once a page has them: of one that no leaf named a moment ago, it is asked
        # whether one does now. Else a load left it that was killed.
        if stored.pages.keys() - set(pages) and _leaves(rows, within, needed) != leaves:
            raise LostRace
        found += stored.entries(reach & within, pages)
        within &= KeyRange(reach.hi)
    return found[:limit]


def _leaves(rows: Rows, within: KeyRange, needed: int) -> list[Node]:
    """The leaf in which a range begins, and as many behind it as seem to have what is needed."""
    first = rows.floor(0, within.lo)
    if first is None:
        return []
    leaves, promised, behind = [first], first.n, within & KeyRange(first.hi)
    if promised < needed and not behind.is_empty:
        limit = min(_LEAVES, 1 + needed // _MIN_IN_LEAF)
        for leaf in rows.first(0, behind, limit, descending=False):
            leaves.append(leaf)
            promised += leaf.n
            if promised >= needed:
                break
    return leaves
