"""Splits full nodes, in transactions of their own, conditioned on the nodes' versions.

A crash before a split leaves a full node. The tree is right, though slow: the next write splits the
node.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise

from storepost.platform.persistence.changes import Changes, LostRace
from storepost.platform.persistence.counted_tree.contention import give_way
from storepost.platform.persistence.counted_tree.items import Node, is_whole
from storepost.platform.persistence.counted_tree.keys import END, EVERYTHING, LOWEST
from storepost.platform.persistence.counted_tree.leaf_bytes import bytes_of_page, parts_of_leaf
from storepost.platform.persistence.counted_tree.model import difference, total
from storepost.platform.persistence.counted_tree.pieces import LeafPieces, Piece
from storepost.platform.persistence.counted_tree.repacking import Repacking
from storepost.platform.persistence.counted_tree.rows import Rows

_MAX_TOP_NODES = _MAX_PARTS = 90
"""A new level is written in one transaction with all that it covers; 100 items are the limit."""

_MAX_PAGES = 12
"""Into how many leaves one is split: the same transaction removes the rows over its pages."""

_LEVEL_TRIES = 5
"""Every write to the list conflicts with a new level; between two writes there is often room."""


def _nearly_full(fan_out: int) -> int:
    """Returns five sixths of the size that is split: it leaves room for late entries."""
    return 5 * fan_out // 3


@dataclass(frozen=True)
class Splitter:
    """Keeps the size of a node between `fan_out` and twice that, and the top level small.

    The last node of a level may be smaller.
    """

    rows: Rows
    fan_out: int
    top_nodes: int
    leaves: LeafPieces

    def split(self, level: int, key: str) -> None:
        """Splits the node that covers the key if it is full, and then nodes above that this fills.

        Raises LostRace where another process wrote between the reads and the split.
        """
        node = self.rows.floor(level, key)
        if node is None:
            return
        pieces = self._pieces(node)
        min_size, max_parts = self._bounds(node)
        if len(pieces) < 2 * min_size:
            if pieces and self.is_to_fold(node):
                self._fold(node, pieces)
            return
        if node.has_parent:
            self._cut(node, pieces, self._parts(node, len(pieces), min_size, max_parts))
            self.split(level + 1, key)
        elif self.rows.levels is not None:
            self._cut(node, pieces, self._parts(node, len(pieces), min_size, max_parts))
        else:
            self._cut_on_top(node, pieces)

    def split_above(self, key: str) -> None:
        """Splits nodes that a load filled above the leaf that covers the key."""
        leaf = self.rows.floor(0, key)
        if leaf is None:
            return
        if not leaf.has_parent and len(self.rows.top()) >= self.top_nodes:
            self._add_level(0)
        self.split(1, key)

    def cut_large(self, key: str) -> None:
        """Cuts a leaf with too many bytes because of its rows. Raises LostRace as `split` does."""
        leaf = self.rows.floor(0, key)
        pieces = self._pieces(leaf) if leaf else ()
        if leaf and pieces and len(self._bounds_of_bytes(leaf)) > 2:
            self._fold(leaf, pieces)

    def is_to_fold(self, leaf: Node) -> bool:
        """Returns whether the leaf had so many writes since its page that it is to be folded."""
        packing = self.rows.packing
        return packing is not None and leaf.writes_since_packed >= packing.fold_after

    def _fold(self, leaf: Node, pieces: Sequence[Piece]) -> None:
        """Moves the rows into the leaf's page, and cuts the leaf if it has too many bytes then."""
        bounds = self._bounds_of_bytes(leaf)
        self._cut(leaf, pieces, bounds)
        if leaf.has_parent and len(bounds) > 2:
            self.split(leaf.level + 1, leaf.lo)

    def _bounds_of_bytes(self, leaf: Node) -> list[int]:
        contents, packing, span = self.leaves.contents_of(leaf), self.rows.packing, self.rows.span()
        entries = contents.entries
        if packing is None or span is None:
            return [0, len(entries)]
        rows = [key for key in contents.stored.rows if key not in span or not leaf.page]
        paged = [entry for entry in entries if entry.key not in rows]
        in_page = bytes_of_page(self.rows, leaf, paged)
        return parts_of_leaf(packing, [e.key for e in entries], rows, in_page)

    def fan_out_of(self, node: Node) -> int:
        """Returns how many children or entries the node has at least after a split."""
        packing = self.rows.packing
        if packing is None:
            return self.fan_out
        if node.level:
            return packing.node_fan_out
        return packing.entries if node.page else self.fan_out

    def _bounds(self, node: Node) -> tuple[int, int]:
        """Returns how many pieces a part has at least, and how many parts there are at most.

        The top of a list that never gets another level is broad from the beginning, so that
        concurrent writers each change another node.
        """
        if self.rows.levels is not None and not node.has_parent:
            room = self.top_nodes - len(self.rows.top())
            if room > 0:
                return 1, room + 1
        return self.fan_out_of(node), _MAX_PARTS if node.page is None else _MAX_PAGES

    def _parts(self, node: Node, pieces: int, min_size: int, max_parts: int) -> list[int]:
        """Returns where the parts of a node begin among its pieces, and where the last one ends.

        Parts are equal, except in the last node of a level: entries that arrive in order all arrive
        there, and half-full parts left behind would stay half full for ever. So all parts but the
        last are nearly full, and a list that grows in order has 40 % fewer nodes. This isn't done
        for a list with a fixed number of levels: entries are drawn from it in no order.
        """
        size = _nearly_full(min_size)
        rising = self.rows.levels is None and node.page is None
        if rising and node.hi == END and pieces <= size * max_parts:
            return [*range(0, pieces, size), pieces]
        parts = min(pieces // min_size, max_parts)
        return [pieces * part // parts for part in range(parts + 1)]

    def _pieces(self, node: Node) -> Sequence[Piece]:
        """Returns the node's direct children; none where they changed between the reads."""
        if node.level:
            children = self.rows.children(node)
            pieces = [Piece(child.lo, child.counts) for child in children]
            whole = is_whole(children, node.range)
        else:
            pieces, whole = self.leaves.of(node), True
        counted = total(piece.counts for piece in pieces)
        return pieces if whole and not difference(counted, node.counts) else []

    def _cut(self, node: Node, pieces: Sequence[Piece], bounds: Sequence[int]) -> None:
        """Cuts the node: it keeps the first of the parts, and new nodes get the others."""
        starts = [pieces[bound].lo for bound in bounds[:-1]]
        cut = [
            replace(
                node,
                lo=pieces[begin].lo,
                hi=hi,
                counts=total(piece.counts for piece in pieces[begin:end]),
                version=node.version + 1,
            )
            for (begin, end), hi in zip(pairwise(bounds), [*starts[1:], node.hi], strict=True)
        ]
        changes = Changes()
        if node.page:
            cut = Repacking(self.rows, changes, self.leaves.contents_of(node)).write(cut)
            changes.where_contended(give_way)
        self.rows.rewrite(changes, node, cut[0])
        for new in cut[1:]:
            self.rows.create(changes, new)
        changes.commit()

    def _cut_on_top(self, node: Node, pieces: Sequence[Piece]) -> None:
        """Does as `_cut`, but never to more nodes than a new level could be put above."""
        nodes = len(self.rows.top())
        room = _MAX_TOP_NODES - nodes + 1
        if room > 1:
            min_size, max_parts = self._bounds(node)
            bounds = self._parts(node, len(pieces), min_size, min(room, max_parts))
            self._cut(node, pieces, bounds)
            nodes += len(bounds) - 2
        if nodes >= self.top_nodes:
            self._add_level(node.level)

    def _add_level(self, level: int) -> None:
        """Adds a level above the top, unless another has; the next split tries again too."""
        for _ in range(_LEVEL_TRIES):
            top = self.rows.top()
            if top[0].level != level:
                return
            with suppress(LostRace):
                return self._write_level(top)

    def _write_level(self, top: Sequence[Node]) -> None:
        """Puts one node above those of the top level."""
        if not is_whole(top, EVERYTHING):
            return
        changes = Changes()
        for node in top:
            self.rows.rewrite(
                changes, node, replace(node, version=node.version + 1, has_parent=True)
            )
        counts = total(node.counts for node in top)
        above = Node(top[0].level + 1, LOWEST, END, counts, version=1, has_parent=False)
        self.rows.create(changes, above)
        changes.commit()
