"""Two writers of one list, the second at every point where the first one's process may pause.

A pause is before any of its calls: between its reads and its commit, between a split's reads and
that split, between a merge's and that merge.
"""

from collections.abc import Callable
from functools import partial
from uuid import uuid4

import pytest

from storepost.platform.persistence.changes import commit_anew
from storepost.platform.persistence.counted_tree.pieces import LeafPieces
from storepost.platform.persistence.counted_tree.splitting import Splitter
from tests.platform.counted_tree.engine import Engine, Killed
from tests.platform.counted_tree.lists import Operation, TwoLists, apply, numbered, tree
from tests.platform.counted_tree.pausing import paused

THERE = range(0, 400, 10)


def inserts(*numbers: int) -> list[Operation]:
    """New entries."""
    return [(None, numbered(number)) for number in numbers]


def deletes(*numbers: int) -> list[Operation]:
    """Deletes of existing entries."""
    return [(numbered(number), None) for number in numbers]


def moves(*pairs: tuple[int, int]) -> list[Operation]:
    """Moves of existing entries to other places with other values."""
    return [(numbered(old), numbered(new, "refunded", test=True)) for old, new in pairs]


UNITS = {
    "one": inserts(205),
    "a leaf's worth": inserts(*range(201, 207)),
    "at the end": inserts(*range(401, 413)),
    "all over": inserts(*range(5, 400, 40)),
    "empties a leaf": deletes(200, 210, 220, 230),
    "empties a level": deletes(*range(100, 190, 10)),
    "empties the beginning": deletes(*range(0, 90, 10)),
    "empties the end": deletes(*range(300, 390, 10)),
    "deletes one": deletes(300),
    "swaps": moves((140, 141), (150, 159), (330, 261)),
}
OTHERS = {
    "a leaf's worth": inserts(*range(211, 220)),
    "all over": inserts(*range(7, 400, 40)),
    "empties neighbours": deletes(190, 240, 250, 260, 270),
    "swaps": moves((190, 207), (240, 208), (90, 7), (270, 419)),
}


def built(fan_out: int, top_nodes: int, levels: int | None = None) -> TwoLists:
    """A list of 40 entries."""
    lists = TwoLists(tree(f"list#{uuid4()}", fan_out, top_nodes, levels))
    for first in THERE[::8]:
        lists.do(*inserts(*range(first, first + 80, 10)))
    return lists


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("unit", UNITS)
def test_two_writers_interleaved_at_any_call_lose_nothing(
    engine: Engine, unit: str, other: str
) -> None:
    """One writer acts at every place between the other one's calls."""
    writes = OTHERS[other]
    assert meet(engine, built(2, 3), UNITS[unit], lambda lists: lists.do(*writes)) > 3


@pytest.mark.parametrize("unit", ["at the end", "all over", "empties a level"])
def test_two_writers_of_a_list_with_fixed_levels_lose_nothing(engine: Engine, unit: str) -> None:
    """Both writers split its top at the same time."""
    writes, before = OTHERS["all over"], built(2, 6, levels=2)
    assert meet(engine, before, UNITS[unit], lambda lists: lists.do(*writes)) > 3


def meet(
    engine: Engine, before: TwoLists, unit: list[Operation], act: Callable[[TwoLists], None]
) -> int:
    """Calls `act` before each call of a writer of `unit`; returns how many places that were."""
    restore = engine.snapshot()
    acted, number = True, 0
    while acted:
        number += 1
        restore()
        lists = TwoLists(before.tree, dict(before.model))
        work = partial(commit_anew, apply(lists.tree, unit))
        acted = paused(engine, number, partial(act, lists), work)
        lists.note(*unit)
        lists.check_whole()
    return number


@pytest.mark.parametrize("unit", UNITS)
def test_writer_killed_at_any_call_writes_all_or_nothing(engine: Engine, unit: str) -> None:
    """Before its commit nothing is written, afterwards everything, though not yet split."""

    def die() -> None:
        raise Killed

    before = built(3, 3)
    restore = engine.snapshot()
    died, number = True, 0
    while died:
        number += 1
        restore()
        lists = TwoLists(before.tree, dict(before.model))
        calls = len(engine.calls)
        work = apply(lists.tree, UNITS[unit])
        died = False
        try:
            paused(engine, number, die, partial(commit_anew, work))
        except Killed:
            died = True
        if "TransactWriteItems" in engine.calls[calls:]:
            lists.note(*UNITS[unit])
        lists.check_whole()
        lists.do(*inserts(*range(601, 620)))
        lists.check_whole()
    assert number > 3


def test_new_level_is_added_after_a_conflicting_write(engine: Engine) -> None:
    """Every write changes the top: a list that is written all day would never get a new level."""
    lists = TwoLists(tree(f"list#{uuid4()}", 2, 3))
    lists.do(*inserts(*range(0, 40, 10)))
    lists.do(*inserts(100))
    assert [node.level for node in lists.tree.rows.top()] == [0, 0]
    restore, calls = engine.snapshot(), len(engine.calls)
    raises = inserts(110, 120)
    commit_anew(apply(lists.tree, raises))
    last = len(engine.calls) - calls
    assert lists.tree.rows.top()[0].level == 1

    restore()
    other = partial(lists.do, *inserts(5))
    assert paused(engine, last, other, partial(commit_anew, apply(lists.tree, raises)))
    lists.note(*raises)
    lists.check_whole()
    assert lists.tree.rows.top()[0].level == 1


def test_merge_yields_to_a_concurrent_split_of_the_node_above(engine: Engine) -> None:
    """Otherwise the new node above would begin with the node that the merge removes."""
    before = TwoLists(tree(f"list#{uuid4()}", fan_out=3, top_nodes=1, levels=2))
    for number in range(17):
        before.do(*inserts(number))
    leaves = before.tree.rows.children(before.tree.rows.top()[0])
    assert [leaf.n for leaf in leaves] == [3, 3, 3, 3, 5]
    assert meet(engine, before, deletes(9, 10, 11), lambda lists: lists.do(*inserts(17))) > 6


def test_merge_yields_to_a_split_that_a_killed_writer_left(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the split's own write then tells the merge that the node above was cut."""
    before = TwoLists(tree(f"list#{uuid4()}", fan_out=3, top_nodes=1, levels=2))
    with monkeypatch.context() as dead:
        for number in range(17):
            before.do(*inserts(number))
        dead.setattr(Splitter, "split", lambda *_: None)
        before.do(*inserts(17))
    rows = before.tree.rows
    assert [leaf.n for leaf in rows.children(rows.top()[0])] == [3, 3, 3, 3, 6]
    split = partial(Splitter(rows, 3, 1, LeafPieces(rows)).split, 0, numbered(17).key)
    assert meet(engine, before, deletes(9, 10, 11), lambda _: split()) > 6
