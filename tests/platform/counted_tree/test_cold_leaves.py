"""Lists that pack cold leaves as they grow: what becomes a page, with concurrent writers."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import product
from unittest import mock
from uuid import uuid4

import pytest

from storepost.platform.persistence.counted_tree import KeyRange, TreeEntry, cold_leaves
from storepost.platform.persistence.counted_tree.cold_leaves import ColdLeaves
from storepost.platform.persistence.counted_tree.items import BEFORE_KEYS
from storepost.platform.persistence.counted_tree.keys import LOWEST, behind
from storepost.platform.persistence.counted_tree.pages import Packing
from storepost.values import clock
from storepost.values.pagination import PageRequest
from tests.platform.counted_tree.engine import Engine, Killed
from tests.platform.counted_tree.lists import (
    START,
    Importer,
    Operation,
    TwoLists,
    nodes_locked,
    numbered,
    tree,
)
from tests.platform.counted_tree.pausing import paused
from tests.platform.counted_tree.test_interleavings import deletes, inserts
from tests.platform.counted_tree.test_packed import load, pages, rows

pytestmark = pytest.mark.usefixtures("folds_on_demand")

HOUR = timedelta(hours=1)
PACKING = Packing(entries=8, fold_after=4, ends=5, node_fan_out=3, cold_after=HOUR)


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """The small engine answers one call at a time."""
    monkeypatch.setattr(cold_leaves, "_THREADS", 1)


@pytest.fixture(autouse=True)
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Sets the minute; the entry of a number is of that minute.

    It begins long after all entries.
    """

    def set_to(minute: int) -> None:
        monkeypatch.setattr(clock, "now", lambda: START + timedelta(minutes=minute))

    set_to(1_000_000)
    return set_to


def new_lists(packing: Packing | None = PACKING) -> TwoLists:
    """An empty list."""
    return TwoLists(tree(f"list#{uuid4()}", 3, 4, packing=packing))


def grown(numbers: range = range(0, 200, 5)) -> TwoLists:
    """A list to which one entry after the other was added."""
    lists = new_lists()
    for number in numbers:
        lists.do(*inserts(number))
    return lists


