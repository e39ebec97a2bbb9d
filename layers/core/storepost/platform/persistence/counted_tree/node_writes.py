"""Adds counts to nodes: one update with `ADD` for each node, for all entries below it.

A node's update is conditioned on the node still covering the keys: a split in between makes the
unit lose the race.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path
from pynamodb.expressions.update import Action

from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.counted_tree.items import Node, NodeItem
from storepost.platform.persistence.counted_tree.keys import END, LOWEST
from storepost.platform.persistence.counted_tree.model import Counts, nonzero, total
from storepost.platform.persistence.counted_tree.node_cache import NodeCache
from storepost.platform.persistence.counted_tree.rows import Rows

type KeyCounts = tuple[str, Counts]
"""A key, and the counts to add there."""


@dataclass(frozen=True)
class Addition:
    """Holds what a unit adds below a node, as it was read; `last` is the greatest changed key."""

    node: Node
    counts: Counts
    last: str

    @property
    def n(self) -> int:
        """Returns how many entries the node has afterwards, unless other units wrote meanwhile."""
        return total((self.node.counts, self.counts))["n"]


@dataclass(frozen=True)
class NodeWrites:
    """Adds to one tree's nodes as part of a unit; `nodes` is where it reads them from."""

    rows: Rows
    changes: Changes
    nodes: NodeCache | Rows

    def add(self, additions: Sequence[KeyCounts], level: int = 0) -> list[Addition]:
        """Adds to the nodes of each level what is added below them; the keys are in order.

        It starts at `level`; the caller writes the nodes below that.
        """
        return list(self._add_all(additions, level))

    def _add_all(self, additions: Sequence[KeyCounts], level: int) -> Iterable[Addition]:
        while additions:
            below = self._additions_at(level, additions)
            if not below:
                yield from self._create_first(additions)
                return
            for addition in below:
                self._add(addition)
                yield addition
            # Where entries only moved below a node, the nodes above it stay the same.
            additions = [(a.last, a.counts) for a in below if a.node.has_parent and a.counts]
            level += 1

    def _additions_at(self, level: int, additions: Sequence[KeyCounts]) -> list[Addition]:
        """Returns the level's nodes with what is added below each; none in a new list."""
        nodes = self.nodes.floors(level, [key for key, _ in additions])
        if not nodes:
            # Another unit may be creating it now: creating it here too makes this unit lose the
            # race.
            return []
        shared: list[Addition] = []
        for key, counts in additions:
            while key >= nodes[0].hi and len(nodes) > 1:
                del nodes[0]
            if shared and shared[-1].node is nodes[0]:
                counts = nonzero((shared.pop().counts, counts))  # noqa: PLW2901
            shared.append(Addition(nodes[0], counts, key))
        return shared

    def _create_first(self, additions: Sequence[KeyCounts]) -> Iterable[Addition]:
        """Creates the first node of each level of a list that never had an entry."""
        counts = total(counts for _, counts in additions)
        levels = self.rows.levels or 1
        for level in range(levels):
            has_parent = level + 1 < levels
            node = Node(level, LOWEST, END, counts, version=1, has_parent=has_parent)
            self.rows.create(self.changes, node)
            yield Addition(node, total(()), additions[-1][0])

    def _add(self, addition: Addition) -> None:
        node = addition.node
        added = (Path(name).add(count) for name, count in addition.counts.items())
        actions: list[Action] = [NodeItem.version.add(1), *added]
        item = self.rows.node_item(node.level, node.lo)
        self.changes.update(item, actions, self._covers(node, addition.last))

    def _covers(self, node: Node, key: str) -> Condition:
        """Returns the condition that the node covers the key, and has or lacks a parent as before.

        In a list that may be packed, the leaf must also have the same page as before: if a row were
        deleted where there is a page, the page's entry would show again.
        """
        parent, page = NodeItem.has_parent, NodeItem.page
        standing = parent.exists() if node.has_parent else parent.does_not_exist()
        covers: Condition = standing & (NodeItem.hi > key)
        if self.rows.packing and not node.level:
            covers &= page == node.page if node.page else page.does_not_exist()
        return covers
