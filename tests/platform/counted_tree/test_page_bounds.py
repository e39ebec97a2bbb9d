"""The cost of any page, fresh and after loads all over the list, and its bounds."""

from random import Random
from unittest import mock
from uuid import uuid4

import pytest

from benchmarks.measure.bounds import ANY
from storepost.orders.trees import TOP_NODES
from storepost.platform.persistence.counted_tree import Tree, TreeEntry
from storepost.platform.persistence.counted_tree.checking import faults
from storepost.platform.persistence.counted_tree.loading import Load
from storepost.platform.persistence.counted_tree.pages import Packing
from storepost.platform.persistence.item import connection
from storepost.values.pagination import PageRequest
from storepost.values.scope import WorkspaceScope
from tests.platform.counted_tree.engine import Engine, size_of
from tests.platform.counted_tree.lists import TwoLists
from tests.platform.counted_tree.test_costs import (
    CANCELLED,
    FINANCIAL,
    FULFILLMENT,
    IS_TEST,
    order,
)

MANY, SIZE = 12_000, 25
PACKING = Packing(node_fan_out=3)
"""Three levels, with few entries: pages end below another node than they begin all the time."""


@pytest.fixture(scope="module", params=[0, 1, 3], ids=lambda loads: f"{loads} loads")
def lists(request: pytest.FixtureRequest) -> tuple[Engine, TwoLists]:
    """Orders, and then repeatedly one for ten existing ones."""
    engine, random = Engine(), Random(7)
    fields = (FINANCIAL, FULFILLMENT, CANCELLED, IS_TEST)
    partition = WorkspaceScope(uuid4()).partition("orders", "placed")
    tree = Tree(partition, fields, top_nodes=TOP_NODES, packing=PACKING, keys_stay=True)
    found = TwoLists(tree)

    def load(numbers: list[int]) -> None:
        entries = sorted((order(n, random) for n in numbers), key=lambda each: each.key)
        Load(tree).run(entries)
        found.model.update({each.key: each for each in entries})

    with mock.patch.object(connection, "_make_api_call", engine.call):
        load(list(range(MANY)))
        for _ in range(request.param):
            written = engine.written
            numbers = random.sample(range(MANY), len(found.model) // 10)
            load(numbers)
            assert (engine.written - written) / len(numbers) <= 0.5
        assert tree.rows.top()[0].level == 2
        assert faults(tree) == []
    return engine, found


@pytest.mark.parametrize("descending", [False, True])
def test_any_page_costs_at_most_the_bounds(
    lists: tuple[Engine, TwoLists], descending: bool
) -> None:
    """All pages, each compared with the plain list."""
    engine, found = lists
    entries = [entry for _, entry in sorted(found.model.items(), reverse=descending)]
    took = list[tuple[int, int]]()

    def page(number: int) -> tuple[list[TreeEntry], int]:
        listing = found.tree.page(PageRequest(number, SIZE), descending=descending)
        return list(listing.items), listing.total

    with mock.patch.object(connection, "_make_api_call", engine.call):
        for number in range(1, 1 + len(entries) // SIZE):
            calls, units = len(engine.calls), engine.units
            first = SIZE * (number - 1)
            assert page(number) == (entries[first : first + SIZE], len(entries))
            took.append((len(engine.calls) - calls, engine.units - units))
    assert max(calls for calls, _ in took) == ANY.calls
    assert max(units for _, units in took) <= ANY.units


def test_leaf_with_rows_fits_into_two_read_units(lists: tuple[Engine, TwoLists]) -> None:
    """All that a page reads of it, including its rows, fits into two read units."""
    engine, found = lists
    with mock.patch.object(connection, "_make_api_call", engine.call):
        leaves = [node for node in found.tree.rows.everything()[0] if not node.level]
    stored = engine.items[found.tree.rows.partition]
    for leaf in leaves:
        below = [size_of(item) for key, item in stored.items() if key in leaf.range]
        assert sum(below) <= 8_192
        assert len(leaf.page_keys) <= PACKING.pages
    assert sum(leaf.page is not None for leaf in leaves) > len(leaves) - 10


def test_page_names_omit_the_leaf_key(lists: tuple[Engine, TwoLists]) -> None:
    """Each node above the page is read, and has the names of all pages below it."""
    engine, found = lists
    with mock.patch.object(connection, "_make_api_call", engine.call):
        nodes, _ = found.tree.rows.everything()
    named = [node for node in nodes if node.page]
    assert named
    assert not [node.page for node in named if node.lo in (node.page or "")]