@pytest.mark.usefixtures("engine")
class TestGrowth:
    """What is packed as entries are added."""

    def test_packs_all_but_the_first_and_last_entries(self) -> None:
        """The entries at the ends stay rows, and those of the two leaves that have some of them."""
        lists = grown()
        lists.check()
        assert pages(lists) >= 4
        assert rows(lists) <= 2 * (PACKING.ends + 2 * 3 * lists.tree.fan_out)
        plain = [entry.key for entry in lists.tree.rows.live(KeyRange())]
        keys = sorted(lists.model)
        assert plain[: PACKING.ends] == keys[: PACKING.ends]
        assert plain[-PACKING.ends :] == keys[-PACKING.ends :]

    def test_recent_entries_are_not_packed(self, at: Callable[[int], None]) -> None:
        """A leaf with one entry that isn't cold stays as it is."""
        at(60 + 100)
        lists = grown()
        lists.check()
        packed = {entry.key for entry in lists.tree.rows.live(KeyRange())} ^ lists.model.keys()
        assert packed
        assert max(packed) <= numbered(100).key
        at(1_000_000)
        before = pages(lists)
        for number in range(200, 260, 5):
            lists.do(*inserts(number))
        lists.check()
        assert pages(lists) > before

    def test_packs_entries_inserted_before_the_others(self) -> None:
        """An import adds the newest entries first."""
        lists = grown(range(1000, 600, -5))
        lists.check()
        assert pages(lists) >= 8

    def test_packs_an_older_unpacked_list_as_it_grows(self) -> None:
        """Each new entry packs two leaves, until all cold ones are packed."""
        lists = TwoLists(grown(range(0)).tree)
        plain = TwoLists(replace(lists.tree, packing=None), lists.model)
        for number in range(0, 300, 5):
            plain.do(*inserts(number))
        assert not pages(lists)
        counts = []
        for number in range(300, 500, 5):
            lists.do(*inserts(number))
            counts.append(pages(lists))
        lists.check()
        assert counts == sorted(counts)
        assert rows(lists) <= 2 * (PACKING.ends + 2 * 3 * lists.tree.fan_out)

    def test_packs_leaves_of_an_import(self) -> None:
        """A writer that remembers the nodes splits later, and packs more at once."""
        lists, importer = new_lists(), Importer()
        for first in range(0, 600, 20):
            operations = inserts(*range(first, first + 20, 2))
            importer.do(lists.tree, operations, alone=False)
            lists.note(*operations)
        lists.check()
        assert rows(lists) <= len(lists.model) // 2

    def test_continues_beside_bulk_loads(self) -> None:
        """Both extend one span."""
        lists = grown(range(200, 300, 5))
        load(lists, [numbered(number) for number in range(402, 600, 5)])
        for number in range(600, 800, 5):
            lists.do(*inserts(number))
        for number in range(195, 0, -5):
            lists.do(*inserts(number))
        lists.check()

    def test_packed_entries_can_be_updated_and_deleted(self) -> None:
        lists = grown()
        for number in range(0, 190, 15):
            lists.do(*deletes(number))
            lists.do((numbered(number + 5), numbered(number + 5, "pending")))
            lists.check_whole()
        lists.check()

    def test_deletes_an_unreferenced_page_of_a_killed_writer(self, engine: Engine) -> None:
        """A killed try left it."""
        lists = grown(range(0, 40, 5))
        leaf = lists.tree.rows.floor(0, numbered(30).key)
        assert leaf is not None
        engine.call("PutItem", _put(lists, f"{leaf.lo}{BEFORE_KEYS}1.dead"))
        for number in range(40, 120, 5):
            lists.do(*inserts(number))
        lists.check()
        keys = engine.items[lists.tree.rows.partition]
        assert not [key for key in keys if key.endswith("dead")]


def _put(lists: TwoLists, key: str) -> dict[str, object]:
    return {"Item": lists.tree.rows.page_item(key, [numbered(31)]).serialize()}


def about_to_pack(engine: Engine, numbers: range = range(0, 100, 5)) -> tuple[TwoLists, Operation]:
    """A list of these numbers and some more, and the insert that makes it pack a leaf."""
    lists, number = grown(numbers), numbers.stop
    while True:
        restore, before, count = engine.snapshot(), dict(lists.model), pages(lists)
        lists.do(*inserts(number))
        if pages(lists) > count:
            restore()
            return TwoLists(lists.tree, before), inserts(number)[0]
        number += 5


UNITS: dict[str, Callable[[list[int]], list[Operation]]] = {
    "changes": lambda packed: [(numbered(n), numbered(n, "pending")) for n in packed],
    "payloads": lambda packed: [(numbered(n), replace(numbered(n), payload="?")) for n in packed],
    "deletes": lambda packed: deletes(*packed),
    "inserts": lambda packed: inserts(*(n + 1 for n in packed)),
}


@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize("unit", UNITS)
def test_concurrent_write_between_any_two_calls_of_packing(
    engine: Engine, unit: str, later: bool
) -> None:
    """A writer of the leaf that is just packed: no entry is lost, and no deleted one returns."""
    before, growth = about_to_pack(engine)
    restore = engine.snapshot()
    shown = {e.key for e in before.tree.rows.live(KeyRange())}
    before.do(growth)
    packed = shown - {e.key for e in before.tree.rows.live(KeyRange())}
    numbers = sorted(n for n in range(0, 200, 5) if numbered(n).key in packed)
    assert numbers
    operations = UNITS[unit](numbers)
    acted, number = True, 0
    while acted:
        number += 1
        restore()
        model = {k: e for k, e in before.model.items() if k != growth[1].key}  # type: ignore[union-attr]
        lists = TwoLists(before.tree, model)

        def act(lists: TwoLists = lists) -> None:
            if later:
                with nodes_locked(engine):
                    lists.do(*operations)
            else:
                lists.do(*operations)

        acted = paused(engine, number, act, partial(lists.do, growth))
        lists.check_whole()
        lists.tree.fold()
        lists.check_whole()
    assert number > 8


