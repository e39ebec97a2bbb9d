"""Going through a list bit by bit, in the order of its keys."""

from collections.abc import Sequence

from storepost.platform.persistence.changes import LostRace, until_won
from storepost.platform.persistence.counted_tree.keys import KeyRange
from storepost.platform.persistence.counted_tree.model import TreeEntry
from storepost.platform.persistence.counted_tree.rows import Rows


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


def _by_leaves(rows: Rows, within: KeyRange, limit: int) -> list[TreeEntry]:
    """The same, leaf by leaf. Raises LostRace where one was packed anew between its two reads."""
    found: list[TreeEntry] = []
    while len(found) < limit and not within.is_empty:
        leaf = rows.floor(0, within.lo)
        if leaf is None:
            return found + rows.live(within, limit - len(found))
        pages = leaf.page_keys
        stored = rows.stored(leaf.range)
        if not stored.has(pages):
            raise LostRace
        found += stored.entries(leaf.range & within, pages)
        within &= KeyRange(leaf.hi)
    return found[:limit]
