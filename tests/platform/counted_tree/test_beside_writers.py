"""A reader's answers while a list is written between any two of its calls.

The lists have three levels or more of few entries, and leaves with pages. Answers are compared with
the plain list as it was between the reader's first call and its last. If a page lies below two
nodes, its rows and its total may be those of two such moments.
"""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import combinations, islice
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storepost.platform.persistence.counted_tree import (
    EVERYTHING,
    Filter,
    KeyRange,
    TreeEntry,
    moments,
)
from storepost.platform.persistence.item import connection
from storepost.values.pagination import PageRequest
from tests.platform.counted_tree.beside_writers import (
    END,
    LOADED,
    REQUESTS,
    Answered,
    Model,
    answered,
    at_the_end,
    loaded,
    near,
    page_of,
)
from tests.platform.counted_tree.engine import Engine
from tests.platform.counted_tree.lists import START, STATUS, Operation, TwoLists, numbered

pytestmark = pytest.mark.usefixtures("folds_on_demand")

PAID = STATUS.among("paid")
DEEP = [PageRequest(n, 7) for n in (5, 9, 20, 38, 43)]
"""All of their leaves have pages, and are read whole."""


@pytest.mark.parametrize("later", [False, True], ids=["at once", "later"])
@pytest.mark.parametrize("several", [1, 3])
@pytest.mark.parametrize("request_", DEEP, ids=lambda request: f"page {request.number}")
class TestSnapshotReads:
    """An answer is the list at one moment between the reader's first call and its last."""

    def test_page_is_a_snapshot_during_appends(
        self, engine: Engine, request_: PageRequest, several: int, later: bool
    ) -> None:
        lists = loaded()
        found = answered(
            engine,
            lists,
            lambda: lists.tree.page(request_, descending=True),
            at_the_end(several),
            later=later,
        )
        answers = [page_of(state, request_) for state in found.states]
        assert (list(found.listing.items), found.listing.total) in answers
        lists.check_whole()

    @pytest.mark.parametrize("by", [None, PAID], ids=["all", "of a filter"])
    def test_page_is_a_snapshot_during_writes_to_the_same_leaf(
        self, engine: Engine, request_: PageRequest, several: int, later: bool, by: Filter | None
    ) -> None:
        lists = loaded()
        last = page_of(lists.model, request_)[0][0].payload
        assert isinstance(last, int)
        found = answered(
            engine,
            lists,
            lambda: lists.tree.page(request_, descending=True, by=by),
            near(last - 2, several),
            later=later,
        )
        answers = [page_of(state, request_, by=by) for state in found.states]
        if by is None and spans_nodes(lists, found.listing.items):
            assert is_right_in_parts(found, answers)
        else:
            assert (list(found.listing.items), found.listing.total) in answers
        lists.check_whole()


def spans_nodes(lists: TwoLists, items: Sequence[TreeEntry]) -> bool:
    """Whether a page's last entry is below another node than its first."""
    nodes = lists.tree.rows
    return bool(items) and nodes.floor(1, items[0].key) != nodes.floor(1, items[-1].key)


def is_right_in_parts(found: Answered, answers: Sequence[tuple[list[TreeEntry], int]]) -> bool:
    """Whether the rows are those of one moment, and the total is that of this or an earlier one."""
    rows = [rows for rows, _ in answers]
    if list(found.listing.items) not in rows:
        return False
    return found.listing.total in [total for _, total in answers][: 1 + last(rows, found)]


def last(rows: Sequence[list[TreeEntry]], found: Answered) -> int:
    """The position of the last state with those rows."""
    return max(n for n, each in enumerate(rows) if each == list(found.listing.items))


@pytest.mark.parametrize("request_", REQUESTS[:3], ids=lambda request: f"page {request.number}")
def test_pages_at_the_end_are_consistent_during_appends(
    engine: Engine, request_: PageRequest
) -> None:
    """Whole leaves aren't read there: the rows may have entries newer than the total."""
    lists = loaded()
    found = answered(
        engine, lists, lambda: lists.tree.page(request_, descending=True), at_the_end(2)
    )
    assert is_right_in_parts(found, [page_of(state, request_) for state in found.states])


