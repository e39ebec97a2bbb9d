"""Units of work that add entries in pages, together with the records of those entries."""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from uuid import uuid4

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from storepost.platform.persistence.changes import (
    MAX_ITEMS,
    MAX_RUNS,
    Changes,
    LostRace,
    TooManyWrites,
)
from storepost.platform.persistence.counted_tree import TreeEntry
from storepost.platform.persistence.counted_tree.checking import faults
from storepost.platform.persistence.counted_tree.items import EntryItem
from storepost.platform.persistence.counted_tree.pages import Packing
from storepost.platform.persistence.counted_tree.unit_loading import ListsLoad
from storepost.platform.persistence.item import find_all
from storepost.platform.persistence.loads import in_flight
from storepost.values.problems import Busy
from tests.platform.counted_tree.engine import Engine, Killed
from tests.platform.counted_tree.lists import (
    Operation,
    TwoLists,
    counted_later,
    nodes_locked,
    numbered,
    tree,
)
from tests.platform.counted_tree.pausing import each_pause
from tests.platform.counted_tree.test_histories import CHOICES, ENTRIES, run_on
from tests.platform.counted_tree.test_interleavings import deletes, inserts
from tests.platform.counted_tree.test_packed import UNITS, pages
from tests.platform.counted_tree.test_packed_histories import LOADED, PACKINGS, PackedHistories

pytestmark = pytest.mark.usefixtures("folds_on_demand")

PACKING = Packing(entries=8, fold_after=4, ends=5, node_fan_out=3)


class Loader:
    """Adds entries to lists, one unit after the other, repeating each until it commits."""

    def __init__(self) -> None:
        """Has read nothing yet."""
        self.load = ListsLoad()

    def add(self, lists: TwoLists, entries: Sequence[TreeEntry]) -> None:
        """Adds a unit, or several if one is too large; the model gets what each committed."""
        most = len(entries)
        lost = 0
        while entries:
            changes = Changes()
            changes.create(EntryItem("records", f"{uuid4()}"))
            try:
                self.load.commit(changes, [(lists.tree, entries[:most])])
            except LostRace:
                lost += 1
                if lost > 2:  # as an import does if another writer is always at the same leaf
                    lists.do((None, entries[0]))
                    entries = entries[1:]
                assert lost < MAX_RUNS
            except TooManyWrites:
                assert most > 1
                most //= 2
            else:
                lists.model.update({entry.key: entry for entry in entries[:most]})
                entries = entries[most:]


class LoaderAhead(Loader):
    """Plans the next unit while one is written, as far as that goes."""

    def add_all(self, lists: TwoLists, units: Sequence[Sequence[TreeEntry]]) -> None:
        """Adds all units; after a lost race it repeats those whose record isn't stored."""
        lost, marks = 0, [f"{uuid4()}" for _ in units]
        while left := [n for n, mark in enumerate(marks) if not _is_written(mark)]:
            try:
                for number in left:
                    changes = Changes()
                    changes.create(EntryItem("records", marks[number]))
                    self.load.start(changes, [(lists.tree, units[number])])
                self.load.finish()
            except LostRace:
                lost += 1
                assert lost < MAX_RUNS
        lists.model.update({entry.key: entry for unit in units for entry in unit})


def _is_written(mark: str) -> bool:
    return bool(find_all([("records", mark)]))


def begun() -> TwoLists:
    """A list of a few rows."""
    lists = TwoLists(tree(f"list#{uuid4()}", 3, 4, packing=PACKING))
    lists.do(*inserts(*range(0, 40, 5)))
    return lists


def at_the_end(count: int, begin: int = 100) -> list[TreeEntry]:
    """New entries after all others."""
    return [numbered(number) for number in range(begin, begin + 5 * count, 5)]


