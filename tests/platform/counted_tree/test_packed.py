"""Leaves that have a page: what is packed, what stays a row, with concurrent writers."""

from contextlib import suppress
from dataclasses import replace
from functools import partial
from random import Random
from secrets import token_hex
from typing import cast
from uuid import uuid4

import pytest

from storepost.platform.persistence.changes import Changes, LostRace, commit_anew
from storepost.platform.persistence.counted_tree import KeyRange, TreeEntry
from storepost.platform.persistence.counted_tree.checking import faults
from storepost.platform.persistence.counted_tree.items import PageItem
from storepost.platform.persistence.counted_tree.keys import LOWEST
from storepost.platform.persistence.counted_tree.loading import Load
from storepost.platform.persistence.counted_tree.pages import Packing
from storepost.values.pagination import PageRequest
from tests.harness.world import World
from tests.platform.counted_tree.engine import Engine, Killed
from tests.platform.counted_tree.lists import (
    Operation,
    TwoLists,
    apply,
    counted_later,
    nodes_locked,
    numbered,
    tree,
)
from tests.platform.counted_tree.pausing import each_pause, paused
from tests.platform.counted_tree.test_interleavings import deletes, inserts, moves

pytestmark = pytest.mark.usefixtures("folds_on_demand")

PACKING = Packing(entries=8, fold_after=4, ends=5, node_fan_out=3)
LARGE = replace(PACKING, entries=20, pages=4, joined_bytes=0)


def packed(numbers: range = range(0, 400, 5), packing: Packing = PACKING) -> TwoLists:
    """A list that was loaded, over a few existing entries."""
    lists = TwoLists(tree(f"list#{uuid4()}", 3, 4, packing=packing))
    lists.do(*inserts(1, 201, 399))
    load(lists, [numbered(number) for number in numbers])
    return lists


def load(lists: TwoLists, entries: list[TreeEntry]) -> None:
    """Loads entries into the list and into the model."""
    Load(lists.tree).run(entries)
    lists.model.update({entry.key: entry for entry in entries})


def pages(lists: TwoLists) -> int:
    """How many leaves have a page."""
    return sum(node.page is not None for node in lists.tree.rows.everything()[0])


def rows(lists: TwoLists) -> int:
    """How many rows are about entries."""
    return len(lists.tree.rows.stored(KeyRange()).rows)