SINGLE = st.tuples(st.integers(0, 950), st.sampled_from(["come", "change", "go"]))


def single(lists: TwoLists, number: int, what: str) -> list[Operation]:
    """One operation on the entry of a number, or none if it isn't possible."""
    there = lists.model.get(numbered(number).key)
    if there is None:
        return [(None, numbered(number))] if what == "come" else []
    if what == "come":
        return []
    return [(there, numbered(number, "refunded") if what == "change" else None)]


@given(
    writes=st.lists(st.lists(SINGLE, max_size=2), max_size=5),
    number=st.integers(5, 45),
    by=st.sampled_from([None, None, PAID]),
    within=st.sampled_from([EVERYTHING, moments(START + timedelta(minutes=100))]),
    later=st.booleans(),
)
@settings(max_examples=60)
def test_concurrent_write_is_visible_entirely_or_not_at_all(
    writes: list[list[tuple[int, str]]],
    number: int,
    by: Filter | None,
    within: KeyRange,
    later: bool,
) -> None:
    """The answer has some of the single writes all over the list, and is exact with just those."""
    engine = Engine()
    with mock.patch.object(connection, "_make_api_call", engine.call):
        lists, request = loaded(), PageRequest(number, 7)
        before, done = dict(lists.model), list[Operation]()

        def operations() -> Iterator[list[Operation]]:
            for some in writes:
                made: list[Operation] = []
                for each in dict(some).items():
                    made += single(lists, *each)
                done.extend(made)
                yield made

        found = answered(
            engine,
            lists,
            lambda: lists.tree.page(request, descending=True, by=by, within=within),
            operations(),
            later=later,
        )
        lists.check_whole()
    possible = [
        with_some(before, some)
        for several in range(len(done) + 1)
        for some in combinations(done, several)
    ]
    answers = [page_of(model, request, by=by, within=within) for model in possible]
    if by is None and spans_nodes(lists, found.listing.items):
        assert found.listing.items in [rows for rows, _ in answers]
        assert found.listing.total in {total for _, total in answers}
    else:
        assert (list(found.listing.items), found.listing.total) in answers


def with_some(before: Model, operations: Sequence[Operation]) -> Model:
    """The list with just these writes."""
    model = dict(before)
    for old, new in operations:
        if old:
            model.pop(old.key, None)
        if new:
            model[new.key] = new
    return model


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: f"page {request.number}")
def test_entry_moved_concurrently_is_counted_once(engine: Engine, request_: PageRequest) -> None:
    """An entry moves before each of three calls: the total stays the same."""
    lists = loaded(keys_stay=False)
    moves = ([(numbered(3 * n), numbered(END + 1 + n))] for n in (150, 222, 290))
    found = answered(engine, lists, lambda: lists.tree.page(request_, descending=True), iter(moves))
    assert found.listing.total == len(LOADED)
    assert len(found.listing.items) == request_.size
    lists.check_whole()


@pytest.mark.parametrize("keys_stay", [False, True])
@pytest.mark.parametrize("within", [EVERYTHING, moments(START + timedelta(minutes=100))])
def test_scan_is_a_snapshot_during_concurrent_writes(
    engine: Engine, within: KeyRange, keys_stay: bool
) -> None:
    """All entries that a filter keeps, with three concurrent writes at the growing end."""
    lists, request = loaded(keys_stay=keys_stay), PageRequest(1, 1000)
    found = answered(
        engine,
        lists,
        lambda: lists.tree.scan(
            request, list, advised="since", descending=True, by=(PAID,), within=within
        ),
        islice(at_the_end(1), 3),
    )
    answers = [page_of(state, request, by=PAID, within=within) for state in found.states]
    assert (list(found.listing.items), found.listing.total) in answers
