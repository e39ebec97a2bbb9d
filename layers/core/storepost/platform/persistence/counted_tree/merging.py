"""Merges nodes that deletes emptied, so that a list whose rows move on leaves no trail of nodes.

Only empty nodes are merged. That keeps the nodes from outnumbering the entries for long, and no
delete has to count more than it does anyway. As with splits, a crash before a merge leaves a tree
that is right, though slower.
"""

from dataclasses import dataclass, replace

from storepost.platform.persistence.changes import MAX_ITEMS, Changes
from storepost.platform.persistence.counted_tree.items import (
    EntryItem,
    Node,
    PageItem,
    pages_named,
)
from storepost.platform.persistence.counted_tree.keys import EVERYTHING
from storepost.platform.persistence.counted_tree.model import total
from storepost.platform.persistence.counted_tree.rows import Rows


@dataclass(frozen=True)
class Merger:
    """Removes empty nodes."""

    rows: Rows

    def merge(self, level: int, key: str) -> None:
        """Joins the node that covers the key, if it is empty, with a neighbour under its parent.

        Raises LostRace where another process wrote between the reads and the merge.
        """
        node = self.rows.floor(level, key)
        while node is not None and not node.n:
            parent = self.rows.floor(level + 1, node.lo) if node.has_parent else None
            node = self._join(node, parent)

    def _join(self, node: Node, parent: Node | None) -> Node | None:
        """Joins the node with a neighbour; returns the joined node, None without a neighbour."""
        within = parent.range if parent else EVERYTHING
        left: Node | None = node
        right: Node | None = node
        if node.lo != within.lo:
            left = self.rows.neighbour_before(node)
        elif node.hi != within.hi:
            right = self.rows.floor(node.level, node.hi)
        if left is None or right is None or left.hi != right.lo or self._has_entries(node):
            return None
        joined = replace(
            left,
            hi=right.hi,
            counts=total((left.counts, right.counts)),
            version=max(left.version, right.version) + 1,
            # All entries of an empty leaf's page are deleted.
            page=left.page if right is node else pages_named(left.lo, right.page_keys),
        )
        changes = Changes()
        self.rows.rewrite(changes, left, joined)
        self.rows.remove(changes, right)
        self._clear(changes, node)
        if parent:
            # If the parent were split between the two meanwhile, it would begin where no node does.
            self.rows.rewrite(changes, parent, replace(parent, version=parent.version + 1))
        changes.commit()
        return joined

    def _has_entries(self, leaf: Node) -> bool:
        """Returns whether the empty leaf has entries after all, as pending changes offset them."""
        if not leaf.page:
            return False
        return bool(self.rows.stored(leaf.range).entries(leaf.range, leaf.page_keys))

    def _clear(self, changes: Changes, leaf: Node) -> None:
        """Removes the pages of an empty leaf, and the tombstones that override them."""
        if not leaf.page:
            return
        for page in leaf.page_keys:
            changes.delete(PageItem(self.rows.partition, page))
        stored = self.rows.stored(leaf.range)
        tombstones = [key for key, entry in stored.rows.items() if entry is None]
        for key in tombstones[: MAX_ITEMS - len(changes) - 1]:
            changes.delete(self.rows.tombstone_item(key), EntryItem.is_tombstone.exists())
