"""Writing: what one unit of work does to one tree, gathered and then put into its transaction.

Each entry is one write, and each node above it one `ADD`, however many of its entries change. A
node's write is conditioned on the node still covering the keys, so that a split in between makes
the unit a lost race.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path
from pynamodb.expressions.update import Action

from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.counted_tree.keys import END, LOWEST
from storepost.platform.persistence.counted_tree.model import (
    Counts,
    TreeEntry,
    counts_of,
    difference,
    nonzero,
    total,
)
from storepost.platform.persistence.counted_tree.node_cache import NodeCache
from storepost.platform.persistence.counted_tree.rows import Node, NodeItem, Rows


@dataclass(frozen=True)
class _Change:
    """What becomes of one key: the entry that is stored and the one that shall be."""

    before: TreeEntry | None
    after: TreeEntry | None
    on_conflict: Exception | None


@dataclass(frozen=True)
class Addition:
    """What a unit adds below one node, as that was read; `last` is the greatest key it changes."""

    node: Node
    counts: Counts
    last: str

    @property
    def n(self) -> int:
        """How many entries the node has afterwards, unless others wrote meanwhile."""
        return total((self.node.counts, self.counts))["n"]


class Rebalance(Protocol):
    """What a tree does about its nodes once they are written."""

    def __call__(self, touched: list[Addition], *, patiently: bool) -> list[Addition]:
        """Which of the nodes it changed."""
        ...


class Writing:
    """What one unit of work does to one tree; the operations on one key become one write."""

    def __init__(self, rows: Rows, changes: Changes, tend: Rebalance) -> None:
        """`tend` is told of the nodes after the commit, level by level, and says which it changed.

        Where the unit's reads remember something, the nodes are among it, and tending may wait.
        """
        self._rows = rows
        self._changes = changes
        self._tend = tend
        self._planned: dict[str, _Change] = {}
        self._known = changes.reads.cached(
            ("counted_tree", rows.partition), lambda: NodeCache(rows)
        )
        self._looked_at: dict[str, set[tuple[int, str]]] = {}
        changes.before_commit(self._write, self._items)

    def insert(self, entry: TreeEntry, on_conflict: Exception | None) -> None:
        """An entry that isn't there, or that this unit deletes."""
        planned = self._planned.get(entry.key, _Change(None, None, on_conflict))
        if planned.after is not None:
            raise ValueError("an entry is inserted twice in one transaction")
        self._planned[entry.key] = _Change(planned.before, entry, planned.on_conflict)

    def delete(self, entry: TreeEntry, on_conflict: Exception | None) -> None:
        """An entry that is there with these filter values, or that this unit inserts."""
        planned = self._planned.get(entry.key, _Change(entry, entry, on_conflict))
        if planned.after is None:
            raise ValueError("an entry is deleted twice in one transaction")
        if self._counts(planned.after) != self._counts(entry):
            raise ValueError("an entry is deleted with other filter values than it was given")
        self._planned[entry.key] = _Change(planned.before, None, planned.on_conflict)

    def _items(self) -> int:
        """How many items there are to write, once the nodes above them are known."""
        known = self._known or NodeCache(self._rows)
        for key in self._planned.keys() - self._looked_at.keys():
            self._looked_at[key] = {(node.level, node.lo) for node in known.path(key)}
        nodes = set[tuple[int, str]]().union(*self._looked_at.values())
        return len(self._planned) + max(self._rows.levels or 1, len(nodes))

    def _write(self) -> None:
        additions: list[tuple[str, Counts]] = []
        for key, change in sorted(self._planned.items(), key=lambda planned: planned[0]):
            self._write_entry(change)
            counts = difference(self._counts(change.after), self._counts(change.before))
            if counts:
                additions.append((key, counts))
        if additions:
            touched = list(self._write_nodes(additions))
            self._changes.after_commit(lambda: self._after_commit(touched))

    def _after_commit(self, touched: list[Addition]) -> None:
        if self._known:
            self._known.added((each.node, each.counts) for each in touched)
        for each in self._tend(touched, patiently=self._known is not None):
            if self._known:
                self._known.changed(each.node, each.last)

    def _write_entry(self, change: _Change) -> None:
        before, after = change.before, change.after
        if before is None:
            if after is not None:
                self._changes.create(self._rows.entry_item(after), change.on_conflict)
        elif after is None:
            item, holds = self._rows.entry_item(before), self._rows.holds(before)
            self._changes.delete(item, holds, change.on_conflict)
        else:
            item, holds = self._rows.entry_item(after), self._rows.holds(before)
            self._changes.save(item, holds, change.on_conflict)

    def _write_nodes(self, additions: list[tuple[str, Counts]]) -> Iterable[Addition]:
        """Adds to the nodes of each level what is added below them, and yields what it did."""
        level = 0
        while additions:
            below = self._additions_at(level, additions)
            if not below:
                yield from self._create_first(additions)
                return
            for addition in below:
                self._add(addition)
                yield addition
            # Where entries only changed places under a node, those above it stay as they are.
            additions = [(a.last, a.counts) for a in below if a.node.has_parent and a.counts]
            level += 1

    def _additions_at(self, level: int, additions: list[tuple[str, Counts]]) -> list[Addition]:
        """The level's nodes with what is added below each; none in a new list."""
        nodes = (self._known or self._rows).floors(level, [key for key, _ in additions])
        if not nodes:
            # Somebody may be creating it now: creating it here too makes this the lost race.
            return []
        shared: list[Addition] = []
        for key, counts in additions:
            while key >= nodes[0].hi and len(nodes) > 1:
                del nodes[0]
            if shared and shared[-1].node is nodes[0]:
                counts = nonzero((shared.pop().counts, counts))  # noqa: PLW2901
            shared.append(Addition(nodes[0], counts, key))
        return shared

    def _create_first(self, additions: list[tuple[str, Counts]]) -> Iterable[Addition]:
        """The first node of each level of a list that never had an entry."""
        counts = total(counts for _, counts in additions)
        levels = self._rows.levels or 1
        for level in range(levels):
            has_parent = level + 1 < levels
            node = Node(level, LOWEST, END, counts, version=1, has_parent=has_parent)
            self._rows.create(self._changes, node)
            yield Addition(node, total(()), additions[-1][0])

    def _add(self, addition: Addition) -> None:
        node = addition.node
        added = (Path(name).add(count) for name, count in addition.counts.items())
        actions: list[Action] = [NodeItem.version.add(1), *added]
        item = self._rows.node_item(node.level, node.lo)
        self._changes.update(item, actions, _covers(node, addition.last))

    def _counts(self, entry: TreeEntry | None) -> Counts:
        return counts_of(entry, self._rows.fields)


def _covers(node: Node, key: str) -> Condition:
    """That the node still reaches past the key, and still stands on the top or below another."""
    parent = NodeItem.has_parent
    standing = parent.exists() if node.has_parent else parent.does_not_exist()
    covers: Condition = standing & (NodeItem.hi > key)
    return covers
