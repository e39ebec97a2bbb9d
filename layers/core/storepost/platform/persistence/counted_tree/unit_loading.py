"""Adds entries to lists in pages, in the units of work that write the entries' records.

A `Load` lists records that are stored already. Here one transaction writes the records, makes the
pages visible and counts them: a reader sees all of it or nothing, and no record is ever without its
entries. The pages are written before, while no node names them. A load that is killed leaves such
pages; the next load that changes their leaf deletes them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from storepost.platform.persistence.changes import Changes, LostRace, TooManyWrites
from storepost.platform.persistence.counted_tree.model import TreeEntry
from storepost.platform.persistence.counted_tree.node_cache import NodeCache
from storepost.platform.persistence.counted_tree.packed_entries import PackedEntries
from storepost.platform.persistence.counted_tree.step import Step
from storepost.platform.persistence.counted_tree.tail import Appended, Tail, append, read_tail
from storepost.platform.persistence.counted_tree.tree import Tree
from storepost.platform.persistence.item import Key, Raw, key_of
from storepost.platform.persistence.loads.in_flight import InTurn, in_flight
from storepost.platform.persistence.loads.row_writes import delete_rows, put_rows

_MAX_LEAVES = 12
"""How many leaves of one list a unit changes; the nodes above them are written too."""
_APPENDED = 36
"""How many leaves are appended before the nodes above are checked: as many as those may hold.

One transaction can still cut a node that has these and what it had before, 35 at most.
"""
_APPENDED_ON_TOP = 18
"""The same where no node is above the leaves: one transaction adds that level, too."""


@dataclass
class LoadedList:
    """One list, as a load knows it from unit to unit."""

    tree: Tree
    _nodes: NodeCache = field(init=False)
    _tail: Tail | None = field(default=None, init=False)
    _last: str | None = field(default=None, init=False)
    """The last key that was planned."""

    def __post_init__(self) -> None:
        """Begins with nothing read."""
        self._nodes = NodeCache(self.tree.rows)

    def is_appended(self, entries: Sequence[TreeEntry]) -> bool:
        """Returns whether the entries are appended to the known tail, so that nothing is read."""
        return self.is_ready and self._tail is not None and self._tail.takes(entries)

    @property
    def is_ready(self) -> bool:
        """Returns whether the list's end is known, and there is room in the nodes above it."""
        return self._tail is not None and self._is_tended

    def make_ready(self, key: str) -> None:
        """Makes room in the nodes above the key where that may be needed, and reads the list's end.

        No unit of the list may be in flight.
        """
        if not self._is_tended:
            self.split_above([key])
        self._tail = self._tail or read_tail(self.tree.rows)

    def plan(self, changes: Changes, packed: PackedEntries, foreseen: str) -> "Planned":
        """Adds entries, in the order of their keys, to a unit. Raises LostRace, TooManyWrites.

        The list must be ready. If the entries aren't appended, no unit of the list may be in
        flight. Further entries are to follow up to the `foreseen` key.
        """
        rows, packing, entries = self.tree.rows, self.tree.packing, packed.entries
        if packing is None:
            raise ValueError("the list isn't one that may be packed")
        self._last = entries[-1].key
        if self._tail and self._tail.takes(entries):
            parts = packed.parts(packing.entries)
            appended = append(rows, changes, self._nodes, self._tail, parts, foreseen)
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
        """Returns whether the nodes above have room for more leaves."""
        if self._tail is None:
            return True
        most = _APPENDED if self._tail.leaf.has_parent else _APPENDED_ON_TOP
        return self._tail.appended < most

    def begin_anew(self) -> None:
        """Folds, splits the nodes above the last key, and drops what was read."""
        self.tree.fold()
        self.split_above(filter(None, [self._last]))
        self.forget()

    def forget(self) -> None:
        """Drops what was read."""
        self._nodes, self._tail = NodeCache(self.tree.rows), None

    def split_above(self, keys: Iterable[str]) -> None:
        """Splits the nodes above those keys where they are full."""
        splitter = self.tree.splitter()
        for key in keys:
            with suppress(LostRace):
                splitter.split_above(key)
        self._nodes = NodeCache(self.tree.rows)
        if self._tail and self._tail.leaf.has_parent:
            self._tail = replace(self._tail, appended=0)
        else:  # a level may have been added above
            self._tail = None


