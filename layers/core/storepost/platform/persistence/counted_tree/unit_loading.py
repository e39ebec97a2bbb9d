"""Entries that units of work add to lists in pages, with the records that they lead to.

A `Load` lists what is stored already. Here one transaction writes the records, shows the pages and
counts them: whoever reads sees all of it or nothing, and a record is never without its entries.
Pages are written before, where no node names them. Whoever is killed leaves such pages; the next
load or fold of their leaf sees them off.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from storepost.platform.persistence.changes import Changes, LostRace, TooManyWrites
from storepost.platform.persistence.counted_tree.items import PageItem
from storepost.platform.persistence.counted_tree.model import TreeEntry
from storepost.platform.persistence.counted_tree.node_cache import NodeCache
from storepost.platform.persistence.counted_tree.pieces import LeafPieces
from storepost.platform.persistence.counted_tree.splitting import Splitter
from storepost.platform.persistence.counted_tree.step import Step
from storepost.platform.persistence.counted_tree.tail import Appended, Tail, append, read_tail
from storepost.platform.persistence.counted_tree.tree import Tree
from storepost.platform.persistence.item import Item, Key
from storepost.platform.persistence.loads.row_writes import delete_rows, put_rows

_MAX_LEAVES = 12
"""Of one list in one unit: what leads to them, too, is written."""
_APPENDED = 18
"""Leaves that are appended before the nodes above are looked at: half of what those may hold."""


@dataclass
class LoadedList:
    """One list, as a load knows it that goes on from unit to unit."""

    tree: Tree
    _nodes: NodeCache = field(init=False)
    _tail: Tail | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        """Nothing read yet."""
        self._nodes = NodeCache(self.tree.rows)

    def plan(self, changes: Changes, entries: Sequence[TreeEntry]) -> "Planned":
        """Adds entries, in the order of their keys, to a unit. Raises LostRace, TooManyWrites."""
        rows, packing = self.tree.rows, self.tree.packing
        if packing is None:
            raise ValueError("the list isn't one that may be packed")
        self._tail = self._tail or read_tail(rows)
        if self._tail and self._tail.takes(entries):
            return Planned(self, append(rows, changes, self._nodes, self._tail, entries))
        self.forget()
        step = Step(rows, self._nodes, _MAX_LEAVES, changes)
        if step.plan(packing, entries, 0, len(entries)) < len(entries):
            raise TooManyWrites("the entries stand under too many leaves")
        return Planned(self, step)

    def forget(self) -> None:
        """Forgets what was read."""
        self._nodes, self._tail = NodeCache(self.tree.rows), None

    def note(self, appended: Appended) -> None:
        """Notes what was written, and has the nodes above split where they may be full."""
        self._tail = appended.tail
        self._nodes.added((each.node, each.counts) for each in appended.above)
        if appended.tail.appended >= _APPENDED:
            self.split_above([appended.tail.leaf.lo])

    def split_above(self, keys: Iterable[str]) -> None:
        """Splits the nodes above those keys where they are full."""
        tree = self.tree
        splitter = Splitter(tree.rows, tree.fan_out, tree.top_nodes, LeafPieces(tree.rows))
        for key in keys:
            with suppress(LostRace):
                splitter.split_above(key)
        self._nodes = NodeCache(tree.rows)
        if self._tail and self._tail.leaf.has_parent:
            self._tail = replace(self._tail, appended=0)
        else:  # a level may have come above
            self._tail = None


@dataclass(frozen=True)
class Planned:
    """What a unit does to one list."""

    of: LoadedList
    by: Appended | Step

    @property
    def pages(self) -> Sequence[PageItem]:
        """Returns the pages to write before."""
        return [self.by.page] if isinstance(self.by, Appended) else self.by.pages

    @property
    def dead_pages(self) -> list[Key]:
        """Returns the keys of pages that nobody names any more afterwards."""
        partition = self.of.tree.rows.partition
        return [] if isinstance(self.by, Appended) else [(partition, k) for k in self.by.dead_pages]

    def done(self) -> None:
        """Tidies up what the unit wrote."""
        if isinstance(self.by, Appended):
            self.of.note(self.by)
        else:
            self.of.split_above(self.by.cut_at)


@dataclass
class ListsLoad:
    """Several lists to which the units of a load add entries, one unit after the other.

    Nobody else writes to the entries' keys meanwhile.
    """

    _lists: dict[Tree, LoadedList] = field(default_factory=dict)

    def commit(
        self,
        changes: Changes,
        entries: Sequence[tuple[Tree, Sequence[TreeEntry]]],
        hints: Iterable[Item] = (),
    ) -> None:
        """Commits a unit with entries of each list, in the order of their keys.

        The `hints` are rows on which nothing depends: they are written before, for half the price.
        Raises LostRace where others are at the same leaves, and TooManyWrites.
        """
        try:
            self._commit(changes, entries, hints)
        except LostRace:
            for tree, some in entries:
                tree.fold()
                self._list(tree).split_above([some[0].key])
                self._list(tree).forget()
            raise

    def _commit(
        self,
        changes: Changes,
        entries: Sequence[tuple[Tree, Sequence[TreeEntry]]],
        hints: Iterable[Item],
    ) -> None:
        planned = [self._list(tree).plan(changes, some) for tree, some in entries]
        pages = [page for each in planned for page in each.pages]
        put_rows(row.serialize() for row in (*pages, *hints))
        try:
            changes.commit()
        except (LostRace, TooManyWrites):
            delete_rows(page.key for page in pages)
            raise
        delete_rows(key for each in planned for key in each.dead_pages)
        for each in planned:
            each.done()

    def _list(self, tree: Tree) -> LoadedList:
        return self._lists.setdefault(tree, LoadedList(tree))