@pytest.mark.usefixtures("engine")
class TestUnits:
    """The writes of a unit."""

    def test_appended_entries_are_stored_as_separate_pages(self) -> None:
        lists, loader = begun(), Loader()
        for unit in range(12):
            loader.add(lists, at_the_end(6, 100 + 30 * unit))
            lists.check_whole()
        assert pages(lists) == 12
        lists.check()

    def test_many_appended_entries_are_spread_over_several_leaves(self, engine: Engine) -> None:
        """They have about one size, by one transaction; a last leaf with room is filled first."""
        lists, loader = begun(), Loader()
        for unit, count in enumerate((6, 20, 2, 33)):
            before = pages(lists)
            engine.calls.clear()
            loader.add(lists, at_the_end(count, 100 + 200 * unit))
            assert engine.calls.count("TransactWriteItems") == 1
            assert pages(lists) - before == {6: 1, 20: 3, 2: 1, 33: 4}[count]
            lists.check_whole()
        lists.check()

    def test_consecutive_unit_reads_nothing(self, engine: Engine) -> None:
        """Except when nodes above are full."""
        lists, loader = begun(), Loader()
        loader.add(lists, at_the_end(6, 100))
        engine.calls.clear()
        loader.add(lists, at_the_end(6, 200))
        assert engine.calls == ["BatchWriteItem", "TransactWriteItems"]
        lists.check()

    def test_span_is_written_once_for_foreseen_entries(self) -> None:
        """Rows there, written before the pages or in their place, are listed too."""
        lists, loader, spans = begun(), Loader(), []
        units = [at_the_end(6, 100 + 30 * unit) for unit in range(6)]
        loader.load.foreseen = units[3][-1].key
        for unit in units[:3]:
            loader.add(lists, unit)
            spans.append(lists.tree.rows.span())
            lists.check_whole()
        lists.do(*inserts(*range(190, 205, 5)))
        lists.check()
        for unit in units[4:]:
            loader.add(lists, unit)
            spans.append(lists.tree.rows.span())
        lists.check()
        assert [spans.index(span) for span in spans] == [0, 0, 0, 3, 4]

    def test_entries_between_existing_ones_are_added_to_pages(self) -> None:
        lists, loader = begun(), Loader()
        loader.add(lists, at_the_end(60))
        loader.add(lists, [numbered(number) for number in range(101, 160, 5)])
        lists.check()

    def test_record_and_entries_are_written_atomically(self, engine: Engine) -> None:
        """If the record's condition fails, the list is unchanged, without an unused page."""
        lists, loader = begun(), Loader()
        stored = {pk: dict(part) for pk, part in engine.items.items()}
        changes = Changes()
        changes.save(EntryItem("records", "a"), EntryItem.pk.exists())
        with pytest.raises(LostRace):
            loader.load.commit(changes, [(lists.tree, at_the_end(6))])
        assert {pk: part for pk, part in engine.items.items() if part} == stored
        lists.check()

    def test_several_lists_are_written_in_one_transaction(self, engine: Engine) -> None:
        one, other, loader = begun(), begun(), Loader()
        entries = at_the_end(6)
        engine.calls.clear()
        loader.load.commit(Changes(), [(one.tree, entries), (other.tree, entries)])
        assert engine.calls.count("TransactWriteItems") == 1
        for lists in (one, other):
            lists.model.update({entry.key: entry for entry in entries})
            lists.check()

    def test_first_entry_of_a_list_is_a_row(self) -> None:
        """A unit of only pages loses its race there, as if another writer were there."""
        lists = TwoLists(tree(f"list#{uuid4()}", 3, 4, packing=PACKING))
        Loader().add(lists, at_the_end(20))
        lists.check()

    def test_pending_delete_at_the_end_is_counted_correctly(self, engine: Engine) -> None:
        """An entry after all others that is deleted, and that the last leaf still counts."""
        lists, loader = begun(), Loader()
        lists.do(*inserts(150))
        with counted_later():
            lists.do(*deletes(150), *inserts(60))
        loader.add(lists, at_the_end(6, 100))
        loader.add(lists, at_the_end(6, 200))
        lists.check_whole()
        lists.tree.fold()
        lists.check()


@pytest.fixture
def one_call_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """So a unit is written as late as possible: after the next one's pages."""
    monkeypatch.setattr(in_flight, "CALLS_IN_FLIGHT", 1)


