"""The counted tree: a large list with page numbers and exact totals.

It is an order-statistic index in the one table: entries in order, and above them levels of nodes
that count the entries below, in all and by the values of a few filters. A page is found by its
number with one query a level; its total is the sum of the top level.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from pynamodb.exceptions import PynamoDBException

from storepost.platform.persistence.changes import Changes, LostRace, TooManyWrites
from storepost.platform.persistence.counted_tree import (
    paging,
    random_entry,
    reading,
    scanning,
    walking,
)
from storepost.platform.persistence.counted_tree.cold_leaves import ColdLeaves
from storepost.platform.persistence.counted_tree.folding import Folder
from storepost.platform.persistence.counted_tree.keys import EVERYTHING, KeyRange
from storepost.platform.persistence.counted_tree.merging import Merger
from storepost.platform.persistence.counted_tree.model import (
    Counts,
    Filter,
    FilterField,
    TreeEntry,
)
from storepost.platform.persistence.counted_tree.node_writes import Addition
from storepost.platform.persistence.counted_tree.pages import Packing
from storepost.platform.persistence.counted_tree.pieces import LeafPieces
from storepost.platform.persistence.counted_tree.rows import TOP_NODES, Rows
from storepost.platform.persistence.counted_tree.splitting import Splitter
from storepost.platform.persistence.counted_tree.writing import Writing
from storepost.values.logs import log_unexpected
from storepost.values.pagination import Listing, PageRequest, cut
from storepost.values.problems import Busy

FAN_OUT = 36
"""The least size of a node after a split; twice that is split. See docs/adr for the figures."""

_MAX_FOLDS = 8
"""How many fold transactions, of up to 80 pending counts each, follow one write."""

_PATIENT = 4
"""How many times later a process with many writes in a row splits: four times fewer splits."""

_COLD_LEAVES = 2
"""How many cold leaves are packed after a split; `_PATIENT` times as many after a late one."""


@dataclass(frozen=True)
class Tree:
    """One list: its partition key and the fields whose values are counted.

    The fields must stay the same while the list has entries, except that a field may get further
    values. `fan_out` and `top_nodes` are for tests, which want many levels of few entries. A list
    that changes in many places at once may have more `top_nodes`, 90 at most. With `levels`, the
    list has that many levels from its first entry on, and never more: the cost of a write doesn't
    depend on the list's length, and the top level grows, even past `top_nodes`. With `packing`,
    loads may pack the list's leaves, and the list's growth packs cold ones; it must stay the same,
    as the fields must. With `keys_stay`, an entry never moves within the list: a reader can't see
    half of a move, and goes on with what it read last.
    """

    partition: str
    filters: tuple[FilterField, ...] = ()
    fan_out: int = FAN_OUT
    top_nodes: int = TOP_NODES
    levels: int | None = None
    packing: Packing | None = None
    keys_stay: bool = False

    @cached_property
    def rows(self) -> Rows:
        """Returns the tree's rows."""
        return Rows(
            self.partition,
            self.filters,
            self.top_nodes,
            self.levels,
            self.packing,
            self.keys_stay,
        )

    def splitter(self, leaves: LeafPieces | None = None) -> Splitter:
        """Returns what splits the tree's nodes; `leaves` remembers the leaves that it reads."""
        pieces = leaves or LeafPieces(self.rows)
        return Splitter(self.rows, self.fan_out, self.top_nodes, pieces)

    def insert(
        self, changes: Changes, entry: TreeEntry, on_conflict: Exception | None = None
    ) -> None:
        """Adds an entry that must not be there yet."""
        self._writing(changes).insert(entry, on_conflict)

    def delete(
        self, changes: Changes, entry: TreeEntry, on_conflict: Exception | None = None
    ) -> None:
        """Removes the entry, which must be there with these filter values and any payload."""
        self._writing(changes).delete(entry, on_conflict)

    def move(
        self, changes: Changes, old: TreeEntry, new: TreeEntry, on_conflict: Exception | None = None
    ) -> None:
        """Puts `new` where `old` is; they may differ in key, filter values, payload or nothing."""
        writing = self._writing(changes)
        stored = writing.as_stored(old)
        writing.delete(stored, on_conflict)
        writing.insert(new.with_unknown(old, stored), on_conflict)

    def update_index(self, changes: Changes, old: TreeEntry | None, new: TreeEntry | None) -> None:
        """Updates the list for a record whose entry was `old` and is `new`; nothing if equal."""
        if old == new:
            return
        if old and new:
            self.move(changes, old, new)
        elif new:
            self.insert(changes, new)
        elif old:
            self.delete(changes, old)

    def page(
        self,
        request: PageRequest,
        *,
        descending: bool = False,
        by: Filter | None = None,
        within: KeyRange = EVERYTHING,
    ) -> Listing[TreeEntry]:
        """Returns one page of the list, of the entries that a filter keeps, or of a range of keys.

        The total is exact; past the end there are no items.
        """
        query = paging.PageQuery(request, within, descending)
        items, total = reading.read_consistently(self.rows, by, lambda r: paging.page(r, query))
        return Listing(items, total, request)

    def first(self, within: KeyRange, limit: int) -> Sequence[TreeEntry]:
        """Returns the first entries of a range by key, for a walk through the list."""
        return walking.first(self.rows, within, limit)

    def keys(self, limit: int) -> list[str] | None:
        """Returns the keys of all entries, in no order; None where there are more than `limit`."""
        return walking.keys(self.rows, limit)

    def scan(
        self,
        request: PageRequest,
        keep: Callable[[Sequence[TreeEntry]], Sequence[TreeEntry]],
        *,
        advised: str,
        descending: bool = False,
        by: Sequence[Filter] = (),
        within: KeyRange = EVERYTHING,
    ) -> Listing[TreeEntry]:
        """Returns one page of the entries that all filters and then `keep` keep, with the total.

        It reads every row of the range that the narrowest of the filters can't exclude. `keep` gets
        up to 20,000 entries at once, in order, so that it can read further data for them in
        batches. Raises FilterTooBroad, naming the query parameter `advised` that would narrow the
        list, where it would have to read more rows than that.
        """
        found = scanning.scan(self.rows, by, within, advised)
        return cut(keep(found[::-1] if descending else found), request)

    def counts(self) -> Counts:
        """Returns how many entries there are, and how many have each value of each filter field."""
        return reading.read_consistently(self.rows, None, lambda r: r.counts)

    def any_of(self, by: Filter) -> TreeEntry | None:
        """Returns one of the entries that the filter keeps; None where it keeps none.

        It is drawn from many, so that concurrent callers seldom get the same entry.
        """
        found = random_entry.draw(self.rows, by)
        return found or reading.read_consistently(self.rows, by, paging.random_entry)

    def fold(self) -> None:
        """Folds pending counts into the nodes; gives way to another fold that does so already.

        It stops even if units go on adding more, as a caller waits for the answer.
        """
        try:
            with suppress(LostRace):
                for _ in range(_MAX_FOLDS):
                    touched = Folder(self.rows).fold()
                    if not touched:
                        break
                    self._split_and_merge(touched, LeafPieces(self.rows), patiently=False)
        except PynamoDBException as error:
            log_unexpected(error)

    def _writing(self, changes: Changes) -> Writing:
        return changes.shared(
            ("counted_tree", self.partition),
            lambda: Writing(
                self.rows, changes, self._rebalance, self._needs_rebalancing, self.fold
            ),
        )

    def _rebalance(self, touched: Sequence[Addition], *, patiently: bool) -> list[Addition]:
        """Splits nodes that the write filled and merges those it emptied; returns those nodes.

        A split also finds pending counts that concurrent writers left, and then folds them.
        """
        leaves = LeafPieces(self.rows)
        changed = self._split_and_merge(touched, leaves, patiently=patiently)
        if leaves.saw_pending:
            self.fold()
        return changed

    def _needs_rebalancing(self, touched: Sequence[Addition]) -> bool:
        """Returns whether a process with many writes in a row has filled or emptied a node."""
        return bool(_full(touched, self.splitter(), _PATIENT)) or not all(a.n for a in touched)

    def _split_and_merge(
        self, touched: Sequence[Addition], leaves: LeafPieces, *, patiently: bool
    ) -> list[Addition]:
        """Splits full nodes and merges empty ones.

        The unit is committed by now, so nothing here may fail the request; the next write
        rebalances the nodes that are left.
        """
        patience = _PATIENT if patiently else 1
        splitter, merger = self.splitter(leaves), Merger(self.rows)
        full = _full(touched, splitter, patience)
        # From the top down: below one parent, emptied nodes are neighbours of others.
        empty = [a for a in reversed(touched) if not a.n]
        try:
            for addition in full:
                with suppress(LostRace):
                    splitter.split(0, addition.last)
                    ColdLeaves(self.rows, _COLD_LEAVES * patience).pack(addition.last)
            for addition in empty:
                with suppress(LostRace):
                    merger.merge(addition.node.level, addition.last)
        except (PynamoDBException, TooManyWrites, Busy) as error:
            log_unexpected(error)
        return [*full, *empty]


def _full(touched: Sequence[Addition], splitter: Splitter, patience: int) -> list[Addition]:
    """Returns the leaves that are to be split or folded."""
    return [
        a
        for a in touched
        if not a.node.level
        and (a.n >= 2 * splitter.fan_out_of(a.node) * patience or splitter.is_to_fold(a.node))
    ]
