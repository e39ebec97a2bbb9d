"""Entries that units of work add to lists in pages, with the records that they lead to.

A `Load` lists what is stored already. Here one transaction writes the records, shows the pages and
counts them: whoever reads sees all of it or nothing, and a record is never without its entries.
Pages are written before, where no node names them. Whoever is killed leaves such pages; the next
load or fold of their leaf sees them off.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

from storepost.platform.persistence.changes import Changes, LostRace, TooManyWrites
from storepost.platform.persistence.counted_tree.model import TreeEntry
from storepost.platform.persistence.counted_tree.node_cache import NodeCache
from storepost.platform.persistence.counted_tree.packed_entries import PackedEntries
from storepost.platform.persistence.counted_tree.pieces import LeafPieces
from storepost.platform.persistence.counted_tree.splitting import Splitter
from storepost.platform.persistence.counted_tree.step import Step
from storepost.platform.persistence.counted_tree.tail import Appended, Tail, append, read_tail
from storepost.platform.persistence.counted_tree.tree import Tree
from storepost.platform.persistence.item import Key, Raw
from storepost.platform.persistence.loads.in_flight import InTurn, in_flight
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
    _last: str | None = field(default=None, init=False)
    """The last key that was planned."""

    def __post_init__(self) -> None:
        """Nothing read yet."""
        self._nodes = NodeCache(self.tree.rows)

    def is_appended(self, entries: Sequence[TreeEntry]) -> bool:
        """Returns whether the entries come behind what is known, and nothing is to be read."""
        return self.is_ready and self._tail is not None and self._tail.takes(entries)

    @property
    def is_ready(self) -> bool:
        """Returns whether it is known how the list ends, and there is room above that."""
        return self._tail is not None and self._is_tended

    def make_ready(self, key: str) -> None:
        """Makes room in the nodes above the key where that may be needed, and reads the end.

        Nothing of the list may be under way.
        """
        if not self._is_tended:
            self.split_above([key])
        self._tail = self._tail or read_tail(self.tree.rows)

    def plan(self, changes: Changes, packed: PackedEntries, foreseen: str) -> "Planned":
        """Adds entries, in the order of their keys, to a unit. Raises LostRace, TooManyWrites.

        The list was made ready. Where they aren't appended, nothing of it may be under way. Up to
        the `foreseen` key others are to follow.
        """
        rows, packing, entries = self.tree.rows, self.tree.packing, packed.entries
        if packing is None:
            raise ValueError("the list isn't one that may be packed")
        self._last = entries[-1].key
        if self._tail and self._tail.takes(entries):
            appended = append(rows, changes, self._nodes, self._tail, packed, foreseen)
            self._tail = appended.tail
            self._nodes.added((each.node, each.counts) for each in appended.above)
            return Planned(self, appended)
        self.forget()
        step = Step(rows, self._nodes, _MAX_LEAVES, changes)
        if step.plan(packing, entries, 0, len(entries)) < len(entries):
            raise TooManyWrites("the entries stand under too many leaves")
        return Planned(self, step)

    @property
    def _is_tended(self) -> bool:
        """Whether the nodes above have room for more."""
        return self._tail is None or self._tail.appended < _APPENDED

    def begin_anew(self) -> None:
        """Forgets what was read, and tends to where others are, too."""
        self.tree.fold()
        self.split_above(filter(None, [self._last]))
        self.forget()

    def forget(self) -> None:
        """Forgets what was read."""
        self._nodes, self._tail = NodeCache(self.tree.rows), None

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
    def pages(self) -> list[Raw]:
        """Returns the pages to write before."""
        if isinstance(self.by, Appended):
            return [self.by.page]
        return [page.serialize() for page in self.by.pages]

    @property
    def dead_pages(self) -> list[Key]:
        """Returns the keys of pages that nobody names any more afterwards."""
        partition = self.of.tree.rows.partition
        return [] if isinstance(self.by, Appended) else [(partition, k) for k in self.by.dead_pages]

    def done(self) -> None:
        """Tidies up what the unit wrote between other entries."""
        if isinstance(self.by, Step):
            self.of.split_above(self.by.cut_at)


type Entries = Sequence[tuple[Tree, Sequence[TreeEntry]]]
"""Of each list some, in the order of their keys."""


@dataclass
class ListsLoad:
    """Several lists to which the units of a load add entries, one unit after the other.

    Nobody else writes to the entries' keys meanwhile. While a unit is written, the next one may be
    planned on what that will leave; where the first one loses its race, so does the second.
    """

    foreseen: str = ""
    """The key up to which entries are to follow in all of the lists, as far as it is known: where
    pages may be is then written once for several units."""
    _lists: dict[Tree, LoadedList] = field(default_factory=dict)
    _turn: InTurn = field(default_factory=InTurn)

    def commit(
        self,
        changes: Changes,
        entries: Entries,
        hints: Iterable[Raw] = (),
        stage: Callable[[], None] | None = None,
    ) -> None:
        """Commits a unit as `start` does, and waits until it is written."""
        self.start(changes, entries, hints, stage)
        self.finish()

    def start(
        self,
        changes: Changes,
        entries: Entries,
        hints: Iterable[Raw] = (),
        stage: Callable[[], None] | None = None,
    ) -> None:
        """Begins to write a unit with entries of each list, once the one before is written.

        The `hints` are rows on which nothing depends: they are written before, for half the price.
        So is what `stage` writes, after those, which is nothing to anybody until the transaction is
        written; it may raise LostRace.

        Raises LostRace where others are at the same leaves, of this unit or of the one before, and
        TooManyWrites for this one.
        """
        if not all(self._list(tree).is_appended(some) for tree, some in entries):
            self.finish()
        planned = self._plan(changes, entries)
        self.finish()
        self._turn.start(partial(_write, changes, planned, list(hints), stage))

    def finish(self) -> None:
        """Waits until the unit that was begun is written. Raises as `start` does."""
        try:
            self._turn.finish()
        except LostRace:
            self._begin_anew()
            raise

    def abandon(self) -> None:
        """Waits for the unit that was begun, whatever becomes of it."""
        self._turn.abandon()

    def _plan(self, changes: Changes, entries: Entries) -> list[Planned]:
        packed = dict[tuple[int, int], PackedEntries]()
        planned = []
        try:
            self._make_ready(entries)
            for tree, some in entries:
                fields = tree.rows.fields
                same = packed.setdefault((id(some), id(fields)), PackedEntries(some, fields))
                planned.append(self._list(tree).plan(changes, same, self.foreseen))
            changes.complete()
        except (LostRace, TooManyWrites):
            try:
                self._turn.finish()
            finally:
                self._begin_anew()
            raise
        return planned

    def _make_ready(self, entries: Entries) -> None:
        """Makes the lists ready, all at once: each takes some ten calls, one after the other."""
        waiting = [(self._list(tree), some[0].key) for tree, some in entries]
        _at_once(partial(each.make_ready, key) for each, key in waiting if not each.is_ready)

    def _begin_anew(self) -> None:
        _at_once(each.begin_anew for each in self._lists.values())

    def _list(self, tree: Tree) -> LoadedList:
        return self._lists.setdefault(tree, LoadedList(tree))


def _write(
    changes: Changes,
    planned: Sequence[Planned],
    hints: Sequence[Raw],
    stage: Callable[[], None] | None,
) -> None:
    """Writes a unit: what its transaction shows, the transaction, and what that leaves to tidy."""
    pages = [page for each in planned for page in each.pages]
    put_rows([*pages, *hints])
    try:
        if stage:
            stage()
        changes.commit()
    except LostRace:
        delete_rows(map(_key, pages))
        raise
    delete_rows(key for each in planned for key in each.dead_pages)
    _at_once(each.done for each in planned if isinstance(each.by, Step))


def _at_once(works: Iterable[Callable[[], None]]) -> None:
    """Does something to several lists, which have nothing to do with each other."""
    for _ in in_flight(lambda work: work(), works):
        pass


def _key(row: Raw) -> Key:
    return row["pk"]["S"], row["sk"]["S"]
