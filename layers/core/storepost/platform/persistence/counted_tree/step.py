"""One transaction of a load: as many leaves as it takes, and the nodes above them."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import groupby

from storepost.platform.persistence.changes import Changes, LostRace
from storepost.platform.persistence.counted_tree.items import Node, PageItem
from storepost.platform.persistence.counted_tree.keys import KeyRange, behind
from storepost.platform.persistence.counted_tree.leaf_load import LeafLoad
from storepost.platform.persistence.counted_tree.model import TreeEntry
from storepost.platform.persistence.counted_tree.node_cache import NodeCache
from storepost.platform.persistence.counted_tree.node_writes import NodeWrites
from storepost.platform.persistence.counted_tree.pages import Packing
from storepost.platform.persistence.counted_tree.rows import Rows
from storepost.platform.persistence.counted_tree.runs import runs

_MAX_WRITES = 48
"""How many leaves and rows a step writes; the nodes above and the load's own row are extra."""

_MAX_TOP_NODES = 90 - _MAX_WRITES
"""How many leaves the top may have: one transaction adds a level above them and new ones."""

_MAX_ROWS = 30
_MAX_LEAVES = 30
"""Into how many leaves one is cut."""

type _Share = tuple[Node, Sequence[TreeEntry]]


class Step:
    """Plans one transaction, and what to write before it and delete after it."""

    def __init__(
        self, rows: Rows, nodes: NodeCache, leaves: int, changes: Changes | None = None
    ) -> None:
        """Takes at most `leaves` existing leaves; adds the writes to `changes`, if given."""
        self.changes = Changes() if changes is None else changes
        self.pages: list[PageItem] = []
        self.dead_pages: list[str] = []
        self.cut_at: list[str] = []
        """A key below each node that gets more children."""
        self._rows = rows
        self._nodes = nodes
        self._leaves = leaves

    def plan(self, packing: Packing, entries: Sequence[TreeEntry], begin: int, end: int) -> int:
        """Takes as many of the entries as fit; returns the end of those. Raises LostRace."""
        shares = self._shares(packing, entries, begin, end)
        loads = self._loads(packing, shares)
        planned = list(_fitting(loads, shares))
        changed = [load for load in planned if load.changed]
        for load in changed:
            load.write(self.changes)
            self.pages += load.pages
            self.dead_pages += load.dead_pages
        self._add_above(changed)
        self._widen(changed)
        return begin + sum(len(load.new) for load in planned)

    def _shares(
        self, packing: Packing, entries: Sequence[TreeEntry], begin: int, end: int
    ) -> list[_Share]:
        """Returns the next leaves, each with its new entries."""
        found: list[_Share] = []
        room = _MAX_LEAVES * packing.entries
        while begin < end and len(found) < self._leaves:
            leaf = self._nodes.floor(0, entries[begin].key)
            if leaf is None or self._has_no_room(leaf):
                raise LostRace
            upto = bisect_left(entries, leaf.hi, begin, end, key=lambda entry: entry.key)
            max_end = begin + max(1, room - leaf.n)
            found.append((leaf, entries[begin : min(upto, max_end)]))
            if upto > max_end:
                break
            begin = upto
        return found

    def _has_no_room(self, leaf: Node) -> bool:
        """Returns whether the top has so many leaves that it needs a level above first."""
        return not leaf.has_parent and len(self._rows.top()) > _MAX_TOP_NODES

    def _loads(self, packing: Packing, shares: Sequence[_Share]) -> list[LeafLoad]:
        """Reads the contents of the leaves, neighbours together."""
        new = {leaf.lo: entries for leaf, entries in shares}
        leaves = [leaf for leaf, _ in shares]
        loads: list[LeafLoad] = []
        for run in runs(leaves):
            stored = self._rows.stored(run.range)
            if not stored.has(run.pages):
                raise LostRace
            below = [leaf for leaf in leaves if leaf.lo in run.range]
            parts = stored.by_leaf(leaf.range for leaf in below)
            loads += [
                _bounded(LeafLoad(self._rows, packing, leaf, part, new[leaf.lo]))
                for leaf, part in zip(below, parts, strict=True)
            ]
        return loads

    def _add_above(self, loads: Sequence[LeafLoad]) -> None:
        """Adds to the nodes above the leaves."""
        added = [load for load in loads if load.leaf.has_parent and load.added]
        above = [(load.new[-1].key, load.added) for load in added]
        NodeWrites(self._rows, self.changes, self._nodes).add(above, level=1)
        cut = [load for load in loads if len(load.nodes) > 1]
        for _, same in groupby(cut, key=lambda load: self._parent(load.leaf)):
            self.cut_at.append(next(same).leaf.lo)

    def _parent(self, leaf: Node) -> str | None:
        parent = self._nodes.floor(1, leaf.lo) if leaf.has_parent else None
        return parent.lo if parent else None

    def _widen(self, loads: Sequence[LeafLoad]) -> None:
        """Widens the packed span over the entries that are now in pages."""
        paged = [entry.key for load in loads if load.pages for entry in load.paged]
        if not paged:
            return
        span = self._rows.span()
        new = KeyRange(paged[0], behind(paged[-1]).lo)
        wide = span | new if span else new
        if wide != span:
            self._rows.widen_span(self.changes, span, wide)


def _fitting(loads: Sequence[LeafLoad], shares: Sequence[_Share]) -> Iterator[LeafLoad]:
    """Returns as many as a transaction takes, up to the first that leaves some entries out."""
    writes = 0
    for load, (_, entries) in zip(loads, shares, strict=True):
        writes += len(load.nodes) + len(load.as_rows)
        if writes > _MAX_WRITES and load is not loads[0]:
            return
        yield load
        if len(load.new) < len(entries):
            return


def _bounded(load: LeafLoad) -> LeafLoad:
    """Returns the load with no more entries than a transaction takes, where they change rows."""
    if len(load.as_rows) <= _MAX_ROWS:
        return load
    last = load.as_rows[_MAX_ROWS - 1].key
    new = [entry for entry in load.new if entry.key <= last]
    return LeafLoad(load.rows, load.packing, load.leaf, load.stored, new)