@pytest.mark.usefixtures("engine", "one_call_at_once")
class TestUnitsInFlight:
    """Units that are planned while the one before is written."""

    def test_next_unit_is_planned_without_reads(self, engine: Engine) -> None:
        lists, loader = begun(), LoaderAhead()
        loader.add(lists, at_the_end(6, 100))
        engine.calls.clear()
        loader.add_all(lists, [at_the_end(6, begin) for begin in (200, 300)])
        writes = [name for name in engine.calls if "Write" in name]
        assert writes == ["BatchWriteItem"] * 2 + ["TransactWriteItems"] * 2
        assert "Query" not in engine.calls
        lists.check()

    def test_many_units_at_the_end(self) -> None:
        """Nodes above are split in between."""
        lists, loader = begun(), LoaderAhead()
        loader.add_all(lists, [at_the_end(16, 100 + 80 * unit) for unit in range(30)])
        lists.check()
        assert pages(lists) == 60

    def test_units_between_existing_entries(self) -> None:
        lists, loader = begun(), LoaderAhead()
        units = [at_the_end(6, 100), at_the_end(6, 200), at_the_end(6, 141), at_the_end(6, 300)]
        loader.add_all(lists, units)
        lists.check()

    def test_lost_race_discards_the_next_unit_and_leaves_no_page(self, engine: Engine) -> None:
        """No page of either is left."""
        lists, loader = begun(), LoaderAhead()
        loader.add(lists, at_the_end(6, 100))
        stored = {pk: dict(part) for pk, part in engine.items.items() if part}
        losing = Changes()
        losing.save(EntryItem("records", "a"), EntryItem.pk.exists())
        loader.load.start(losing, [(lists.tree, at_the_end(6, 200))])
        with pytest.raises(LostRace):
            loader.load.start(Changes(), [(lists.tree, at_the_end(6, 300))])
        assert {pk: part for pk, part in engine.items.items() if part} == stored
        loader.add_all(lists, [at_the_end(6, 200), at_the_end(6, 300)])
        lists.check()

    def test_lost_response_preserves_the_units_pages(self) -> None:
        """The unit may be committed nevertheless: the next one loses its race to it."""

        class Unanswered(Changes):
            def write_unit(self) -> None:
                super().write_unit()
                raise Busy

        lists, loader = begun(), LoaderAhead()
        loader.add(lists, at_the_end(6, 100))
        unanswered, written = Unanswered(), at_the_end(6, 200)
        unanswered.create(EntryItem("records", "a"))
        loader.load.start(unanswered, [(lists.tree, written)])
        with pytest.raises(Busy):
            loader.load.finish()
        losing = Changes()
        losing.create(EntryItem("records", "a"))
        with pytest.raises(LostRace):
            loader.load.commit(losing, [(lists.tree, at_the_end(6, 300))])
        lists.model.update({entry.key: entry for entry in written})
        lists.check()

    def test_too_large_unit_does_not_affect_the_previous_one(self) -> None:
        lists, loader = begun(), LoaderAhead()
        loader.add(lists, at_the_end(6, 100))
        before = at_the_end(6, 200)
        loader.load.start(Changes(), [(lists.tree, before)])
        too_much = Changes()
        for number in range(MAX_ITEMS):
            too_much.create(EntryItem("records", f"{number}"))
        with pytest.raises(TooManyWrites):
            loader.load.start(too_much, [(lists.tree, at_the_end(6, 300))])
        lists.model.update({entry.key: entry for entry in before})
        loader.add_all(lists, [at_the_end(6, 300)])
        lists.check()


AT_ONCE: dict[str, list[Operation]] = {
    **UNITS,
    "last": [*deletes(35), *inserts(36)],
    "behind": inserts(500, 501, 502),
}


@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize("unit", ["at the end", "last", "behind"])
def test_writer_between_any_two_calls_of_units(engine: Engine, unit: str, later: bool) -> None:
    """Another writer beside units at the end of the list, and the units after it."""

    def act(lists: TwoLists) -> None:
        if later:
            with nodes_locked(engine):
                lists.do(*AT_ONCE[unit])
        else:
            lists.do(*AT_ONCE[unit])

    def work(lists: TwoLists) -> None:
        loader = Loader()
        for begin in (600, 700, 800):
            loader.add(lists, at_the_end(6, begin))

    each_pause(engine, begun(), act, work)


