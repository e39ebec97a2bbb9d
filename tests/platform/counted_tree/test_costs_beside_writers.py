"""The cost of a page with concurrent writers: the same as without."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from random import Random
from unittest import mock
from uuid import uuid4

import pytest

from benchmarks.measure.bounds import ANY, FIRST
from storepost.platform.persistence.counted_tree import Tree, TreeEntry, moment_key
from storepost.platform.persistence.counted_tree.loading import Load
from storepost.platform.persistence.counted_tree.pages import Packing
from storepost.platform.persistence.item import connection
from storepost.values.pagination import Listing, PageRequest
from storepost.values.scope import WorkspaceScope
from tests.platform.counted_tree.beside_writers import (
    END,
    REQUESTS,
    answered,
    at_the_end,
    loaded,
    near,
    page_of,
)
from tests.platform.counted_tree.engine import Engine
from tests.platform.counted_tree.lists import Operation, TwoLists, nodes_locked, numbered
from tests.platform.counted_tree.test_costs import (
    CANCELLED,
    FINANCIAL,
    FULFILLMENT,
    IS_TEST,
    START,
    order,
)

pytestmark = pytest.mark.usefixtures("folds_on_demand")

MANY = 40_000


@pytest.mark.parametrize("several", [1, 2])
@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: f"page {request.number}")
class TestPageCost:
    """As many calls as without writers, whatever is written meanwhile."""

    def test_is_bounded_during_appends(
        self, engine: Engine, request_: PageRequest, several: int
    ) -> None:
        lists = loaded()
        quiet, _ = engine.measured(lambda: lists.tree.page(request_, descending=True))
        beside = answered(
            engine,
            lists,
            lambda: lists.tree.page(request_, descending=True),
            at_the_end(several),
        )
        assert beside.calls <= quiet + several  # leaves of four: each moves the page on

    def test_is_bounded_during_writes_to_the_same_leaf(
        self, engine: Engine, request_: PageRequest, several: int
    ) -> None:
        lists = loaded()

        def ask() -> Listing[TreeEntry]:
            return lists.tree.page(request_, descending=True)

        quiet, _ = engine.measured(ask)
        last = ask().items[0].payload
        assert isinstance(last, int)
        with mock.patch.object(type(lists.tree), "_rebalance", return_value=[]):
            beside = answered(engine, lists, ask, near(last - 2, several))
        assert beside.calls <= quiet + 1


def test_pending_counts_elsewhere_add_no_calls_to_a_page(engine: Engine) -> None:
    """A fold of those counts changes no node above the page."""
    lists, request = loaded(), PageRequest(20, 7)

    def ask() -> Listing[TreeEntry]:
        return lists.tree.page(request, descending=True)

    with nodes_locked(engine):
        lists.do((None, numbered(END + 1)))
    quiet, _ = engine.measured(ask)
    last = ask().items[0].payload
    assert isinstance(last, int)
    with mock.patch.object(type(lists.tree), "_rebalance", return_value=[]):
        beside = answered(engine, lists, ask, near(last - 2, 1))
    assert beside.calls == quiet
    assert len(lists.tree.rows.pending()) == 1


def test_write_above_during_a_page_rereads_only_the_top_node(engine: Engine) -> None:
    """Rows that were read below are kept if they agree with the top node as it is by now."""
    lists, request = loaded(keys_stay=False), PageRequest(20, 7)

    def ask() -> Listing[TreeEntry]:
        return lists.tree.page(request, descending=True)

    quiet, _ = engine.measured(ask)
    last = ask().items[0].payload
    assert isinstance(last, int)
    for call in range(2, quiet):
        restore = engine.snapshot()
        model = dict(lists.model)
        one = iter([*[[]] * (call - 1), [(None, numbered(last - 1))]])
        found = answered(engine, lists, ask, one)
        assert (list(found.listing.items), found.listing.total) == page_of(lists.model, request)
        if call == 2:  # between the reads of the top and of the level below
            assert found.calls == quiet + 1
        restore()
        lists.model = model


@pytest.fixture(scope="module")
def orders() -> tuple[Engine, TwoLists]:
    """Orders on three levels, in pages: made once, in a second and a half."""
    small, random = Engine(), Random(40)
    fields = (FINANCIAL, FULFILLMENT, CANCELLED, IS_TEST)
    partition = WorkspaceScope(uuid4()).partition("orders", "placed")
    lists = TwoLists(Tree(partition, fields, packing=Packing(entries=40), keys_stay=True))
    entries = [order(number, random) for number in range(MANY)]
    with mock.patch.object(connection, "_make_api_call", small.call):
        Load(lists.tree).run(entries)
        assert lists.tree.rows.top()[0].level == 2
    return small, lists


def one_more(minute: int) -> Iterator[list[Operation]]:
    """A new order of that minute before each call."""
    random = Random(minute)
    while True:
        new = order(minute, random)
        late = START + timedelta(minutes=minute, seconds=random.random() * 59)
        yield [(None, replace(new, key=moment_key(late, new.id)))]


@pytest.mark.parametrize("place", ["quiet", "the growing end", "the very leaf", "all over"])
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("number", [1, 2, 64, 100, 112, 800, 1_500])
def test_page_cost_is_within_bounds_whatever_is_written(
    orders: tuple[Engine, TwoLists], number: int, descending: bool, place: str
) -> None:
    """The first page takes three units in two calls, others eight in four, beside writers.

    Pages 64 and 112 are below two nodes.
    """
    small, lists = orders
    restore, bound = small.snapshot(), FIRST if number == 1 else ANY
    skipped = (number - 1) * 25
    minute = {
        "the growing end": MANY + 1,
        "the very leaf": MANY - skipped - 5 if descending else skipped + 5,
        "all over": Random(number).randrange(MANY),
    }.get(place)
    with mock.patch.object(connection, "_make_api_call", small.call):
        found = answered(
            small,
            TwoLists(lists.tree),
            lambda: lists.tree.page(PageRequest(number, 25), descending=descending),
            iter(()) if minute is None else one_more(minute),
        )
    restore()
    assert len(found.listing.items) == 25
    assert found.calls <= (bound.calls or 0)
    assert found.units <= bound.units
