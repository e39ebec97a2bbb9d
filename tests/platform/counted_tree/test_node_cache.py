"""Nodes that are remembered from one unit of work to the next."""

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from uuid import uuid4

import pytest

from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.counted_tree import node_cache
from storepost.platform.persistence.counted_tree.node_cache import (
    NodeCache,
    cached_nodes,
    read_nodes_ahead,
)
from storepost.platform.persistence.counted_tree.splitting import Splitter
from storepost.platform.persistence.counted_tree.unit_loading import ListsLoad, LoadedList
from storepost.platform.persistence.loads.in_flight import in_flight
from storepost.platform.persistence.reads import ReadAhead, Reads
from tests.platform.counted_tree.engine import Engine
from tests.platform.counted_tree.lists import Importer, TwoLists, apply, numbered, tree
from tests.platform.counted_tree.test_interleavings import inserts
from tests.platform.counted_tree.test_unit_loading import at_the_end, begun

pytestmark = pytest.mark.usefixtures("folds_on_demand")


def test_empty_list_is_read_once(engine: Engine) -> None:
    rows = tree(f"list#{uuid4()}", 3, 4).rows
    nodes = NodeCache(rows)
    assert [nodes.path(f"{n}") for n in range(9)] == [[]] * 9
    assert nodes.floors(0, ["a", "b"]) == []
    assert engine.calls == ["Query"]


@pytest.mark.usefixtures("engine")
def test_first_nodes_are_created_once_by_a_caching_writer() -> None:
    """A writer remembers that the list was empty; another writer may create the nodes meanwhile."""
    for is_alone in (True, False):
        lists, importer = TwoLists(tree(f"list#{uuid4()}", 3, 4)), Importer()
        changes = Changes(importer.reads)
        apply(lists.tree, inserts(0))(changes)
        assert changes.items == 2
        if not is_alone:
            lists.do(*inserts(500))
        for number in range(20):
            importer.do(lists.tree, inserts(number), alone=False)
            lists.note(*inserts(number))
        lists.check()


@pytest.mark.usefixtures("engine")
def test_unit_creating_the_first_nodes_is_not_followed_in_flight() -> None:
    """The next one would create them, too, and lose its race."""
    lists, reads = tree(f"list#{uuid4()}", 36, 32), ReadAhead()
    for number, may_be_followed in enumerate([False, True, True]):
        reads.next()
        changes = Changes(reads)
        apply(lists, inserts(number))(changes)
        changes.complete()
        assert changes.may_be_followed == may_be_followed
        changes.write_unit()
        changes.conclude()


def test_inner_nodes_are_read_once(engine: Engine) -> None:
    """A writer of entries all over a list of three levels doesn't read each leaf by itself."""
    lists = TwoLists(tree(f"list#{uuid4()}", 3, 4))
    for number in range(100):
        lists.do(*inserts(number))
    stored, _ = lists.tree.rows.everything()
    above = [node for node in stored if node.level]
    assert max(node.level for node in stored) >= 2
    nodes = NodeCache(lists.tree.rows)
    engine.calls.clear()
    paths = {number: nodes.path(numbered(number).key) for number in range(0, 100, 7)}
    assert len(engine.calls) <= 1 + len(above)
    for number in [*range(0, 100, 3), *range(99, 0, -2)]:
        paths[number] = nodes.path(numbered(number).key)
    assert engine.calls == ["Query"] * (1 + len(above))
    covering = {
        number: [each for each in stored if numbered(number).key in each.range] for number in paths
    }
    assert paths == {n: sorted(some, key=lambda node: node.level) for n, some in covering.items()}


def test_prefetch_reads_nodes_of_several_lists_level_by_level(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer at those keys reads nothing more, and knows what is stored."""
    lists = [TwoLists(tree(f"list#{uuid4()}", 3, 4)) for _ in range(2)]
    for number in range(100):
        for each in lists:
            each.do(*inserts(number))
    reads, rounds = ReadAhead(), list[int]()
    keys = [numbered(number).key for number in (3, 4, 31, 57, 99)]

    def noted(work: Callable[[Any], Any], things: Sequence[Any]) -> Iterator[Any]:
        rounds.append(len(things))
        return in_flight(work, things)

    monkeypatch.setattr(node_cache, "in_flight", noted)
    engine.calls.clear()
    for _ in range(2):
        read_nodes_ahead(reads, [(each.tree.rows, keys) for each in lists])
    assert len(engine.calls) == len(lists) + sum(rounds)
    assert len(rounds) == max(node.level for node in lists[0].tree.rows.top()) >= 2
    stored = [each.tree.rows.everything()[0] for each in lists]
    engine.calls.clear()
    for each, of_list in zip(lists, stored, strict=True):
        nodes = cached_nodes(reads, each.tree.rows)
        assert nodes is not None
        found = {(node.level, node.lo) for key in keys for node in nodes.path(key)}
        covering = [n for n in of_list if any(key in n.range for key in keys)]
        assert found == {(node.level, node.lo) for node in covering}
    assert engine.calls == []


def test_prefetch_without_a_cache_reads_nothing(engine: Engine) -> None:
    read_nodes_ahead(Reads(), [(tree(f"list#{uuid4()}", 3, 4).rows, ["a"])])
    assert engine.calls == []


def test_prefetch_of_an_empty_list_is_one_query_each_time(engine: Engine) -> None:
    reads, rows = ReadAhead(), tree(f"list#{uuid4()}", 3, 4).rows
    for _ in range(2):
        read_nodes_ahead(reads, [(rows, ["a", "b"])])
    assert engine.calls == ["Query"] * 2


@pytest.mark.usefixtures("engine")
def test_splits_of_several_lists_run_concurrently(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each waits for all others, which would never end if they ran one after another."""
    lists, all_there = [begun() for _ in range(5)], threading.Barrier(5, timeout=10)
    plain = Splitter.split_above

    def split_above(splitter: Splitter, key: str) -> None:
        all_there.wait()
        plain(splitter, key)

    load = ListsLoad()
    load.commit(Changes(), [(each.tree, at_the_end(6)) for each in lists])
    monkeypatch.setattr(LoadedList, "_is_tended", False)
    monkeypatch.setattr(Splitter, "split_above", split_above)
    load.commit(Changes(), [(each.tree, [numbered(600)]) for each in lists])
    for each in lists:
        each.model.update({e.key: e for e in [*at_the_end(6), numbered(600)]})
        each.check()


@pytest.mark.usefixtures("engine")
def test_additions_of_two_in_flight_units_are_both_counted() -> None:
    """The second unit is planned before the first one's additions are noted."""
    lists, reads = tree(f"list#{uuid4()}", 36, 32), ReadAhead()

    def planned(numbers: range) -> Changes:
        reads.next()
        changes = Changes(reads)
        apply(lists, inserts(*numbers))(changes)
        changes.complete()
        return changes

    for ranges in ([range(1)], [range(1, 20), range(20, 30)]):
        for changes in [planned(numbers) for numbers in ranges]:
            changes.write_unit()
            changes.conclude()
    nodes = reads.cached(("counted_tree", lists.rows.partition), lambda: NodeCache(lists.rows))
    assert nodes is not None
    for node in nodes.path(numbered(5).key):
        assert node.n == 30