@pytest.mark.usefixtures("engine")
class TestLoads:
    """What a load writes."""

    def test_packs_all_but_the_first_and_last_entries(self) -> None:
        lists = packed()
        lists.check()
        assert pages(lists) >= 5
        assert rows(lists) == 2 * PACKING.ends + 1  # the one in the middle existed before
        plain = [entry.key for entry in lists.tree.rows.live(KeyRange())]
        keys = sorted(lists.model)
        assert plain[: PACKING.ends] == keys[: PACKING.ends]
        assert plain[-PACKING.ends :] == keys[-PACKING.ends :]

    def test_few_entries_stay_rows(self) -> None:
        lists = packed(range(0, 10))
        assert pages(lists) == 0
        lists.check()

    def test_repeated_load_changes_nothing(self, engine: Engine) -> None:
        lists = packed()
        stored = {pk: dict(part) for pk, part in engine.items.items()}
        Load(lists.tree).run([numbered(number) for number in range(0, 400, 5)])
        assert engine.items == stored

    def test_load_into_a_packed_list(self) -> None:
        lists = packed()
        load(lists, [numbered(number) for number in range(2, 500, 3) if number % 5])
        lists.check()

    def test_existing_entries_get_the_new_values(self) -> None:
        """The entry is in a page, in a row, in a row above a page, or deleted from one."""
        lists = packed()
        lists.do((numbered(100), numbered(100, "pending")), *deletes(105))
        load(lists, [numbered(n, "refunded") for n in (0, 100, 105, 110, 115, 120, 201, 395)])
        lists.check()

    def test_progress_is_reported_in_order_with_each_transaction(self) -> None:
        """Progress is in order, so that a killed load continues where it was."""
        lists, progress = packed(range(0)), list[int]()
        entries = [numbered(number) for number in range(0, 2000, 5)]
        Load(lists.tree, lambda _changes, listed: progress.append(listed)).run(entries)
        assert progress == sorted(progress)
        assert progress[-1] == len(entries)
        assert len(progress) > 3

    def test_few_entries_are_added_as_another_page_of_the_leaf(self, engine: Engine) -> None:
        """Until the leaf has its maximum of pages; then all of it is one page again."""
        lists, counts = packed(packing=LARGE), []
        for first in (101, 102, 103, 104):
            load(lists, [numbered(number) for number in (first, first + 5, first + 10)])
            nodes, _ = lists.tree.rows.everything()
            counts.append(max(len(node.page_keys) for node in nodes))
            lists.check()
        assert counts == [2, 3, 4, 1]
        stored = [key for key in engine.items[lists.tree.rows.partition] if "\x00" in key]
        assert sorted(stored) == sorted(page for node in nodes for page in node.page_keys)

    def test_fold_merges_the_pages_of_a_leaf(self) -> None:
        """The last page that has an entry decides its value."""
        lists = packed(packing=LARGE)
        load(lists, [numbered(number, "pending") for number in (100, 110, 120)])
        load(lists, [numbered(number, "refunded") for number in (110, 115, 125)])
        leaf = lists.tree.rows.floor(0, numbered(110).key)
        assert leaf is not None
        assert len(leaf.page_keys) == 3
        lists.check()
        for number in range(101, 101 + LARGE.fold_after):
            lists.do(*inserts(number))
        leaf = lists.tree.rows.floor(0, numbered(110).key)
        assert leaf is not None
        assert len(leaf.page_keys) == 1
        lists.check()

    def test_scattered_entry_costs_at_most_half_a_unit(self, engine: Engine) -> None:
        """One for ten existing entries: the old page is neither rewritten nor deleted."""
        lists = TwoLists(tree(f"list#{uuid4()}", 36, 32, packing=Packing()))
        load(lists, [numbered(number) for number in range(0, 60_000, 10)])
        new = [numbered(number) for number in range(1_005, 59_000, 100)]
        written = engine.written
        load(lists, new)
        assert (engine.written - written) / len(new) <= 0.5
        assert faults(lists.tree) == []

    @pytest.mark.parametrize("levels", [3, 5])
    def test_load_touching_more_nodes_than_a_transaction_allows(
        self, engine: Engine, levels: int
    ) -> None:
        """In a list with a fixed number of levels each leaf may have its own nodes above."""
        lists = TwoLists(tree(f"list#{uuid4()}", 3, 4, levels=levels, packing=PACKING))
        lists.do(*inserts(1, 2))
        load(lists, [numbered(number) for number in range(5, 12_000, 5)])
        load(
            lists,
            [numbered(number + part) for number in range(7, 11_900, 100) for part in range(3)],
        )
        assert faults(lists.tree) == []
        lists.check_whole()
        put = {key for name, part in engine.items.items() for key in part if "\x00" in key}
        assert put == {page for node in lists.tree.rows.everything()[0] for page in node.page_keys}

    def test_scattered_loads_cost_half_a_write_unit_per_entry(self, engine: Engine) -> None:
        """One for ten existing entries, until there are twice as many and all leaves were split."""
        lists = TwoLists(tree(f"list#{uuid4()}", 36, 32, packing=Packing(ends=1)))
        random = Random(3)
        numbers = random.sample(range(100_000), 2_800)

        def insert(count: int) -> None:
            new = [replace(numbered(numbers.pop()), payload=token_hex(22)) for _ in range(count)]
            load(lists, sorted(new, key=lambda entry: entry.key))

        insert(1_200)
        written = engine.written
        while len(lists.model) < 2_500:
            insert(len(lists.model) // 10)
        assert (engine.written - written) / (len(lists.model) - 1_200) <= 0.5
        lists.check_whole()

    def test_load_into_a_list_without_packing_is_refused(self) -> None:
        with pytest.raises(ValueError, match="packed"):
            Load(tree(f"list#{uuid4()}")).run([numbered(1)])

    def test_leaves_not_loaded_into_stay_unpacked(self) -> None:
        """Leaves into which nothing is loaded have no page, and split and merge as before."""
        lists = TwoLists(tree(f"list#{uuid4()}", 3, 4, packing=PACKING))
        for number in range(1000, 1100, 2):
            lists.do(*inserts(number))
        load(lists, [numbered(number) for number in range(0, 900, 5)])
        before = pages(lists)
        lists.do(*inserts(*range(1001, 1061, 2)))
        for number in range(1000, 1100, 2):
            lists.do(*deletes(number))
        lists.check()
        assert pages(lists) == before

    def test_entry_loaded_in_order_costs_at_most_0_15_write_units(self, engine: Engine) -> None:
        """In order a tenth of a unit at most; as a row it is two, and two for each of its nodes."""
        lists = TwoLists(tree(f"list#{uuid4()}", 36, 32, packing=Packing()))
        for first in range(0, 20_000, 5_000):
            written = engine.written
            load(lists, [numbered(number) for number in range(first, first + 5_000)])
        assert (engine.written - written) / 5_000 <= 0.15
        assert faults(lists.tree) == []


@pytest.mark.usefixtures("engine")
class TestSingleWrites:
    """Rows above a page."""

    @pytest.mark.parametrize("later", [False, True])
    @pytest.mark.parametrize(
        "operations",
        [
            inserts(101),
            deletes(100),
            [(numbered(100), numbered(100, "pending"))],
            [(numbered(100), replace(numbered(100), payload="another"))],
            moves((100, 101), (200, 397)),
            [*deletes(1, 0, 395), *inserts(4, 1000)],
            [(numbered(100), None), (None, numbered(100, "refunded"))],
        ],
        ids=["insert", "delete", "change", "payload", "move", "ends", "anew"],
    )
    def test_single_writes_give_the_same_list_as_without_pages(
        self, engine: Engine, operations: list[Operation], later: bool
    ) -> None:
        """With nodes counted at once, or later; and after a fold."""
        lists = packed()
        if later:
            with nodes_locked(engine):
                lists.do(*operations)
        else:
            lists.do(*operations)
        lists.check()
        lists.tree.fold()
        lists.check()

    def test_deleted_entry_can_be_inserted_again(self) -> None:
        lists = packed()
        for _ in range(3):
            lists.do(*deletes(100))
            lists.check_whole()
            lists.do(*inserts(100))
            lists.check_whole()

    def test_write_contradicting_a_stored_row_is_a_lost_race(self) -> None:
        """The page isn't read for that: the writer has a record that says what is listed."""
        lists = packed()
        lists.do(*deletes(100), (numbered(110), numbered(110, "pending")), *inserts(101))
        wrong: list[list[Operation]] = [
            deletes(100),
            deletes(110),
            inserts(101),
            inserts(1),
            [(numbered(110), numbered(110, "refunded"))],
        ]
        for operations in wrong:
            changes = Changes()
            apply(lists.tree, operations)(changes)
            with pytest.raises(LostRace):
                changes.commit()
        lists.check()

    def test_rows_are_folded_into_the_page_after_some_writes(self) -> None:
        """Except those at the ends."""
        lists = packed()
        ends = rows(lists)
        for number in range(101, 105):
            lists.do(*inserts(number))
        lists.do(*deletes(110))
        assert rows(lists) > ends
        for status in ("pending", "refunded", "paid", "pending"):
            lists.do((lists.model[numbered(115).key], numbered(115, status)))
        assert rows(lists) <= ends + PACKING.fold_after
        lists.check()

    def test_full_page_is_split(self) -> None:
        lists = packed()
        before = pages(lists)
        for number in range(401, 500):
            lists.do(*inserts(number))
        assert pages(lists) <= before + 1  # leaves at the end have no page
        for number in range(0, 100):
            if number % 5 and number != 1:
                lists.do(*inserts(number))
        lists.check()
        assert pages(lists) > before

    def test_empty_pages_are_deleted(self, engine: Engine) -> None:
        """So are the tombstones of their entries."""
        lists = packed()
        for entry in list(lists.model.values())[::-1]:
            lists.do((entry, None))
            assert faults(lists.tree) == []
        lists.check()
        assert pages(lists) <= 1
        assert rows(lists) <= PACKING.entries + PACKING.fold_after

    def test_leaf_with_zero_count_and_pending_entries_is_not_removed(self) -> None:
        """An entry was inserted and is deleted before it is counted: the leaf's sum is zero."""
        lists = packed(packing=replace(PACKING, fold_after=100))
        leaf = lists.tree.rows.floor(0, numbered(100).key)
        assert leaf is not None
        assert leaf.page is not None
        *gone, remaining = [e for key, e in sorted(lists.model.items()) if key in leaf.range]
        new = numbered(cast("int", remaining.payload) - 1)
        with counted_later():
            lists.do((None, new))
        for entry in (*gone, new):
            lists.do((entry, None))
            lists.check_whole()
        lists.tree.fold()
        lists.check_whole()

    def test_fold_yields_to_a_transaction_holding_a_row(self, engine: Engine) -> None:
        """To a transaction that holds one of its rows; the next write tries again."""
        lists = packed()
        for number in range(101, 104):
            lists.do(*inserts(number))
        gave_way = []

        def is_locked(_pk: str, sk: str) -> bool:
            gave_way.append("\x00" in sk)
            return "\x00" in sk

        engine.is_locked = is_locked
        lists.do(*inserts(104), *deletes(110))
        lists.do(*inserts(106))
        engine.is_locked = None
        assert any(gave_way)
        lists.check()

    def test_fold_removes_pending_deletes_of_an_unpacked_leaf(self) -> None:
        """Such a writer doesn't know whether there is a page; the folder does."""
        lists = packed()
        for number in range(500, 520):
            lists.do(*inserts(number))
        before = rows(lists)
        with counted_later():
            lists.do(*deletes(510, 511))
        assert rows(lists) == before
        lists.tree.fold()
        assert rows(lists) == before - 2
        lists.check()


class TestReads:
    """Rows that aren't read."""

    def test_unreferenced_page_of_a_killed_load_is_ignored_and_deleted(
        self, engine: Engine
    ) -> None:
        """A load was killed before its transaction."""
        lists = packed()
        rows = lists.tree.rows
        leaf = rows.floor(0, numbered(100).key)
        assert leaf is not None
        rows.page_item(f"{leaf.lo}\x009.dead", [numbered(101)]).save()
        rows.page_item(f"{LOWEST}\x009.dead", [numbered(3)]).save()
        lists.check()
        lists.tree.first(KeyRange(), 1000)
        load(lists, [numbered(number) for number in (101, 102, 103)])
        lists.check()
        keys = engine.items[rows.partition]
        assert not [key for key in keys if key.startswith(leaf.lo) and key.endswith("dead")]

    def test_first_page_takes_two_calls(self, engine: Engine) -> None:
        """From both ends."""
        lists = packed(range(0, 4000, 5), Packing(entries=20, ends=30, node_fan_out=6))
        for descending in (False, True):
            calls, _ = engine.measured(
                partial(lists.check_page, PageRequest(1, 25), descending=descending)
            )
            assert calls == 2

    def test_first_and_last_entries_deleted(self) -> None:
        """A packed entry is the first one then."""
        lists = packed()
        for number in (1, 0, 5, 10, 15, 20, 399, 395, 390, 385, 380):
            if numbered(number).key in lists.model:
                lists.do(*deletes(number))
            lists.check()


UNITS: dict[str, list[Operation]] = {
    "in a page": [*deletes(100), (numbered(110), numbered(110, "pending"))],
    "new in pages": inserts(101, 102, 103, 104, 203, 304),
    "at the end": inserts(*range(401, 413)),
    "all over": [*inserts(*range(12, 400, 40)), *deletes(300)],
    "empties a page": deletes(*range(100, 160, 5)),
}


class TestIteration:
    """The first entries of a range."""

    @pytest.mark.parametrize("first", range(0, 60, 7))
    def test_range_within_the_first_leaf(self, world: World, first: int) -> None:
        """The engine refuses a query whose range ends before it begins."""
        assert world
        lists = packed()
        within = KeyRange(numbered(5 * first).key, numbered(5 * first + 6).key)
        expected = [entry for entry in lists.expected() if entry.key in within]
        assert 2 <= len(expected) <= 4
        assert lists.tree.first(within, 100) == expected

    @pytest.mark.usefixtures("engine")
    @pytest.mark.parametrize("limit", [1, 9, 25, 1000])
    def test_several_leaves(self, limit: int) -> None:
        lists = packed()
        assert lists.tree.first(KeyRange(), limit) == lists.expected()[:limit]


@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize("unit", UNITS)
class TestConcurrentWrites:
    """Another writer between any two calls."""

    def act(self, engine: Engine, lists: TwoLists, unit: str, *, later: bool) -> None:
        """Another writer commits; the nodes are free or held."""
        if later:
            with nodes_locked(engine):
                lists.do(*UNITS[unit])
        else:
            lists.do(*UNITS[unit])

    def test_while_loading(self, engine: Engine, unit: str, later: bool) -> None:
        entries = [numbered(number) for number in range(86, 166, 5)]
        entries = [e for e in entries if e not in [new for _, new in UNITS[unit]]]

        def work(lists: TwoLists) -> None:
            load(lists, entries)

        each_pause(engine, packed(), lambda lists: self.act(engine, lists, unit, later=later), work)

    def test_while_folding_or_splitting(self, engine: Engine, unit: str, later: bool) -> None:
        done = inserts(116, 117, 118, 119, 121, 122, 123, 124, 126, 127, 128, 129)

        def work(lists: TwoLists) -> None:
            for operation in done:
                commit_anew(apply(lists.tree, [operation]))
            lists.note(*done)

        each_pause(engine, packed(), lambda lists: self.act(engine, lists, unit, later=later), work)


def test_killed_while_loading_leaves_a_correct_list(engine: Engine) -> None:
    """The beginning of the load is listed; the repetition lists the rest."""
    before = packed()
    restore = engine.snapshot()
    entries = [numbered(number) for number in range(2, 600, 5)]
    died, number = True, 0

    def die() -> None:
        raise Killed

    while died:
        number += 1
        restore()
        lists = TwoLists(before.tree, dict(before.model))
        died = False
        try:
            paused(engine, number, die, lambda: Load(before.tree).run(entries))
        except Killed:
            died = True
        engine.before_call = None
        came = lists.tree.page(PageRequest(1, 10)).total - len(lists.model)
        lists.model.update({entry.key: entry for entry in entries[:came]})
        lists.check_whole()
        load(lists, entries)
        lists.check_whole()
    assert number > 10


def test_page_is_one_compressed_row(engine: Engine) -> None:
    """It is deflated, so that a hundred entries are a few kilobytes."""
    lists = TwoLists(tree(f"list#{uuid4()}", 36, 32, packing=Packing()))
    with suppress(LostRace):
        load(lists, [numbered(number) for number in range(2_000)])
    kinds = [raw["kind"]["S"] for raw in engine.items[lists.tree.rows.partition].values()]
    assert kinds.count("page") in range(17, 20)
    assert kinds.count("entry") == 2 * Packing().ends
    assert PageItem.kind.get_discriminator(PageItem) == "page"
    sizes = [
        len(raw["z"]["B"]) for raw in engine.items[lists.tree.rows.partition].values() if "z" in raw
    ]
    assert max(sizes) < 4096
