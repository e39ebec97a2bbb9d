"""A list's answers, the writes that it refuses, and its nodes."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from pynamodb.exceptions import VerboseClientError

from storepost.platform.persistence.changes import (
    MAX_ITEMS,
    Changes,
    LostRace,
    TooManyWrites,
    commit_anew,
)
from storepost.platform.persistence.counted_tree import (
    KeyRange,
    Tree,
    TreeEntry,
    moment_key,
    moments,
)
from storepost.platform.persistence.counted_tree.checking import faults
from storepost.platform.persistence.item import Item
from storepost.values.pagination import PageRequest
from storepost.values.problems import NotFound
from tests.platform.counted_tree.engine import Engine, Killed
from tests.platform.counted_tree.lists import (
    FIELDS,
    START,
    STATUS,
    TEST,
    Importer,
    Operation,
    TwoLists,
    apply,
    entry,
    numbered,
    tree,
)


def filled(numbers: range, of: Tree | None = None) -> TwoLists:
    """A list of numbered entries, several of them in each transaction."""
    lists = TwoLists(of or tree(f"list#{uuid4()}"))
    for first in range(numbers.start, numbers.stop, 10):
        batch = range(first, min(first + 10, numbers.stop))
        lists.do(*((None, numbered(number)) for number in batch))
    return lists


def stored(of: Tree) -> tuple[object, object]:
    """All of the list's rows."""
    return of.rows.everything()


@pytest.mark.usefixtures("engine")
class TestPages:
    """Reading."""

    def test_empty_list_needs_no_setup(self) -> None:
        """It has no row before the first insert."""
        empty = TwoLists(tree("list#empty"))
        for by in (None, STATUS.among("paid")):
            empty.check_page(PageRequest(), by=by, within=moments(until=START))
            empty.check_page(PageRequest(3, 10), by=by, descending=True)
        assert empty.tree.scan(PageRequest(), list, advised="q").total == 0
        assert stored(empty.tree) == ([], [])
        assert faults(empty.tree) == []

    def test_random_entry_is_any_that_matches_the_filter(self) -> None:
        """Every entry is equally likely, so that concurrent draws seldom conflict."""
        lists = TwoLists(tree("list#chance"))
        assert lists.tree.any_of(STATUS.among("paid")) is None
        for number in range(40):
            lists.do((None, numbered(number, "paid" if number % 4 else "pending")))
        some = [lists.tree.any_of(STATUS.among("pending")) for _ in range(200)]
        pending = [numbered(number, "pending") for number in range(0, 40, 4)]
        assert all(each in pending for each in some)
        assert all(each in some for each in pending)
        assert lists.tree.any_of(STATUS.among("refunded")) is None

    def test_counts_in_total_and_by_filter_value(self) -> None:
        """In all, and by the value of each filter."""
        lists = TwoLists(tree("list#counts"))
        assert not lists.tree.counts()
        for number in range(30):
            lists.do((None, numbered(number, "paid" if number % 3 else None, test=number < 4)))
        counts = lists.tree.counts()
        assert counts["n"] == 30
        assert counts[STATUS.counter("paid")] == 20
        assert counts[STATUS.counter(None)] == 10
        assert (counts[TEST.counter(True)], counts[TEST.counter(False)]) == (4, 26)

    def test_page_past_the_end_is_empty_with_the_exact_total(self) -> None:
        """A page past the end is no error (docs/interface.md, section 2)."""
        lists = filled(range(25))
        listing = lists.tree.page(PageRequest(2, 25), descending=True)
        assert (list(listing.items), listing.total) == ([], 25)
        lists.check_page(PageRequest(10**6, 100))
        lists.check_page(PageRequest(7, 25), by=STATUS.among("paid"), within=moments(since=START))

    def test_emptied_list_is_empty_and_can_be_filled_again(self) -> None:
        """It accepts entries again."""
        lists = filled(range(60))
        for number in range(60):
            lists.do((numbered(number), None))
        lists.check()
        assert lists.tree.page(PageRequest()).total == 0
        lists.do((None, numbered(3)))
        lists.check()

    def test_ranges_across_deleted_entries(self) -> None:
        """The edges of a range may be where there are no entries any more."""
        lists = filled(range(300))
        for number in range(40, 260):
            lists.do((numbered(number), None))
        for since, until in ((0, 300), (39, 261), (40, 260), (100, 200), (20, 150), (150, 280)):
            within = moments(START + timedelta(minutes=since), START + timedelta(minutes=until))
            for descending in (False, True):
                for number in (1, 2, 5):
                    request = PageRequest(number, 10)
                    lists.check_page(request, descending=descending, within=within)
                    lists.check_page(
                        request, descending=descending, within=within, by=TEST.among(False)
                    )
        assert faults(lists.tree) == []

    def test_inverted_range_is_empty(self) -> None:
        """Its From is after its To."""
        lists = filled(range(50))
        back = KeyRange(numbered(30).key, numbered(10).key)
        lists.check_page(PageRequest(), within=back)
        lists.check_page(PageRequest(), within=back, by=STATUS.among("paid"), descending=True)
        assert lists.tree.scan(PageRequest(), list, advised="q", within=back).total == 0

    def test_five_thousand_equal_moments_are_split_by_id(self) -> None:
        """Only the ids distinguish them."""
        lists = TwoLists(Tree(f"list#{uuid4()}", FIELDS))
        keys = sorted(moment_key(START, UUID(int=n * 2**100)) for n in range(5000))
        values = numbered(0).values
        for first in range(0, 5000, 80):
            lists.do(*((None, TreeEntry(key, values)) for key in keys[first : first + 80]))
        assert faults(lists.tree) == []
        for number in (1, 2, 57, 100, 200):
            lists.check_page(PageRequest(number, 25), descending=True)
        exactly = moments(START, START + timedelta(milliseconds=1))
        lists.check_page(PageRequest(3, 100), within=exactly)
        lists.check_page(PageRequest(1, 100), within=moments(until=START))

    def test_read_ends_though_the_list_is_written_at_each_call(self, engine: Engine) -> None:
        """After some attempts the reader answers with what it read; each row was stored."""
        lists = filled(range(200))
        writes = iter(range(1000, 2000))

        def write(_operation: str) -> None:
            engine.before_call = None
            number = next(writes)
            lists.do((numbered(number - 1000), None), (None, numbered(number)))
            engine.before_call = write

        engine.before_call = write
        listing = lists.tree.page(PageRequest(4, 10))
        engine.before_call = None
        assert listing.total == 200
        assert len(listing.items) == 10
        assert next(writes) < 1100
        lists.check()


