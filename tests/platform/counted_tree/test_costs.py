"""The cost of a page, in calls and read units on the small engine; 20,001 orders."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random
from unittest import mock
from uuid import UUID, uuid4

import pytest

from storepost.platform.persistence.counted_tree import (
    FilterField,
    Tree,
    TreeEntry,
    moment_key,
    moments,
)
from storepost.platform.persistence.item import connection
from storepost.values.pagination import MAX_ROWS, FilterTooBroad, PageRequest
from storepost.values.scope import WorkspaceScope
from tests.platform.counted_tree.engine import Engine, size_of
from tests.platform.counted_tree.lists import Importer, Operation, TwoLists

FINANCIAL = FilterField(
    "financialStatus",
    "f",
    {
        "pending": "A",
        "authorized": "B",
        "partially_paid": "C",
        "paid": "D",
        "partially_refunded": "E",
        "refunded": "F",
        "voided": "G",
    },
)
FULFILLMENT = FilterField(
    "fulfillmentStatus",
    "u",
    {"unfulfilled": "A", "partially_fulfilled": "B", "fulfilled": "C", "restocked": "D"},
)
CANCELLED = FilterField("cancelled", "c", {False: "A", True: "B"})
IS_TEST = FilterField("isTest", "t", {False: "A", True: "B"})
ORDERS = MAX_ROWS + 1
START = datetime(2026, 1, 1, tzinfo=UTC)
MANY_PAGES = [2, 3, 17, 100, 399, 400, 401, 640, 799, 800, 801]


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    """The small engine in moto's place, for the whole module."""
    small = Engine()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connection, "_make_api_call", small.call)
        yield small


def order(number: int, random: Random) -> TreeEntry:
    """An order a minute, as its list shows it."""
    rare = number % 100 == 42
    return TreeEntry(
        moment_key(START + timedelta(minutes=number), UUID(int=random.getrandbits(128))),
        {
            "financialStatus": "voided" if rare else random.choice(FINANCIAL.values[:6]),
            "fulfillmentStatus": random.choice(FULFILLMENT.values),
            "cancelled": random.random() < 0.05,
            "isTest": False,
        },
        ["ABCDEFGHIJKLMNOPQRSTUV", f"#{number:06}", random.randrange(10**5), "EUR", "en-GB"],
    )


@pytest.fixture(scope="module")
def orders(engine: Engine) -> TwoLists:
    """A workspace's orders, imported in their order."""
    random = Random(20_001)
    partition = WorkspaceScope(uuid4()).partition("orders", "placed")
    lists = TwoLists(Tree(partition, (FINANCIAL, FULFILLMENT, CANCELLED, IS_TEST)))
    for first in range(0, ORDERS, 80):
        numbers = range(first, min(first + 80, ORDERS))
        lists.do(*((None, order(number, random)) for number in numbers))
    return lists


def test_nodes_take_190_and_orders_160_bytes_at_most(engine: Engine, orders: TwoLists) -> None:
    """A node takes at most 190 bytes, an order 160: the cost of a page follows from that."""
    rows = orders.tree.rows
    assert max(map(size_of, engine.items[rows.nodes_partition].values())) <= 190
    assert max(map(size_of, engine.items[rows.partition].values())) <= 160


@pytest.mark.parametrize("descending", [False, True])
def test_first_page_takes_two_calls_and_four_units(
    engine: Engine, orders: TwoLists, descending: bool
) -> None:
    """One call reads the total, one the rows."""
    calls, units = engine.measured(
        lambda: orders.check_page(PageRequest(1, 25), descending=descending)
    )
    assert calls <= 2
    assert units <= 4


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("number", MANY_PAGES)
def test_any_page_takes_four_calls_and_twelve_units(
    engine: Engine, orders: TwoLists, number: int, descending: bool
) -> None:
    """However deep it is, and past the end."""
    calls, units = engine.measured(
        lambda: orders.check_page(PageRequest(number, 25), descending=descending)
    )
    assert calls <= 4
    assert units <= 12


@pytest.mark.parametrize(
    ("since", "until"), [(0, 20_001), (7, 19_000), (9_000, 9_100), (5_000, 15_000)]
)
@pytest.mark.parametrize("number", [1, 3])
def test_range_with_total_takes_36_units(
    engine: Engine, orders: TwoLists, since: int, until: int, number: int
) -> None:
    """With its exact total."""
    within = moments(START + timedelta(minutes=since), START + timedelta(minutes=until))
    _, units = engine.measured(
        lambda: orders.check_page(PageRequest(number, 25), descending=True, within=within)
    )
    assert units <= 36