@dataclass(frozen=True)
class Planned:
    """Holds what a unit does to one list."""

    of: LoadedList
    by: Appended | Step

    @property
    def pages(self) -> list[Raw]:
        """Returns the pages to write before the transaction."""
        if isinstance(self.by, Appended):
            return list(self.by.pages)
        return [page.serialize() for page in self.by.pages]

    @property
    def dead_pages(self) -> list[Key]:
        """Returns the keys of pages that no leaf names after the transaction."""
        partition = self.of.tree.rows.partition
        return [] if isinstance(self.by, Appended) else [(partition, k) for k in self.by.dead_pages]

    def done(self) -> None:
        """Splits the nodes that the unit filled, where it wrote between other entries."""
        if isinstance(self.by, Step):
            self.of.split_above(self.by.cut_at)


@dataclass
class _Unit:
    """A unit that is written: first its pages and hints, then its transaction, then the upkeep."""

    changes: Changes
    planned: Sequence[Planned]
    hints: Sequence[Raw]
    stage: Callable[[], None] | None
    is_written: bool = False

    def prepare(self) -> None:
        """Writes what the transaction makes visible. Raises LostRace as `stage` does."""
        put_rows([*self._pages, *self.hints])
        if self.stage:
            self.stage()

    def write(self) -> None:
        """Writes the transaction, after that of the unit before. Raises LostRace."""
        self.changes.write_unit()
        self.is_written = True
        delete_rows(key for each in self.planned for key in each.dead_pages)
        _at_once(each.done for each in self.planned if isinstance(each.by, Step))

    @property
    def left(self) -> list[Raw]:
        """Returns the unit's pages if it wasn't written: no leaf will ever name them."""
        return [] if self.is_written else self._pages

    @cached_property
    def _pages(self) -> list[Raw]:
        return [page for each in self.planned for page in each.pages]


type Entries = Sequence[tuple[Tree, Sequence[TreeEntry]]]
"""Entries for each list, in the order of their keys."""


@dataclass
class ListsLoad:
    """Several lists to which the units of a load add entries, one unit after the other.

    No other process writes to the entries' keys meanwhile. While a unit is written, the next ones
    may be planned on its result, and their pages may be written; if the first one loses its race,
    so do those. The transactions are written one after the other.
    """

    foreseen: str = ""
    """The key up to which entries are to follow in all lists, as far as it is known.

    The span where pages may be is then written once for several units.
    """
    _lists: dict[Tree, LoadedList] = field(default_factory=dict)
    _turn: InTurn = field(default_factory=InTurn)
    _under_way: list["_Unit"] = field(default_factory=list)

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
        """Begins to write a unit with entries of each list, after the units in flight.

        The `hints` are rows on which nothing depends: they are written before, for half the price.
        After them, `stage` writes rows that nobody reads until the transaction is written; it may
        raise LostRace.

        Raises LostRace where other writers change the same leaves, for this unit or for one before
        it, and TooManyWrites for this one.
        """
        if not all(self._list(tree).is_appended(some) for tree, some in entries):
            self.finish()
        unit = _Unit(changes, self._plan(changes, entries), list(hints), stage)
        self._conclude()
        self._under_way.append(unit)
        with self._losing():
            self._turn.start(unit.prepare, unit.write)

    def finish(self) -> None:
        """Waits until the units that were begun are written. Raises as `start` does."""
        with self._losing():
            self._turn.finish()
        self._conclude()

    def wait_for_first(self) -> None:
        """Waits until the first of two units that were begun is written. Raises as `start` does."""
        with self._losing():
            self._turn.wait_for_first()
        self._conclude()

    def _conclude(self) -> None:
        """Runs the steps after the commit of the units that are written."""
        # Each state is read once: a unit may be written between two reads.
        states = [(each, each.is_written) for each in self._under_way]
        self._under_way = [each for each, is_written in states if not is_written]
        for unit in [each for each, is_written in states if is_written]:
            unit.changes.conclude()

    def abandon(self) -> None:
        """Waits for the units that were begun, and ignores their errors."""
        self._turn.abandon()

    @contextmanager
    def _losing(self) -> Iterator[None]:
        """Deletes the pages of a unit that loses its race, and of those after it.

        After any error the lists are read again.
        """
        try:
            yield
        except Exception as error:
            self._turn.abandon()
            self._conclude()
            # After any other error the unit may be written all the same: its answer may be lost.
            if isinstance(error, LostRace):
                delete_rows(key_of(page) for unit in self._under_way for page in unit.left)
            self._under_way.clear()
            self._begin_anew()
            raise

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
            self.finish()
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


def _at_once(works: Iterable[Callable[[], None]]) -> None:
    """Runs the works of several lists in parallel; they are independent."""
    for _ in in_flight(lambda work: work(), works):
        pass