@pytest.mark.parametrize("numbers", [range(0, 5, 5), range(0, 100, 5)], ids=["first", "later"])
def test_packing_between_any_two_calls_of_a_reader(engine: Engine, numbers: range) -> None:
    """Pages of any size from either end are right while a leaf is packed between their calls.

    So are ranges that begin in that leaf, or before it.
    """
    lists, growth = about_to_pack(engine, numbers)
    with mock.patch.object(ColdLeaves, "pack"):
        lists.do(growth)
    restore, before = engine.snapshot(), pages(lists)
    rows_before = {e.key for e in lists.tree.rows.live(KeyRange())}

    def pack() -> None:
        ColdLeaves(lists.tree.rows).pack(max(lists.model))

    pack()
    packed = sorted(rows_before - {e.key for e in lists.tree.rows.live(KeyRange())})
    restore()
    begins = [LOWEST, packed[0], packed[1], packed[-1]]
    for lo, size, page, descending in product(begins, (1, 3, 7, 20), (1, 2), (False, True)):
        request, within = PageRequest(page, size), KeyRange(lo)
        read = partial(lists.check_page, request, descending=descending, within=within)
        number = 1
        while paused(engine, number, pack, read):
            assert pages(lists) > before
            restore()
            number += 1
        assert number > 1


@pytest.mark.parametrize("limit", [3, 100])
@pytest.mark.parametrize("numbers", [range(0, 5, 5), range(0, 100, 5)], ids=["first", "later"])
def test_packing_between_any_two_calls_of_an_iteration(
    engine: Engine, numbers: range, limit: int
) -> None:
    """A reader that goes through the list in parts misses no entry that is packed meanwhile."""
    lists, growth = about_to_pack(engine, numbers)
    with mock.patch.object(ColdLeaves, "pack"):
        lists.do(growth)
    restore, before, expected = engine.snapshot(), pages(lists), lists.expected()

    def pack() -> None:
        ColdLeaves(lists.tree.rows).pack(max(lists.model))

    def walk() -> None:
        found, within = list[TreeEntry](), KeyRange()
        while some := lists.tree.first(within, limit):
            found += some
            within = behind(some[-1].key)
        assert found == expected

    number = 1
    while paused(engine, number, pack, walk):
        assert pages(lists) > before
        restore()
        number += 1
    assert number > 1


def test_killed_while_packing_leaves_a_correct_list(engine: Engine) -> None:
    """The rest of its work is harmless, and the next growth continues."""
    before, growth = about_to_pack(engine)
    restore = engine.snapshot()

    def die() -> None:
        raise Killed

    died, number = True, 0
    while died:
        number += 1
        restore()
        lists = TwoLists(before.tree, dict(before.model))
        died = False
        try:
            paused(engine, number, die, partial(lists.do, growth))
        except Killed:
            died = True
        engine.before_call = None
        listed = lists.tree.page(PageRequest(1, 100)).total
        if died and listed > len(lists.model):
            lists.note(growth)
        lists.check_whole()
        for each in range(150, 200, 5):
            lists.do(*inserts(each))
        lists.check_whole()
    assert number > 8


def test_packing_costs_at_most_1_25_write_units_per_entry(engine: Engine) -> None:
    """One unit for its row, and its share of the page and the leaf."""
    units = []
    for packing in (None, Packing(cold_after=HOUR)):
        lists = TwoLists(tree(f"list#{uuid4()}", 36, 32, packing=packing))
        for number in range(1_000):
            lists.do(*inserts(number))
        written = engine.written
        for number in range(1_000, 1_600):
            lists.do(*inserts(number))
        units.append((engine.written - written) / 600)
    assert units[1] - units[0] <= 1.25
