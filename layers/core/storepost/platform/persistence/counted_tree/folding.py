"""Folds pending counts: adds to the nodes what units left to be counted later.

One transaction takes many pending counts at once. A fold that meets another transaction gives way:
the other one is a fold too, or writes to the nodes, and nothing depends on when a fold is done.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from storepost.platform.persistence.changes import MAX_ITEMS, Changes
from storepost.platform.persistence.counted_tree.contention import give_way
from storepost.platform.persistence.counted_tree.items import EntryItem
from storepost.platform.persistence.counted_tree.keys import LOWEST
from storepost.platform.persistence.counted_tree.model import Counts
from storepost.platform.persistence.counted_tree.node_cache import NodeCache
from storepost.platform.persistence.counted_tree.node_writes import Addition, NodeWrites
from storepost.platform.persistence.counted_tree.pending import PendingChange, PendingCount
from storepost.platform.persistence.counted_tree.rows import Rows
from storepost.platform.persistence.item import find_raw

_MAX_PENDING = 80
"""How many pending rows are read for one transaction."""


@dataclass(frozen=True)
class _Part:
    """Holds a pending row, its changes that are counted now, and those that still wait."""

    row: PendingCount
    counted: Sequence[PendingChange]
    remaining: Sequence[PendingChange]


@dataclass(frozen=True)
class Folder:
    """Folds the pending counts of one tree."""

    rows: Rows
    max_items: int = MAX_ITEMS

    def fold(self) -> list[Addition]:
        """Folds in one transaction; returns the nodes that it added to, none if nothing is pending.

        Raises LostRace where another transaction wrote in between, or holds one of the rows.
        """
        pending, nodes = self.rows.pending(_MAX_PENDING), NodeCache(self.rows)
        changes = Changes()
        parts = self._parts(pending, nodes)
        if not parts:
            return []
        for part in parts:
            self.rows.reduce_pending(changes, part.row, part.remaining)
        counted = sorted((c for part in parts for c in part.counted), key=lambda c: c.key)
        additions: list[tuple[str, Counts]] = [(c.key, c.counts(self.rows.fields)) for c in counted]
        touched = NodeWrites(self.rows, changes, nodes).add(additions)
        self._remove_tombstones(changes, touched, [c.key for c in counted if c.after is None])
        changes.where_contended(give_way)
        changes.commit()
        return touched

    def _remove_tombstones(
        self, changes: Changes, touched: Sequence[Addition], keys: Sequence[str]
    ) -> None:
        """Removes tombstones of leaves without a page, which need none.

        A unit that leaves the nodes for later doesn't know whether the leaf has a page.
        """
        if not self.rows.packing:
            return
        plain = [each.node.range for each in touched if not each.node.level and not each.node.page]
        entry_keys = [
            self.rows.tombstone_item(k).key for k in set(keys) if any(k in each for each in plain)
        ]
        gone = [key for key, raw in find_raw(entry_keys).items() if "x" in raw]
        for _, key in sorted(gone)[: max(0, self.max_items - len(changes))]:
            changes.delete(self.rows.tombstone_item(key), EntryItem.is_tombstone.exists())

    @property
    def _first_nodes(self) -> set[tuple[int, str]]:
        return {(level, LOWEST) for level in range(self.rows.levels or 1)}

    def _parts(self, pending: Sequence[PendingCount], nodes: NodeCache) -> list[_Part]:
        """Returns what fits into one transaction together with the nodes above it."""
        parts: list[_Part] = []
        above: set[tuple[int, str]] = set()
        for row in pending:
            in_order = sorted(row.changes, key=lambda change: change.key)
            counted = self._fitting(in_order, nodes, above, len(parts) + 1)
            if counted:
                parts.append(_Part(row, in_order[:counted], in_order[counted:]))
            if counted < len(in_order):
                break
        return parts

    def _fitting(
        self,
        changes: Sequence[PendingChange],
        nodes: NodeCache,
        above: set[tuple[int, str]],
        rows: int,
    ) -> int:
        """Returns how many of the changes fit beside `rows` rows; adds their nodes to `above`."""
        for number, change in enumerate(changes):
            path = {(node.level, node.lo) for node in nodes.path(change.key)} or self._first_nodes
            if rows + len(above | path) > self.max_items:
                return number
            above |= path
        return len(changes)