@pytest.mark.usefixtures("one_call_at_once")
@pytest.mark.parametrize("unit", ["at the end", "last", "behind"])
def test_writer_between_any_two_calls_of_in_flight_units(engine: Engine, unit: str) -> None:
    """If a unit loses its race, so does the unit that was planned on it."""

    def work(lists: TwoLists) -> None:
        LoaderAhead().add_all(lists, [at_the_end(12, begin) for begin in (600, 700, 800, 900)])

    each_pause(engine, begun(), lambda lists: lists.do(*AT_ONCE[unit]), work)


@pytest.mark.parametrize("unit", ["at the end", "behind"])
def test_unit_between_any_two_calls_of_a_writer(engine: Engine, unit: str) -> None:
    """The writer may also split the last leaf."""
    before = begun()
    before.do(*inserts(37, 38))

    def act(lists: TwoLists) -> None:
        Loader().add(lists, at_the_end(6, 600))

    each_pause(engine, before, act, lambda lists: lists.do(*AT_ONCE[unit]))


def test_killed_before_each_call_leaves_a_correct_list(engine: Engine) -> None:
    """The list is as before or as afterwards, and the repetition adds what is missing."""
    before = begun()
    restore = engine.snapshot()
    for call in range(1, 40):
        restore()
        lists = TwoLists(before.tree, dict(before.model))

        def die(call: int = call) -> None:
            if len(engine.calls) >= call:
                raise Killed

        engine.calls.clear()
        engine.before_call = lambda _operation: die()
        loader = Loader()
        with suppress(Killed):
            loader.add(lists, at_the_end(6, 100))
            loader.add(lists, at_the_end(6, 200))
        engine.before_call = None
        assert faults(lists.tree) == []
        there = {entry.key for entry in lists.tree.rows.everything()[1]}
        for begin in (100, 200):
            new = at_the_end(6, begin)
            came = [entry for entry in new if entry.key in there]
            assert len(came) in {0, 6}
            lists.model.update({entry.key: entry for entry in came})
            if not came:
                Loader().add(lists, new)
        lists.check_whole()


class UnitHistories(PackedHistories):
    """The histories of lists with loads, and a writer that adds by units."""

    @initialize(
        fan_out=st.integers(2, 5),
        top_nodes=st.integers(2, 6),
        packing=PACKINGS,
        keys_stay=st.booleans(),
    )
    def begin(self, fan_out: int, top_nodes: int, packing: Packing, keys_stay: bool) -> None:
        """Adds a writer that remembers the end of the list."""
        super().begin(fan_out, top_nodes, packing, keys_stay)
        self.loader = Loader()

    @rule(drawn=LOADED)
    def load_by_units(self, drawn: list[TreeEntry]) -> None:
        """Entries from all over."""
        self.loader.add(self.lists, self.to_load(drawn))

    @rule(drawn=LOADED)
    def load_at_the_end(self, drawn: list[TreeEntry]) -> None:
        """Entries after all others."""
        last = max(self.lists.model, default="")
        self.loader.add(self.lists, [each for each in self.to_load(drawn) if each.key > last])

    @precondition(lambda self: self.engine is not None)
    @rule(
        drawn=LOADED,
        writes=st.lists(st.tuples(ENTRIES, CHOICES), min_size=1, max_size=12),
        call=st.integers(1, 20),
        later=st.booleans(),
    )
    def write_between_units(
        self,
        drawn: list[TreeEntry],
        writes: list[tuple[TreeEntry, int]],
        call: int,
        later: bool,
    ) -> None:
        """Another writer commits before some call."""
        new = self.to_load(drawn)
        done = self.operations_besides(new, writes)
        with self.before_call(call, partial(self.act, done, later=later)):
            self.loader.add(self.lists, new)


@pytest.mark.usefixtures("folds_on_demand", "all_is_cold")
def test_list_loaded_by_units_equals_model_after_any_history(engine: Engine) -> None:
    """Whatever is written before units and between their calls, the list equals a plain one."""
    run_on(engine, UnitHistories, 12)
