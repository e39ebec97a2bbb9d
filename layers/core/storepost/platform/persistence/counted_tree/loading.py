"""Loads many entries at once, packed into pages, in transactions that take many leaves each.

Pages are written before, where nobody reads them; one transaction then shows those of many leaves.
Rows are never removed: a row stands above what a page says, so what single writers do beside a load
stays. Whoever is killed leaves pages that nobody names; the next load or fold of that leaf sees
them off. A repeat finds its entries stored already, and changes nothing.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from heapq import nlargest, nsmallest

from storepost.platform.persistence.changes import (
    MAX_RUNS,
    Changes,
    LostRace,
    TooManyWrites,
    commit_anew,
    wait_before,
)
from storepost.platform.persistence.counted_tree.keys import END, LOWEST, KeyRange, behind
from storepost.platform.persistence.counted_tree.model import TreeEntry
from storepost.platform.persistence.counted_tree.node_cache import NodeCache
from storepost.platform.persistence.counted_tree.page_writes import delete_pages, put_pages
from storepost.platform.persistence.counted_tree.pages import Packing
from storepost.platform.persistence.counted_tree.pieces import LeafPieces
from storepost.platform.persistence.counted_tree.splitting import Splitter
from storepost.platform.persistence.counted_tree.step import Step
from storepost.platform.persistence.counted_tree.tree import Tree
from storepost.values.problems import Conflict

type Progress = Callable[[Changes, int], None]
"""Adds the load's own row to a transaction after which so many of its entries are listed."""

_MAX_ROWS = 36
_MAX_LEAVES = 40


def _no_progress(_changes: Changes, _listed: int) -> None:
    """Is for loads that record no progress."""


@dataclass
class Load:
    """Puts entries into a list that may be packed.

    They are in the order of their keys, and nobody else writes to their keys meanwhile. Those that
    are stored already take the place of what is.
    """

    tree: Tree
    progress: Progress = _no_progress
    _leaves: int = field(default=_MAX_LEAVES, init=False)
    """How many are taken at once: fewer after a race was lost, so that a load never starves."""

    def run(self, entries: Sequence[TreeEntry]) -> None:
        """Lists all of them. Raises Conflict where others go on changing the same leaves."""
        first, last = self._ends(entries)
        self._insert(entries, 0, first)
        listed = first
        while listed < last:
            listed = self._step(entries, listed, last)
        self._insert(entries, last, len(entries))
        if first < last:
            self._cut_large(entries[:first])
            self._cut_large(entries[last:])

    def _cut_large(self, rows: Sequence[TreeEntry]) -> None:
        """Cuts the leaves at one of the list's ends to which rows gave too many bytes."""
        for entry in (*rows[:1], *rows[1:][-1:]):
            with suppress(LostRace):
                self._splitter().cut_large(entry.key)

    @property
    def _packing(self) -> Packing:
        if self.tree.packing is None:
            raise ValueError("the list isn't one that may be packed")
        return self.tree.packing

    def _ends(self, entries: Sequence[TreeEntry]) -> tuple[int, int]:
        """The places among the entries between which they are packed: the list's ends stay rows."""
        ends, span = self._packing.ends, self.tree.rows.span() or KeyRange(END, LOWEST)
        head = KeyRange(LOWEST, span.lo)
        tail = KeyRange(span.hi, END)
        keys = [entry.key for entry in entries]
        before = [e.key for e in self.tree.rows.live(head, ends)]
        after = [e.key for e in self.tree.rows.live(tail, ends, descending=True)]
        lowest = set(nsmallest(ends, {*before, *(k for k in keys[:ends] if k in head)}))
        highest = set(nlargest(ends, {*after, *(k for k in keys[-ends:] if k in tail)}))
        first = sum(key in lowest for key in keys[:ends])
        last = len(keys) - sum(key in highest for key in keys[-ends:])
        return (first, last) if first < last else (len(keys), len(keys))

    def _insert(self, entries: Sequence[TreeEntry], begin: int, end: int) -> None:
        """Writes entries as rows."""
        for first in range(begin, end, _MAX_ROWS):
            last = min(first + _MAX_ROWS, end)
            commit_anew(partial(self._insert_batch, entries=entries[first:last], listed=last))

    def _insert_batch(self, changes: Changes, entries: Sequence[TreeEntry], listed: int) -> None:
        within = KeyRange(entries[0].key, behind(entries[-1].key).lo)
        limit = self._packing.ends + _MAX_ROWS
        stored = {entry.key: entry for entry in self.tree.first(within, limit)}
        for entry in entries:
            self.tree.update_index(changes, stored.get(entry.key), entry)
        self.progress(changes, listed)

    def _step(self, entries: Sequence[TreeEntry], begin: int, end: int) -> int:
        """Lists the next entries in one transaction; returns up to which."""
        for run in range(MAX_RUNS):
            wait_before(run)
            step = Step(self.tree.rows, NodeCache(self.tree.rows), self._leaves)
            try:
                listed = step.plan(self._packing, entries, begin, end)
                self._commit(step, listed)
            except TooManyWrites:
                # Each leaf may have nodes of its own above, in a list of many levels.
                if self._leaves == 1:
                    raise
                self._leaves //= 2
            except LostRace:
                self._leaves = max(1, self._leaves // 2)
                self.tree.fold()
                with suppress(LostRace):
                    self._splitter().split_above(entries[begin].key)
            else:
                self._leaves = min(2 * self._leaves, _MAX_LEAVES)
                return listed
        raise Conflict()

    def _commit(self, step: Step, listed: int) -> None:
        partition = self.tree.rows.partition
        self.progress(step.changes, listed)
        step.changes.complete()
        put_pages(step.pages)
        try:
            step.changes.commit()
        except LostRace:
            delete_pages(partition, [page.sk for page in step.pages])
            raise
        delete_pages(partition, step.dead_pages)
        splitter = self._splitter()
        for key in step.cut_at:
            with suppress(LostRace):
                splitter.split_above(key)

    def _splitter(self) -> Splitter:
        leaves = LeafPieces(self.tree.rows)
        return Splitter(self.tree.rows, self.tree.fan_out, self.tree.top_nodes, leaves)
