"""Collects what one unit of work does to one tree, then adds it to the unit's transaction.

Each entry is one write. The nodes above are written with it; where other transactions hold them,
the unit writes a row of its own with what is to be added to them later.
"""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.counted_tree.contention import is_contended, note_contention
from storepost.platform.persistence.counted_tree.entry_writes import EntryChange, EntryWrites
from storepost.platform.persistence.counted_tree.items import NodeItem
from storepost.platform.persistence.counted_tree.keys import LOWEST, KeyRange
from storepost.platform.persistence.counted_tree.model import (
    UNKNOWN_MARK,
    Counts,
    TreeEntry,
    counts_of,
    marks,
)
from storepost.platform.persistence.counted_tree.node_cache import NodeCache, cached_nodes
from storepost.platform.persistence.counted_tree.node_writes import Addition, NodeWrites
from storepost.platform.persistence.counted_tree.pending import PendingChange
from storepost.platform.persistence.counted_tree.rows import Rows
from storepost.platform.persistence.counted_tree.walking import first

_FOLD_EVERY = 16
"""One in so many entries that are counted later has all pending counts folded."""


class Rebalance(Protocol):
    """Splits and merges a tree's nodes once they are written."""

    def __call__(self, touched: list[Addition], *, patiently: bool) -> list[Addition]:
        """Returns which of the nodes it changed."""
        ...


class Writing:
    """Collects what one unit of work does to one tree; operations on one key become one write."""

    def __init__(
        self,
        rows: Rows,
        changes: Changes,
        rebalance: Rebalance,
        needs_rebalancing: Callable[[Sequence[Addition]], bool],
        fold: Callable[[], None],
    ) -> None:
        """Registers with the unit's commit.

        `rebalance` gets the written nodes after the commit, by level, and returns those it changed.
        If the unit's reads have a cache, it includes the nodes, and rebalancing may wait; the next
        unit waits where `needs_rebalancing` returns true for the written nodes. `fold` adds pending
        counts to the nodes.
        """
        self._rows = rows
        self._changes = changes
        self._rebalance = rebalance
        self._needs_rebalancing = needs_rebalancing
        self._fold = fold
        self._entries = EntryWrites(rows, changes)
        self._planned: dict[str, EntryChange] = {}
        self._node_cache = cached_nodes(changes.reads, rows)
        self._touched: list[Addition] = []
        self._foreseen: set[str] = set()
        """Keys whose nodes above are known."""
        self._above: set[tuple[int, str]] = set()
        changes.before_commit(self._write, self._items)

    def insert(self, entry: TreeEntry, on_conflict: Exception | None) -> None:
        """Adds an entry that isn't stored, or that this unit deletes."""
        planned = self._planned.get(entry.key, EntryChange(None, None, on_conflict))
        if planned.after is not None:
            raise ValueError("an entry is inserted twice in one transaction")
        self._planned[entry.key] = EntryChange(planned.before, entry, planned.on_conflict)

    def delete(self, entry: TreeEntry, on_conflict: Exception | None) -> None:
        """Removes an entry that is stored with these filter values, or that this unit inserts."""
        entry = self.as_stored(entry)
        planned = self._planned.get(entry.key, EntryChange(entry, entry, on_conflict))
        if planned.after is None:
            raise ValueError("an entry is deleted twice in one transaction")
        if self._counts(planned.after) != self._counts(entry):
            raise ValueError("an entry is deleted with other filter values than it was given")
        self._planned[entry.key] = EntryChange(planned.before, None, planned.on_conflict)

    def as_stored(self, entry: TreeEntry) -> TreeEntry:
        """Returns the entry with the letters of its row where a value is another release's.

        Only the row has such a value's letter.
        """
        if UNKNOWN_MARK not in (self._marks(entry) or ""):
            return entry
        stored = first(self._rows, KeyRange(entry.key, entry.key + LOWEST), 1)
        return replace(entry, values=stored[0].values) if stored else entry

    def _items(self) -> int:
        """Returns how many items will be written, with the nodes above the entries."""
        known = self._node_cache or NodeCache(self._rows)
        for key in self._planned.keys() - self._foreseen:
            self._foreseen.add(key)
            self._above.update((node.level, node.lo) for node in known.path(key))
        return len(self._planned) + max(self._rows.levels or 1, len(self._above))

    def _write(self) -> None:
        pending = [
            PendingChange(key, before, after)
            for key, change in sorted(self._planned.items(), key=lambda planned: planned[0])
            if (before := self._marks(change.before)) != (after := self._marks(change.after))
        ]
        if pending and not is_contended(self._rows.partition):
            self._count(pending)
        elif pending:
            self._count_later(pending)
        leaves = [each for each in self._touched if not each.node.level]
        for key, change in self._planned.items():
            self._entries.write(key, change, leaves)

    def _count(self, pending: Sequence[PendingChange]) -> None:
        """Adds to the nodes; where other transactions hold them, the unit is counted later."""
        writes = NodeWrites(self._rows, self._changes, self._node_cache or self._rows)
        touched = writes.add([(each.key, each.counts(self._rows.fields)) for each in pending])
        self._touched = touched
        self._changes.where_contended(lambda: self._leave_nodes(pending), map(self._item, touched))
        self._changes.after_commit(self._after_commit, self._may_wait)

    def _may_wait(self) -> bool:
        """Returns whether the next unit may be planned before this one's writes are in the cache.

        It may not where this unit creates the list's first nodes: the next one would create them,
        too.
        """
        makes_first = self._node_cache is not None and self._node_cache.is_empty
        return not makes_first and not self._needs_rebalancing(self._touched)

    def _leave_nodes(self, pending: Sequence[PendingChange]) -> None:
        """Withdraws the nodes' writes and conditions, and has the changes counted later."""
        note_contention(self._rows.partition)
        for each in self._touched:
            self._changes.withdraw(self._item(each))
        self._touched = []
        if self._rows.packing:
            for key in [change.key for change in pending]:
                self._entries.withdraw(key)
                self._entries.write(key, self._planned[key], [])
        self._count_later(pending)

    def _count_later(self, pending: Sequence[PendingChange]) -> None:
        self._rows.create_pending(self._changes, pending)
        if secrets.randbelow(_FOLD_EVERY) < len(pending):
            self._changes.after_commit(self._fold)

    def _after_commit(self) -> None:
        if self._node_cache:
            self._node_cache.added((each.node, each.counts) for each in self._touched)
        for each in self._rebalance(self._touched, patiently=self._node_cache is not None):
            if self._node_cache:
                self._node_cache.changed(each.node, each.last)

    def _item(self, addition: Addition) -> NodeItem:
        return self._rows.node_item(addition.node.level, addition.node.lo)

    def _marks(self, entry: TreeEntry | None) -> str | None:
        return None if entry is None else marks(entry, self._rows.fields)

    def _counts(self, entry: TreeEntry | None) -> Counts:
        return counts_of(entry, self._rows.fields)
