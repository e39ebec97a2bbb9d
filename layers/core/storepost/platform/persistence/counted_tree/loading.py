"""Loads many entries at once, packed into pages, in transactions that take many leaves each.

The pages are written first, while no leaf names them; one transaction then makes the pages of many
leaves visible. A load never deletes rows: a row overrides a page, so writes of single entries
beside a load stay. A load that is killed leaves pages that no leaf names; the next load that
changes their leaf deletes them. A repeated load finds its entries stored already, and changes
nothing.
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
from storepost.platform.persistence.counted_tree.pages import Packing
from storepost.platform.persistence.counted_tree.step import Step
from storepost.platform.persistence.counted_tree.tree import Tree
from storepost.platform.persistence.loads.row_writes import delete_rows, put_rows
from storepost.values.problems import Conflict

type Progress = Callable[[Changes, int], None]
"""Adds the load's own row to a transaction; the number is how many entries are listed after it."""

_MAX_ROWS = 36
_MAX_LEAVES = 40


def _no_progress(_changes: Changes, _listed: int) -> None:
    """Does nothing; for loads that record no progress."""


@dataclass
class Load:
    """Puts entries into a list that may be packed.

    The entries are in the order of their keys, and no other process writes to these keys meanwhile.
    An entry replaces one that is stored under its key.
    """

    tree: Tree
    progress: Progress = _no_progress
    _leaves: int = field(default=_MAX_LEAVES, init=False)
    """How many leaves a transaction takes: fewer after a lost race, so that no load starves."""

    def run(self, entries: Sequence[TreeEntry]) -> None:
        """Lists all entries. Raises Conflict where other writers go on changing the same leaves."""
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
        """Cuts the leaves at one of the list's ends that got too many bytes from these rows."""
        for entry in (*rows[:1], *rows[1:][-1:]):
            with suppress(LostRace):
                self.tree.splitter().cut_large(entry.key)

    @property
    def _packing(self) -> Packing:
        if self.tree.packing is None:
            raise ValueError("the list isn't one that may be packed")
        return self.tree.packing

    def _ends(self, entries: Sequence[TreeEntry]) -> tuple[int, int]:
        """Returns the bounds of the entries to pack: those at the list's ends stay rows."""
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
        """Lists the next entries in one transaction; returns the position after the last one."""
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
                    self.tree.splitter().split_above(entries[begin].key)
            else:
                self._leaves = min(2 * self._leaves, _MAX_LEAVES)
                return listed
        raise Conflict()

    def _commit(self, step: Step, listed: int) -> None:
        self.progress(step.changes, listed)
        step.changes.complete()
        put_rows(page.serialize() for page in step.pages)
        try:
            step.changes.commit()
        except LostRace:
            delete_rows(page.key for page in step.pages)
            raise
        delete_rows((self.tree.rows.partition, key) for key in step.dead_pages)
        splitter = self.tree.splitter()
        for key in step.cut_at:
            with suppress(LostRace):
                splitter.split_above(key)
