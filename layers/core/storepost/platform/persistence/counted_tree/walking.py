"""Walks through a list in parts, in the order of its keys."""

from collections.abc import Sequence
from itertools import batched

from storepost.platform.persistence.changes import LostRace, until_won
from storepost.platform.persistence.counted_tree.items import Node, is_whole
from storepost.platform.persistence.counted_tree.keys import EVERYTHING, KeyRange
from storepost.platform.persistence.counted_tree.model import TreeEntry
from storepost.platform.persistence.counted_tree.rows import Rows

_LEAVES = 60
"""How many leaves have their entries in memory at once."""
_MIN_IN_LEAF = 36
"""How many entries most leaves have at least."""


def first(rows: Rows, within: KeyRange, limit: int) -> Sequence[TreeEntry]:
    """Returns the first entries of a range.

    In a list that may be packed the rows are read before the packed span: a row that is packed
    after that was still read as a row.
    """
    found = rows.live(within, limit)
    span = rows.span() if rows.packing else None
    reach = KeyRange(within.lo, within.hi if len(found) < limit else found[-1].key)
    if span is None or (span & reach).is_empty:
        return found
    return until_won(lambda: _by_leaves(rows, within, limit))


def keys(rows: Rows, limit: int) -> list[str] | None:
    """Returns the keys of all entries, in no order; None where there are more than `limit`.

    A few queries read the leaves and their contents, whether they have pages or not.
    """
    return until_won(lambda: _keys(rows, limit))


def _keys(rows: Rows, limit: int) -> list[str] | None:
    """Does as `keys`. Raises LostRace where leaves were repacked between two reads."""
    leaves = rows.first(0, EVERYTHING, limit + 1, descending=False)
    if not leaves:  # any entries are pending
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
    """Does as `first`, some leaves at once. Raises LostRace where one was repacked meanwhile."""
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
        # Rows are deleted once a page has their entries. If the query found a page that no leaf
        # named when the leaves were read, they are read again: one may name it now. If none does, a
        # killed load left the page.
        if stored.pages.keys() - set(pages) and _leaves(rows, within, needed) != leaves:
            raise LostRace
        found += stored.entries(reach & within, pages)
        within &= KeyRange(reach.hi)
    return found[:limit]


def _leaves(rows: Rows, within: KeyRange, needed: int) -> list[Node]:
    """Returns the leaf where a range begins, and as many after it as seem to be enough."""
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
