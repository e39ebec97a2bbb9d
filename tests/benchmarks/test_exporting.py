"""Benchmarks load what the service writes: the in-memory table holds the same rows."""

import itertools
import secrets
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.data.exporting import write_orders, write_people
from benchmarks.data.large_shop import Shop, shop
from storepost.orders.trees import OrderList
from storepost.people.profiles.lists import ProfileLists
from storepost.platform.persistence.counted_tree.checking import faults
from storepost.platform.persistence.item import Item, Key, connection, dynamodb_client
from storepost.platform.persistence.loads import in_flight
from tests.platform.counted_tree.engine import Engine

ORDERS, PEOPLE = 600, 60

type Rows = dict[Key, Any]


def write_all(owner: Shop) -> None:
    """A small shop's lists, whose pages are named alike each time."""
    numbers = itertools.count()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "token_urlsafe", lambda _: f"{next(numbers):06}")
        patch.setattr(in_flight, "CALLS_IN_FLIGHT", 1)  # else pages are named in any order
        for store in (None, 0, 1):
            write_orders(owner, ORDERS, store)
        write_people(owner, PEOPLE)


def in_table() -> Rows:
    """Every row of the table, in DynamoDB's own notation."""
    pages = dynamodb_client().get_paginator("scan").paginate(TableName=Item.Meta.table_name)
    return {(raw["pk"]["S"], raw["sk"]["S"]): raw for page in pages for raw in page["Items"]}


def in_memory(write: Callable[[], None]) -> Rows:
    """Every row written to the in-memory table."""
    engine = Engine()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connection, "_make_api_call", engine.call)
        write()
    return {(pk, sk): raw for pk, rows in engine.items.items() for sk, raw in rows.items()}


@pytest.mark.usefixtures("world")
def test_in_memory_table_equals_the_engines() -> None:
    owner = shop("small")
    write_all(owner)
    rows = in_table()
    assert in_memory(lambda: write_all(owner)) == rows
    assert any("z" in row for row in rows.values()), "a list of orders has pages"
    assert len(rows) > ORDERS


@pytest.mark.usefixtures("world")
def test_counted_trees_are_consistent() -> None:
    owner = shop("small")
    write_all(owner)
    lists = ProfileLists(owner.workspace)
    trees = [OrderList(owner.workspace, store).tree for store in (None, *owner.stores[:2])]
    trees += [lists.by_first_seen, lists.by_name, lists.by_email, lists.of_store(owner.stores[0])]
    totals = [tree.rows.everything() for tree in trees]
    assert [faults(tree) for tree in trees] == [[]] * len(trees)
    assert [len(entries) for _, entries in totals[1:3]] == [ORDERS, ORDERS // 100]
