"""Counts that are pending as other transactions hold the nodes: no answer is wrong meanwhile."""

import time
from contextlib import suppress
from functools import partial
from itertools import product
from uuid import uuid4

import pytest

from storepost.platform.persistence.changes import Changes, LostRace, commit_anew
from storepost.platform.persistence.counted_tree import (
    EVERYTHING,
    KeyRange,
    Tree,
    contention,
    writing,
)
from storepost.platform.persistence.counted_tree.checking import faults
from storepost.platform.persistence.counted_tree.folding import Folder
from storepost.values.pagination import PageRequest
from tests.platform.counted_tree.engine import Engine, Killed
from tests.platform.counted_tree.lists import (
    FIELDS,
    STATUS,
    Importer,
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


def filled(numbers: range, built: Tree | None = None) -> TwoLists:
    """A list of those entries."""
    lists = TwoLists(built or tree(f"list#{uuid4()}"))
    for number in numbers:
        lists.do((None, numbered(number)))
    return lists


def nodes(lists: TwoLists) -> object:
    """The nodes as they are stored."""
    return lists.tree.rows.everything()[0]


class TestContendedNodes:
    """A unit whose nodes another transaction holds."""

    @pytest.mark.parametrize(
        "operations",
        [
            inserts(100),
            deletes(7),
            moves((7, 8)),
            [(numbered(7), numbered(7, "refunded"))],
            [*inserts(100, 3), *deletes(8), *moves((10, 11))],
        ],
        ids=["insert", "delete", "move", "change", "several"],
    )
    def test_entries_are_written_and_counts_are_pending(
        self, engine: Engine, operations: list[Operation]
    ) -> None:
        """It is committed by the second call, and every page shows it."""
        lists = filled(range(0, 60, 2), tree(f"list#{uuid4()}", fan_out=3))
        operations = [o for o in operations if o[0] is None or o[0].key in lists.model]
        before = nodes(lists)
        with nodes_locked(engine):
            lists.do(*operations)
        assert nodes(lists) == before
        assert len(lists.tree.rows.pending()) == bool(operations)
        lists.check()
        lists.tree.fold()
        assert lists.tree.rows.pending() == []
        lists.check()

    def test_later_writes_skip_the_nodes_for_a_while(
        self, engine: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It doesn't read a node then, either."""
        monkeypatch.setattr(contention, "_SECONDS", 60.0)
        lists = filled(range(30))
        with nodes_locked(engine):
            lists.do(*inserts(100))
        calls = len(engine.calls)
        lists.do(*inserts(101))
        assert engine.calls[calls:] == ["TransactWriteItems"]
        assert len(lists.tree.rows.pending()) == 2
        lists.check()

    def test_nodes_are_tried_again_later(
        self, engine: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(contention, "_SECONDS", 60.0)
        lists = filled(range(30))
        with nodes_locked(engine):
            lists.do(*inserts(100))
        monkeypatch.setattr(time, "monotonic", lambda: 10.0**9)
        calls = len(engine.calls)
        lists.do(*inserts(101))
        assert engine.calls[calls] == "Query"
        lists.tree.fold()
        lists.check()

    def test_other_lists_of_the_unit_are_counted_at_once(self, engine: Engine) -> None:
        """The other lists of the unit are counted by it."""
        busy, quiet = filled(range(30)), filled(range(30))
        engine.is_locked = lambda pk, _sk: pk == busy.tree.rows.nodes_partition and _sk[0].isdigit()
        changes = Changes()
        for lists in (busy, quiet):
            lists.tree.insert(changes, numbered(50))
            lists.note((None, numbered(50)))
        changes.commit()
        engine.is_locked = None
        assert [len(lists.tree.rows.pending()) for lists in (busy, quiet)] == [1, 0]
        busy.check()
        quiet.check()

    def test_write_waits_for_a_contended_entry(self, engine: Engine) -> None:
        """No pending count can replace an entry."""
        lists, key = filled(range(30)), numbered(50).key
        left = 3

        def is_locked(_pk: str, sk: str) -> bool:
            nonlocal left
            left -= sk == key
            return sk == key and left >= 0

        engine.is_locked = is_locked
        lists.do(*inserts(50))
        assert left == -1
        assert lists.tree.rows.pending() == []
        lists.check()

    @pytest.mark.parametrize("levels", [None, 2])
    def test_first_entries_of_a_list_can_be_pending(
        self, engine: Engine, levels: int | None
    ) -> None:
        """Others are creating its nodes; if they don't, the folder does."""
        lists = TwoLists(tree(f"list#{uuid4()}", levels=levels))
        engine.is_locked = lambda _pk, sk: sk[0].isdigit()
        lists.do(*inserts(1, 2, 3, 4, 5))
        lists.do(*deletes(2))
        engine.is_locked = None
        assert nodes(lists) == []
        lists.check()
        lists.tree.fold()
        assert lists.tree.rows.pending() == []
        lists.check()

    def test_conflicting_pending_write_is_a_lost_race(self) -> None:
        """The entries' conditions are the same."""
        lists = filled(range(30))
        changed: list[Operation] = [(numbered(7, "pending"), numbered(7))]
        for wrong in (inserts(7), deletes(99), changed):
            changes = Changes()
            apply(lists.tree, wrong)(changes)
            with counted_later(), pytest.raises(LostRace):
                changes.commit()
        assert lists.tree.rows.pending() == []
        lists.check()

    def test_payload_change_has_no_pending_count(self, engine: Engine) -> None:
        """No node counts a payload, so nothing is pending."""
        lists = filled(range(30))
        old = numbered(7)
        with counted_later():
            lists.do((old, type(old)(old.key, old.values, "another")))
        assert lists.tree.rows.pending() == []
        lists.check()

    def test_some_writes_fold_at_random(
        self, engine: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """One of so many entries folds all of them."""
        monkeypatch.setattr(writing, "_FOLD_EVERY", 1)
        lists = filled(range(30))
        with counted_later():
            lists.do(*inserts(100))
        assert lists.tree.rows.pending() == []
        lists.check()


@pytest.mark.usefixtures("engine")
class TestFolding:
    """Many counts at once, as many as a transaction takes."""

    def test_all_pending_counts_are_applied_and_full_nodes_split(self) -> None:
        lists = filled(range(12))
        with counted_later():
            for number in range(12, 300):
                lists.do(*inserts(number))
        assert len(lists.tree.rows.pending()) == 288
        lists.check_whole()
        lists.tree.fold()
        assert lists.tree.rows.pending() == []
        lists.check()

    @pytest.mark.parametrize("max_items", [5, 9, 14])
    def test_large_unit_is_folded_in_parts(self, max_items: int) -> None:
        """The unit's entries are below more nodes than a transaction has room for."""
        lists = filled(range(0, 400, 5))
        with counted_later():
            lists.do(*inserts(*range(1, 400, 10)))
        folder, folds = Folder(lists.tree.rows, max_items), 0
        while folder.fold():
            folds += 1
            lists.check_whole()
        assert lists.tree.rows.pending() == []
        assert folds > 1
        lists.check()

    def test_pending_counts_of_an_importer_are_folded(self) -> None:
        """A writer that remembers the nodes continues with them afterwards."""
        lists, importer = filled(range(60)), Importer()
        for first in range(100, 160, 6):
            done = inserts(*range(first, first + 6))
            if first % 4:
                with counted_later():
                    importer.do(lists.tree, done)
            else:
                importer.do(lists.tree, done)
            lists.note(*done)
            lists.check_whole()
        lists.tree.fold()
        lists.check()

    def test_fold_yields_to_another_transaction(self, engine: Engine) -> None:
        """It holds the nodes or is folding: the next folder counts the rest."""
        lists = filled(range(30))
        with counted_later():
            lists.do(*inserts(100))
        for is_locked in (lambda _pk, sk: sk[0].isdigit(), lambda _pk, sk: sk[0] == "~"):
            engine.is_locked = is_locked
            calls = len(engine.calls)
            lists.tree.fold()
            assert engine.calls[calls:].count("TransactWriteItems") == 1
            engine.is_locked = None
        assert len(lists.tree.rows.pending()) == 1
        lists.check()

    def test_fold_ends_while_others_write(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Writers that continue don't keep the folder from answering."""
        lists, plain = filled(range(30)), Folder.fold
        left = iter(range(100, 150))

        def fold(folder: Folder) -> object:
            with counted_later():
                lists.do(*inserts(next(left)))
            return plain(folder)

        monkeypatch.setattr(Folder, "fold", fold)
        lists.tree.fold()
        assert lists.tree.rows.pending() == []
        assert len(lists.model) < 30 + 10
        lists.check()

    def test_split_folds_remaining_pending_counts(self) -> None:
        """Otherwise every page would read the last pending counts until the next contention."""
        lists = filled(range(30), tree(f"list#{uuid4()}", fan_out=3))
        with counted_later():
            lists.do(*inserts(100))
        for number in range(200, 208):
            lists.do(*inserts(number))
        assert lists.tree.rows.pending() == []
        lists.check()


LATER: dict[str, list[Operation]] = {
    "new at the end": inserts(500, 501),
    "new all over": inserts(*range(3, 400, 60)),
    "changed": [(numbered(200), numbered(200, "refunded"))],
    "gone": deletes(200, 210, 390),
    "at another place": moves((200, 391), (390, 11)),
    "near by": moves((200, 261)),
}


def built(pending: list[Operation]) -> TwoLists:
    """40 entries whose last leaf is nearly full, and pending counts."""
    lists = TwoLists(tree(f"list#{uuid4()}", 2, 3))
    for first in range(0, 400, 80):
        lists.do(*inserts(*range(first, first + 80, 10)))
    with counted_later():
        lists.do(*pending)
    return lists


@pytest.mark.parametrize("later", LATER)
class TestConcurrentProcesses:
    """Between any two calls of another process."""

    def test_pending_write_during_a_split(self, engine: Engine, later: str) -> None:
        """The pieces are counted as the node was before."""

        def act(lists: TwoLists) -> None:
            with counted_later():
                lists.do(*LATER[later])

        def work(lists: TwoLists) -> None:
            done = inserts(*range(201, 207), 601, 602, 603, 604)
            commit_anew(apply(lists.tree, done))
            lists.note(*done)

        each_pause(engine, built([]), act, work)

    def test_pending_write_during_a_fold(self, engine: Engine, later: str) -> None:
        def act(lists: TwoLists) -> None:
            with counted_later():
                lists.do(*inserts(7, 507))

        each_pause(engine, built(LATER[later]), act, lambda lists: lists.tree.fold())

    def test_concurrent_folds(self, engine: Engine, later: str) -> None:
        each_pause(
            engine,
            built(LATER[later]),
            lambda lists: lists.tree.fold(),
            lambda lists: lists.tree.fold(),
        )

    def test_immediate_write_during_a_fold(self, engine: Engine, later: str) -> None:
        def act(lists: TwoLists) -> None:
            lists.do(*inserts(*range(211, 217), 701, 702, 703))

        each_pause(engine, built(LATER[later]), act, lambda lists: lists.tree.fold())

    def test_fold_during_a_read_changes_no_result(self, engine: Engine, later: str) -> None:
        """A fold moves counts from one row to another, and changes nothing else."""
        before = built(LATER[later])
        restore = engine.snapshot()
        requests = (PageRequest(1, 7), PageRequest(4, 7), PageRequest(100, 7))
        filters = (None, STATUS.among("paid"))
        # A move has one end in some of them, and nothing to add to the nodes above both ends.
        ranges = (EVERYTHING, *(KeyRange(hi=numbered(end).key) for end in range(205, 300, 20)))
        for request, by, within in product(requests, filters, ranges):
            acted, number = True, 0
            while acted:
                number += 1
                restore()
                acted = paused(
                    engine,
                    number,
                    before.tree.fold,
                    partial(before.check_page, request, by=by, within=within),
                )

    def test_killed_while_folding_leaves_a_correct_list(self, engine: Engine, later: str) -> None:
        before = built(LATER[later])
        restore = engine.snapshot()
        died, number = True, 0

        def die() -> None:
            raise Killed

        while died:
            number += 1
            restore()
            died = False
            try:
                paused(engine, number, die, before.tree.fold)
            except Killed:
                died = True
            before.check_whole()
            before.tree.fold()
            assert before.tree.rows.pending() == []
            before.check_whole()
        assert number > 3


@pytest.mark.usefixtures("engine")
def test_repeated_changes_of_one_entry_while_a_leaf_is_split() -> None:
    """The split can't know which of its states the leaf counts, so it is left to the next write."""
    lists = filled(range(30), tree(f"list#{uuid4()}", fan_out=3))
    with counted_later():
        for status in ("pending", "paid", "pending", "refunded"):
            old = lists.model[numbered(29).key]
            lists.do(
                (old, numbered(29, status))
                if old != numbered(29, status)
                else (None, numbered(900))
            )
    for number in range(30, 60):
        lists.do(*inserts(number))
    lists.check()


def test_pending_counts_are_rows_of_the_nodes_partition(engine: Engine) -> None:
    """It is in the nodes' partition, and is deleted with them."""
    lists = TwoLists(Tree(f"list#{uuid4()}", FIELDS))
    lists.do(*inserts(1))
    with counted_later():
        lists.do(*inserts(2, 3))
    kinds = [raw["kind"]["S"] for raw in engine.items[lists.tree.rows.nodes_partition].values()]
    assert sorted(kinds) == ["node", "pending_count"]
    assert faults(lists.tree) == []
    with suppress(LostRace):
        Folder(lists.tree.rows, max_items=1).fold()
    assert len(lists.tree.rows.pending()) == 1