@pytest.mark.usefixtures("engine")
class TestWrites:
    """The writes of a transaction, and the operations that it refuses."""

    def test_insert_of_an_existing_key_is_refused(self) -> None:
        """The problem is the caller's, else it is a lost race; nothing changes."""
        lists = filled(range(30))
        before = stored(lists.tree)
        for on_conflict in (NotFound(), None):
            changes = Changes()
            lists.tree.insert(changes, numbered(7, "pending"), on_conflict)
            with pytest.raises(type(on_conflict) if on_conflict else LostRace):
                changes.commit()
        assert stored(lists.tree) == before

    @pytest.mark.parametrize(
        "missing", [numbered(99), numbered(7, "pending"), numbered(7, test=True)]
    )
    def test_delete_or_move_of_a_missing_entry_is_refused(self, missing: TreeEntry) -> None:
        """Otherwise other filter values would be subtracted than were added."""
        lists = filled(range(30))
        before = stored(lists.tree)
        units: list[Callable[[Changes], None]] = [
            lambda changes: lists.tree.delete(changes, missing, NotFound()),
            lambda changes: lists.tree.move(changes, missing, numbered(50), NotFound()),
            lambda changes: lists.tree.move(changes, missing, numbered(7, None), NotFound()),
        ]
        for unit in units[: 3 if missing.key == numbered(7).key else 2]:
            changes = Changes()
            unit(changes)
            with pytest.raises(NotFound):
                changes.commit()
        assert stored(lists.tree) == before

    @pytest.mark.usefixtures("engine")
    def test_write_touches_as_many_rows_in_a_list_with_fixed_levels(self) -> None:
        """The first entry's write does, and the thousandth's: the top is wide from the start."""
        lists = TwoLists(tree(f"list#{uuid4()}", fan_out=3, top_nodes=5, levels=2))
        for number in range(200):
            lists.do((None, numbered(number)))
            changes = Changes()
            old, new = numbered(number), numbered(number, "refunded")
            lists.tree.move(changes, old, new)
            changes.commit()
            lists.note((old, new))
            assert len(changes) == 3  # the entry, its leaf, and the node above
            if number == 17:
                assert len(lists.tree.rows.top()) == 5
        assert {node.level for node in lists.tree.rows.everything()[0]} == {0, 1}
        assert len(lists.tree.rows.top()) > 5
        lists.check()

    def test_list_without_filters_deletes_by_key(self) -> None:
        """Without filters nothing else of the entry could be wrong."""
        plain = Tree(f"list#{uuid4()}", fan_out=3)
        commit_anew(apply(plain, [(None, TreeEntry("1", payload="x")), (None, TreeEntry("2"))]))
        commit_anew(apply(plain, [(TreeEntry("1"), None)]))
        assert plain.page(PageRequest()).items == [TreeEntry("2")]
        changes = Changes()
        plain.delete(changes, TreeEntry("1"))
        with pytest.raises(LostRace):
            changes.commit()

    def test_second_operation_on_the_same_key_is_refused(self) -> None:
        """Another operation on the same key is a mistake of the caller."""
        lists = filled(range(3))
        changes = Changes()
        lists.tree.insert(changes, numbered(9))
        lists.tree.delete(changes, numbered(1))
        with pytest.raises(ValueError, match="inserted twice"):
            lists.tree.insert(changes, numbered(9))
        with pytest.raises(ValueError, match="deleted twice"):
            lists.tree.delete(changes, numbered(1))
        with pytest.raises(ValueError, match="other filter values"):
            lists.tree.delete(changes, numbered(9, "pending"))

    def test_payload_change_writes_no_node(self) -> None:
        """The transaction has one write."""
        lists = filled(range(100))
        nodes, _ = stored(lists.tree)
        old = numbered(50)
        new = TreeEntry(old.key, old.values, {"total": "12.00", "tags": ["é", None]})
        changes = Changes()
        lists.tree.move(changes, old, new)
        lists.note((old, new))
        changes.commit()
        assert len(changes) == 1
        lists.check()
        assert stored(lists.tree)[0] == nodes

    def test_move_within_a_leaf_writes_no_node_above(self) -> None:
        """The transaction writes two entries and their leaf."""
        lists = filled(range(100))
        leaf = lists.tree.rows.floor(0, numbered(50).key)
        assert leaf
        first, second = lists.expected(within=leaf.range)[:2]
        between = TreeEntry(first.key[:-1] + chr(ord(first.key[-1]) + 1), first.values)
        assert first.key < between.key < second.key
        changes = Changes()
        lists.tree.move(changes, first, between)
        lists.note((first, between))
        changes.commit()
        assert len(changes) == 3
        lists.check()

    def test_batch_writes_each_node_once(self) -> None:
        """87 entries in order: an import's transaction."""
        lists = TwoLists(Tree(f"list#{uuid4()}", FIELDS))
        for first in range(0, 870, 87):
            changes = Changes()
            batch = [(None, numbered(n)) for n in range(first, first + 87)]
            apply(lists.tree, [*batch])(changes)
            lists.note(*batch)
            changes.commit()
            assert len(changes) <= MAX_ITEMS
        lists.check()

    def test_two_instances_of_a_list_share_one_unit(self) -> None:
        """Repositories are created repeatedly within one unit."""
        lists = filled(range(30))
        again = tree(lists.tree.partition)
        other = filled(range(5))
        changes = Changes()
        lists.tree.insert(changes, numbered(40))
        again.insert(changes, numbered(41))
        other.tree.insert(changes, numbered(40))
        changes.commit()
        lists.note((None, numbered(40)), (None, numbered(41)))
        other.note((None, numbered(40)))
        lists.check()
        other.check()

    def test_cleared_unit_forgets_previous_operations(self) -> None:
        """A lost race runs the handler again with the same `Changes`."""
        lists = filled(range(30))
        changes = Changes()
        lists.tree.insert(changes, numbered(40))
        changes.clear()
        lists.tree.insert(changes, numbered(41))
        changes.commit()
        lists.note((None, numbered(41)))
        lists.check()

    def test_batch_larger_than_a_transaction_raises_too_many_writes(self) -> None:
        """The caller halves it."""
        lists = filled(range(0, 900, 3))
        changes = Changes()
        apply(lists.tree, [(None, numbered(n)) for n in range(1, 270, 3)])(changes)
        with pytest.raises(TooManyWrites):
            changes.commit()
        lists.check()