def inserts(minutes: range) -> list[Operation]:
    """New orders so many minutes after the first one, each half a minute after an existing one."""
    random = Random(7)
    made = [order(minute, random) for minute in minutes]
    half = timedelta(seconds=30)
    return [
        (None, replace(e, key=moment_key(START + timedelta(minutes=m) + half, e.id)))
        for m, e in zip(minutes, made, strict=True)
    ]


@pytest.mark.parametrize(
    ("minutes", "calls", "units"),
    [
        (range(9_000, 9_001), 3, 2),
        (range(9_000, 9_020), 5, 6),
        (range(0, 20_000, 1_000), 6, 48),
        (range(0, 20_000, 10_000), 5, 4),
    ],
    ids=["one", "neighbours", "twenty all over", "two far apart"],
)
def test_insert_reads_one_or_two_queries_per_level(
    engine: Engine, orders: TwoLists, minutes: range, calls: int, units: int
) -> None:
    """This holds for any number of entries; two far apart read at most one more node each."""
    restore = engine.snapshot()
    lists = TwoLists(orders.tree, dict(orders.model))
    operations = inserts(minutes)
    with mock.patch.object(
        Tree, "_rebalance"
    ):  # whether something is to be split is another test's question
        made, read = engine.measured(lambda: lists.do(*operations))
    assert made <= calls
    assert read <= units
    lists.check_whole()
    restore()


@pytest.mark.parametrize("number", [1, 4, 8, 9])
def test_filter_matching_one_in_a_hundred_takes_150_units(
    engine: Engine, orders: TwoLists, number: int
) -> None:
    """Leaves without a match are not read."""
    _, units = engine.measured(
        lambda: orders.check_page(
            PageRequest(number, 25), descending=True, by=FINANCIAL.among("voided")
        )
    )
    assert units <= 150


def test_scan_over_the_row_limit_is_refused_as_too_broad(engine: Engine, orders: TwoLists) -> None:
    """It is refused before the rows are read."""

    def ask() -> None:
        with pytest.raises(FilterTooBroad) as refused:
            orders.tree.scan(PageRequest(), list, advised="placedFrom")
        document = refused.value.document("https://api.example.com/v1")
        assert (document["status"], document["code"]) == (422, "filter_too_broad")
        assert refused.value.errors[0].path == "query.placedFrom"

    _, units = engine.measured(ask)
    assert units <= 12


def test_scan_of_exactly_20000_rows_is_allowed(orders: TwoLists) -> None:
    """The bound itself is allowed."""
    within = moments(since=START + timedelta(minutes=1))
    rows = orders.expected(within=within, descending=True)
    listing = orders.tree.scan(
        PageRequest(2, 10),
        lambda found: [e for e in found if e.key.endswith("-")],
        advised="placedFrom",
        descending=True,
        within=within,
    )
    matching = [e for e in rows if e.key.endswith("-")]
    assert len(rows) == MAX_ROWS
    assert (list(listing.items), listing.total) == (matching[10:20], len(matching))


def test_most_selective_filter_limits_the_scan(engine: Engine, orders: TwoLists) -> None:
    """The filter that keeps the fewest rows."""
    by = (CANCELLED.among(False), FINANCIAL.among("voided"), FULFILLMENT.among("restocked"))
    expected = [
        e
        for e in orders.expected()
        if not e.values["cancelled"]
        and e.values["financialStatus"] == "voided"
        and e.values["fulfillmentStatus"] == "restocked"
    ]

    def ask() -> None:
        listing = orders.tree.scan(PageRequest(1, 25), list, advised="placedFrom", by=by)
        assert (list(listing.items), listing.total) == (expected[:25], len(expected))

    _, units = engine.measured(ask)
    assert expected
    assert units <= 600


def test_unselective_filter_is_refused_as_too_broad(orders: TwoLists) -> None:
    """The filter keeps every row."""
    with pytest.raises(FilterTooBroad):
        orders.tree.scan(PageRequest(), list, advised="q", by=(IS_TEST.among(False),))


def test_ordered_import_rereads_nodes_only_after_splits(engine: Engine) -> None:
    """A writer that remembers the nodes reads them only where one was split since."""
    random, importer = Random(7), Importer()
    partition = WorkspaceScope(uuid4()).partition("orders", "placed")
    tree = Tree(partition, (FINANCIAL, FULFILLMENT, CANCELLED, IS_TEST))
    lists, lookups = TwoLists(tree), 0
    for first in range(0, 3000, 10):
        entries = [order(number, random) for number in range(first, first + 10)]
        calls, _ = engine.measured(
            lambda rows=entries: importer.do(tree, [(None, row) for row in rows])  # type: ignore[misc]
        )
        lookups += calls - 1  # its own transaction
        lists.note(*((None, row) for row in entries))
    lists.check_whole()
    splits = 3000 // 36
    assert lookups <= 8 * splits
