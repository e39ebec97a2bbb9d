"""Reads the parts of a list that one answer needs (top, nodes, leaves) and makes them agree.

They are read one after the other, not at one moment, so each part is compared with the one above
it. Where a write came in between, a list with `keys_stay` goes on: it counts what was read last,
which includes that write. In any other list the difference may be half of a move. There the top is
read again, and every part below that doesn't fit it.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Never

from storepost.platform.persistence.counted_tree.items import Node, is_whole
from storepost.platform.persistence.counted_tree.keys import END, EVERYTHING, LOWEST, KeyRange
from storepost.platform.persistence.counted_tree.model import ENTRIES, Filter, TreeEntry
from storepost.platform.persistence.counted_tree.pages import entries_within
from storepost.platform.persistence.counted_tree.pending import PendingCount, PendingSums
from storepost.platform.persistence.counted_tree.rows import Rows, Summit
from storepost.platform.persistence.counted_tree.runs import Run, runs

_STRICT_ATTEMPTS = 5


_UNCOUNTED = Node(0, LOWEST, END, Counter(), version=0, has_parent=False)
"""Replaces the nodes of a list that has pending counts only."""


class InconsistentRead(Exception):  # noqa: N818 - it is what the reads found, and they try again
    """A write came between two reads: the answer is built again from what was read by now."""


class ReadParts:
    """Reads the parts of a list, each once, and again where it no longer fits.

    It counts the entries that the filter keeps, or all entries. If a list is written all the time,
    after some attempts the answer is what was read last, each part of which was true a moment ago.
    """

    def __init__(self, rows: Rows, only: Filter | None) -> None:
        """Begins with nothing read."""
        self._rows = rows
        self._only = only
        self._counters = only.counters if only else (ENTRIES,)
        self._attempts = _STRICT_ATTEMPTS
        self._children: dict[tuple[int, str], Sequence[Node]] = {}
        """By their parent's level and first key, as they were last read."""
        self._pending_before: Sequence[PendingCount] = ()
        """The pending counts when the top was last read."""
        self._prefetched: set[tuple[int, str]] = set()
        """Parents whose children were read after the top, and not yet compared with them."""
        self._edges: dict[tuple[int, str], Sequence[Node]] = {}
        """Children adjacent to the neighbour with which they were read, by their parent's place."""
        self._below: dict[tuple[int, str], Sequence[Node]] = {}
        """Children that were compared with the nodes above them."""
        self._entries: dict[tuple[KeyRange, KeyRange], Sequence[TreeEntry]] = {}
        """Entries that count, by their leaf's range and by the part of it that was read."""

    @property
    def top(self) -> Sequence[Node]:
        """Returns the top level's nodes."""
        return self._summit.top

    @cached_property
    def _summit(self) -> Summit:
        summit = self._rows.summit()
        top = summit.top
        if summit.pending and not top:
            return replace(summit, top=[_UNCOUNTED])
        self.demand(not top or (is_whole(top, EVERYTHING) and not top[0].has_parent))
        self._forget_folded(summit.pending)
        return summit

    def check_folds(self) -> None:
        """Raises InconsistentRead where a fold may have come between the reads of top and nodes.

        Such nodes count changes that are added to them as pending once more. Their sum doesn't show
        that, as in `_forget_folded`.
        """
        below = (*self._below.values(), *self._edges.values())
        if self._attempts and any(_changed(self._pending, each) for each in below):
            folded = set(self._summit.pending).difference(self._rows.pending())
            if folded:
                self._retry()

    def _forget_folded(self, pending: Sequence[PendingCount]) -> None:
        """Drops nodes that were read before a fold added something to them.

        Their sum doesn't show that: what a fold adds to one of them it may take from the next.
        """
        folded = set(self._pending_before) - set(pending)
        sums = PendingSums(folded, self._rows.fields, self._counters)
        for place, nodes in list(self._children.items()):
            if _changed(sums, nodes):
                del self._children[place]

    @cached_property
    def _pending(self) -> PendingSums:
        return PendingSums(self._summit.pending, self._rows.fields, self._counters)

    def weight(self, node: Node) -> int:
        """Returns how many entries below the node count; with `keys_stay`, as they were read."""
        if not self._rows.keys_stay:
            return self._own_weight(node)
        if node.level:
            below = self._below.get((node.level, node.lo))
            return sum(map(self.weight, below)) if below else self._own_weight(node)
        found = self._entries.get((node.range, node.range))
        return self._own_weight(node) if found is None else len(found)

    def _own_weight(self, node: Node) -> int:
        """Returns how many entries the node counts, with its pending changes."""
        counted = sum(node.counts[counter] for counter in self._counters)
        return counted + self._pending.below(node.range)

    def children(self, node: Node) -> Sequence[Node]:
        """Returns the nodes below a node. Raises InconsistentRead where they don't add up to it."""
        place = (node.level, node.lo)
        if place not in self._below:
            children, has_changed = self._children.get(place, ()), False
            if not self._fit(children, node) and place not in self._prefetched:
                children = self._children[place] = self._rows.children(node)
            if not self._fit(children, node):
                # A fold of what was pending can't be distinguished from another write.
                is_pending = self._pending.has_changes(node.range)
                is_exact = is_whole(children, node.range) and not is_pending
                has_changed = self._rows.keys_stay
                if self._attempts and not (has_changed and is_exact):
                    self._retry()
            self._below[place] = children
            if has_changed:
                raise InconsistentRead
        return self._below[place]

    def read_ahead(self, nodes: Sequence[Node]) -> None:
        """Reads the children of neighbours by one query, where none of them was read yet."""
        if len(nodes) < 2 or any((node.level, node.lo) in self._children for node in nodes):
            return
        first, *_, last = sorted(nodes, key=lambda node: node.lo)
        found = self._rows.children(first, last)
        for node in nodes:
            below = [child for child in found if child.lo in node.range]
            self._children[node.level, node.lo] = below
            self._prefetched.add((node.level, node.lo))

    def read_on(self, nodes: Sequence[Node], *, descending: bool) -> None:
        """Reads by one query the children of one neighbour, and the adjacent ones of the next.

        Reading two full nodes takes twice as much as one, and a page that begins below the first
        ends in the first leaf below the second. Nothing but that leaf itself says what it counts:
        it may include entries added after the list's total was read. So this is done only where
        reading both nodes is dear, in a list of three levels or more whose entries never move.
        """
        if not (self._rows.packing and self._rows.keys_stay and self.levels_below > 1):
            return self.read_ahead(nodes)
        if len(nodes) < 2 or (nodes[1].level, nodes[1].lo) in self._edges:
            return None
        first, second = nodes
        found = self._rows.children_and_next(first, descending=descending)
        below, edge = ([n for n in found if n.lo in node.range] for node in nodes)
        if is_whole(below, first.range):
            self._children[first.level, first.lo] = below
            self._prefetched.add((first.level, first.lo))
        within = KeyRange(edge[0].lo if edge and descending else second.lo, second.hi)
        if edge and not descending:
            within = KeyRange(second.lo, edge[-1].hi)
        self._edges[second.level, second.lo] = edge if is_whole(edge, within) else ()
        return None

    def edge(self, node: Node) -> Sequence[Node]:
        """Returns those of a node's children that were read with its neighbour's, if any."""
        return self._edges.get((node.level, node.lo), ())

    @property
    def levels_below(self) -> int:
        """Returns how many levels there are below the top."""
        return self.top[0].level if self.top else 0

    def _fit(self, children: Sequence[Node], node: Node) -> bool:
        weight = sum(map(self._own_weight, children))
        return is_whole(children, node.range) and weight == self._own_weight(node)

    def entries(
        self,
        leaves: Iterable[Node],
        within: KeyRange = EVERYTHING,
        *,
        descending: bool = False,
    ) -> list[TreeEntry]:
        """Returns the leaves' entries that count within a range; the leaves are in that direction.

        Raises InconsistentRead where a leaf holds other entries than it counts.
        """
        requested = list(leaves)
        unread = [leaf for leaf in requested if self._entries_of(leaf, within) is None]
        has_changed = False
        for run in runs(unread):
            below = [leaf for leaf in unread if leaf.lo in run.range]
            has_changed |= self._read(run, below, within)
        if has_changed:
            raise InconsistentRead
        found: list[TreeEntry] = []
        for leaf in requested:
            entries = self._entries_of(leaf, within) or ()
            found += reversed(entries) if descending else entries
        return [entry for entry in found if entry.key in within]

    def _entries_of(self, leaf: Node, within: KeyRange) -> Sequence[TreeEntry] | None:
        """Returns what was read of a leaf: all of it, or its part in the range; None if nothing."""
        whole = self._entries.get((leaf.range, leaf.range))
        return self._entries.get((leaf.range, leaf.range & within)) if whole is None else whole

    def _read(self, run: Run, leaves: Sequence[Node], within: KeyRange) -> bool:
        """Reads neighbours; returns whether one of them now has another count than before."""
        part = run.range if run.pages else run.range & within
        stored = self._rows.stored(part)
        self.demand(stored.has(run.pages))
        unknown = stored.pages.keys() - run.pages
        counted = stored.entries(part, run.pages)
        if self._only:
            counted = [entry for entry in counted if self._only.keeps(entry)]
        has_changed = False
        for leaf in leaves:
            own = entries_within(counted, leaf.range)
            is_all = leaf.range & part == leaf.range
            more = len(own) - self.weight(leaf) if is_all else 0
            # The missing entries may be in a page that the leaf has by now.
            self.demand(more == 0 or (self._rows.keys_stay and more > 0 and not unknown))
            has_changed |= more != 0
            self._entries[leaf.range, leaf.range & part] = own
        return has_changed and self._rows.keys_stay

    def demand(self, agreed: bool) -> None:  # noqa: FBT001 - it reads like an assertion
        """Raises InconsistentRead where two reads disagree: everything is read again."""
        if self._attempts and not agreed:
            self._children.clear()
            self._retry()

    def _retry(self) -> Never:
        self._attempts -= 1
        if summit := self.__dict__.pop("_summit", None):
            self._pending_before = summit.pending
        self.__dict__.pop("_pending", None)
        self._prefetched.clear()
        self._edges.clear()
        self._below.clear()
        self._entries.clear()
        raise InconsistentRead


def _changed(sums: PendingSums, nodes: Sequence[Node]) -> bool:
    """Returns whether any of the changes is below one of these neighbours."""
    return bool(nodes) and sums.has_changes(KeyRange(nodes[0].lo, nodes[-1].hi))