class TestNodes:
    """Splits and merges, on which no answer may depend."""

    def test_throttled_split_does_not_fail_the_commit(self, engine: Engine) -> None:
        """A split that DynamoDB throttles is done with the next write."""
        lists = filled(range(5), tree(f"list#{uuid4()}", fan_out=3))
        committed = False

        def throttle(operation: str) -> None:
            nonlocal committed
            if committed:
                raise VerboseClientError(
                    {"Error": {"Code": "ThrottlingException", "Message": "slow down"}},
                    operation,
                    {"request_id": "", "table_name": ""},
                )
            committed = operation == "TransactWriteItems"

        engine.before_call = throttle
        lists.do((None, numbered(5)))
        engine.before_call = None
        assert len(lists.tree.rows.top()) == 1
        lists.check()
        lists.do((None, numbered(6)))
        assert len(lists.tree.rows.top()) == 2
        lists.check()

    @pytest.mark.parametrize("transactions", [1, 2, 3, 4])
    def test_killed_between_commit_and_splits_leaves_a_correct_list(
        self, engine: Engine, transactions: int
    ) -> None:
        """Some nodes may have been split by then; the next writes split the others."""
        lists = filled(range(17), tree(f"list#{uuid4()}", fan_out=3, top_nodes=3))
        done = 0

        def die(operation: str) -> None:
            nonlocal done
            if done == transactions:
                raise Killed
            done += operation == "TransactWriteItems"

        engine.before_call = die
        batches: list[list[Operation]] = [
            [(None, numbered(n)) for n in range(first, first + 12)] for first in range(17, 200, 12)
        ]
        with suppress(Killed):
            for batch in batches:
                lists.note(*batch)
                commit_anew(apply(lists.tree, batch))
        assert done == transactions
        engine.before_call = None
        written = {e.key for e in lists.tree.page(PageRequest(1, 300)).items}
        lists.model = {key: e for key, e in lists.model.items() if key in written}
        lists.check()
        for number in range(500, 540):
            lists.do((None, numbered(number)))
        lists.check()

    @pytest.mark.usefixtures("engine")
    def test_consecutive_writer_splits_later_into_more_nodes(self) -> None:
        """Splits were most of an import's calls.

        The next writer splits nodes that are left full.
        """
        lists, importer = TwoLists(tree(f"list#{uuid4()}", fan_out=3, top_nodes=32)), Importer()

        def insert(numbers: range) -> list[int]:
            for number in numbers:
                importer.do(lists.tree, [(None, numbered(number))])
                lists.note((None, numbered(number)))
            lists.check()
            return [node.n for node in lists.tree.rows.top()]

        assert insert(range(23)) == [23]
        assert insert(range(23, 24)) == [5] * 4 + [4]
        assert insert(range(24, 43)) == [5] * 4 + [23]
        lists.do((None, numbered(43)))
        assert [node.n for node in lists.tree.rows.top()] == [5] * 8 + [4]
        lists.check()

    @pytest.mark.usefixtures("engine")
    def test_ordered_inserts_leave_nodes_nearly_full(self) -> None:
        """Half empty nodes that get no more entries would need another level."""
        lists = TwoLists(tree(f"list#{uuid4()}", fan_out=6))
        for number in range(240):
            lists.do((None, numbered(number)))
        nodes, _ = lists.tree.rows.everything()
        leaves = sorted((node for node in nodes if not node.level), key=lambda leaf: leaf.lo)
        assert [leaf.n for leaf in leaves] == [10] * 24
        assert {node.level for node in nodes} == {0, 1}
        lists.check()

    @pytest.mark.usefixtures("engine")
    def test_entries_moved_to_the_end_leave_no_empty_nodes(self) -> None:
        """Products by changedAt do so: every change moves one to the end."""
        lists = filled(range(60))
        most = 0
        for number in range(60, 1500):
            lists.do((numbered(number - 60), numbered(number)))
            if number % 100 == 0:
                nodes, _ = lists.tree.rows.everything()
                most = max(most, len(nodes))
                lists.check()
        assert most <= 60

    @pytest.mark.usefixtures("engine")
    def test_deletes_leave_fewer_leaves_than_entries(self) -> None:
        """Only empty nodes are removed, but all of those."""
        lists = filled(range(400))
        for number in sorted(range(400), key=lambda n: n * 7919 % 401):
            lists.do((numbered(number), None))
            if number % 20 == 0:
                nodes, entries = lists.tree.rows.everything()
                leaves = [node for node in nodes if not node.level]
                assert len(leaves) <= max(1, len(entries))
                lists.check()
        nodes, _ = lists.tree.rows.everything()
        assert {node.n for node in nodes} == {0}
        assert all(
            len([n for n in nodes if n.level == level]) == 1 for level in {n.level for n in nodes}
        )


def test_rows_are_in_the_two_partitions_of_the_list(engine: Engine) -> None:
    """So a workspace's rows are found, and removed, by its keys."""
    lists = filled(range(30))
    rows = lists.tree.rows
    assert set(engine.items) == {rows.partition, rows.nodes_partition}
    kinds = {raw["kind"]["S"] for partition in engine.items.values() for raw in partition.values()}
    assert kinds == {"entry", "node"}
    sample = entry("ann", 1, None, test=True)
    assert rows.entry_item(sample).key == (rows.partition, sample.key)
    assert issubclass(type(rows.entry_item(sample)), Item)
