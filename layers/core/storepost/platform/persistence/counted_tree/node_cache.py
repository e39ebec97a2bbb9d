"""Caches a tree's nodes, for a process that writes to it many times in a row.

A cached node may be out of date. Each write is conditioned on its node still covering the key, so a
wrong node costs at most a lost race, after which everything is read again. Counts may lag behind
the writes of others; they only decide when a node is checked for splitting.
"""

from bisect import bisect_right, insort
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from storepost.platform.persistence.changes import LostRace
from storepost.platform.persistence.counted_tree.items import Node
from storepost.platform.persistence.counted_tree.keys import KeyRange
from storepost.platform.persistence.counted_tree.model import Counts, total
from storepost.platform.persistence.counted_tree.rows import Rows
from storepost.platform.persistence.loads.in_flight import in_flight
from storepost.platform.persistence.reads import Reads


@dataclass
class _Level:
    """The known nodes of one level, and the keys at which they begin, in order."""

    nodes: dict[str, Node] = field(default_factory=dict)
    starts: list[str] = field(default_factory=list)

    def put(self, node: Node) -> None:
        if node.lo not in self.nodes:
            insort(self.starts, node.lo)
        self.nodes[node.lo] = node

    def covering(self, key: str) -> Node | None:
        place = bisect_right(self.starts, key)
        node = self.nodes[self.starts[place - 1]] if place else None
        return node if node and key < node.hi else None

    def drop(self, node: Node) -> None:
        if self.nodes.pop(node.lo, None):
            self.starts.remove(node.lo)

    def drop_within(self, within: KeyRange) -> None:
        for lo in [lo for lo in self.starts if lo in within]:
            self.drop(self.nodes[lo])


class NodeCache:
    """Holds the nodes of one tree as they were last read or written."""

    def __init__(self, rows: Rows) -> None:
        """Makes an empty cache."""
        self._rows = rows
        self._levels: dict[int, _Level] = {}
        self._opened: set[tuple[int, str]] = set()
        """The nodes whose children were all read, each by level and first key."""
        self.is_empty = False
        """Whether the list had no node when it was read."""

    def floor(self, level: int, key: str) -> Node | None:
        """Returns the node of a level that covers the key; None without such a level.

        A node that isn't cached is read together with all children of the same parent: an import's
        keys have no order, and soon hit the neighbours too. That a list has no nodes is read only
        once: a unit that then writes to the list has the condition that there are none.
        """
        if self.is_empty:
            return None
        node = self._cached(level, key)
        if node is None:
            self._descend(level, key)
            node = self._cached(level, key)
        return node if node or self.is_empty else self._read(level, key)

    def floors(self, level: int, keys: Sequence[str]) -> list[Node]:
        """Returns the nodes of a level that cover the keys, in the order of the keys.

        Returns none where there is no such level.
        """
        found: list[Node] = []
        for key in keys:
            if found and key < found[-1].hi:
                continue
            node = self.floor(level, key)
            if node is None:
                return []
            if found and found[-1].lo == node.lo:
                raise LostRace  # the node covers more than a moment ago
            found.append(node)
        return found

    def path(self, key: str) -> list[Node]:
        """Returns the nodes above a key, from the leaf to the top; none in a new list."""
        found: list[Node] = []
        node = self.floor(0, key)
        while node is not None:
            found.append(node)
            node = self.floor(node.level + 1, key) if node.has_parent else None
        return found

    def added(self, written: Iterable[tuple[Node, Counts]]) -> None:
        """Notes what was added below each of these nodes, given as they were when that was planned.

        Earlier units' additions since then are noted already.
        """
        for planned, counts in written:
            cached = self._cached(planned.level, planned.lo)
            node = cached if cached and cached.range == planned.range else planned
            self._put(replace(node, counts=total((node.counts, counts))))

    def changed(self, node: Node, key: str) -> None:
        """Drops the nodes above a key, as one of them was split or merged."""
        if node.has_parent:
            for each in self._levels.values():
                known = each.covering(key)
                if known:
                    each.drop(known)
        else:
            self._levels.clear()
            self._opened.clear()
            self.is_empty = False

    def children(self, parent: Node) -> list[Node]:
        """Returns the nodes directly below another one, read from the table."""
        return self._rows.children(parent)

    def unopened(self, keys: Iterable[str]) -> list[Node]:
        """Returns the nodes to open next for a unit that writes below them at these keys.

        Returns none once all nodes above those keys are known.
        """
        self._read_top()
        found = (self._next_to_open(0, key) for key in keys)
        return list({(each.level, each.lo): each for each in found if each}.values())

    def open(self, parent: Node, children: Iterable[Node]) -> None:
        """Notes all nodes directly below another one, as they were just read."""
        self._opened.add((parent.level, parent.lo))
        if parent.level - 1 in self._levels:
            self._levels[parent.level - 1].drop_within(parent.range)
        for child in children:
            self._put(child)

    def _descend(self, level: int, key: str) -> None:
        """Reads the nodes above the key from the top down to a level."""
        self._read_top()
        while parent := self._next_to_open(level, key):
            self.open(parent, self._rows.children(parent))

    def _read_top(self) -> None:
        if not self._levels:
            for node in self._rows.top():
                self._put(node)
            self.is_empty = not self._levels

    def _next_to_open(self, level: int, key: str) -> Node | None:
        """Returns the highest node over the key, above that level, whose children aren't read."""
        for above in range(max(self._levels, default=0), level, -1):
            parent = self._cached(above, key)
            if parent is None:
                return None
            is_opened = (above, parent.lo) in self._opened
            if not is_opened and self._cached(above - 1, key) is None:
                return parent
        return None

    def _read(self, level: int, key: str) -> Node | None:
        node = self._rows.floor(level, key)
        if node is not None:
            self._put(node)
        return node

    def _cached(self, level: int, key: str) -> Node | None:
        return self._levels[level].covering(key) if level in self._levels else None

    def _put(self, node: Node) -> None:
        self.is_empty = False
        self._levels.setdefault(node.level, _Level()).put(node)


def cached_nodes(reads: Reads, rows: Rows) -> NodeCache | None:
    """Returns the tree's nodes cached by `reads`; None where `reads` caches nothing."""
    return reads.cached(("counted_tree", rows.partition), lambda: NodeCache(rows))


def read_nodes_ahead(reads: Reads, trees: Iterable[tuple[Rows, Collection[str]]]) -> None:
    """Reads the nodes above some keys of all the trees together, one level after the other.

    It does nothing where `reads` caches nothing.
    """
    caches = [(nodes, keys) for rows, keys in trees if (nodes := cached_nodes(reads, rows))]
    while parents := [(nodes, each) for nodes, keys in caches for each in nodes.unopened(keys)]:
        found = in_flight(lambda parent: parent[0].children(parent[1]), parents)
        for (nodes, parent), children in zip(parents, found, strict=True):
            nodes.open(parent, children)
