"""Eight writers put and delete orders in one list of a store, and every page stays right."""

import json
import random
from collections.abc import Iterator
from datetime import timedelta
from itertools import count
from typing import Any
from uuid import UUID

import pytest

from storepost.orders.trees import OrderList
from storepost.platform.persistence.counted_tree.checking import faults
from storepost.platform.persistence.counted_tree.rows import TOP_NODES
from storepost.values import clock
from tests.concurrency.containers import containers
from tests.concurrency.requests import request
from tests.harness.world import Someone, World
from tests.orders.sample import order

pytestmark = pytest.mark.dynoxide

WRITERS, ORDERS = 8, 3_000
SPAN = timedelta(days=60)
"""The time range of the orders, up to now: half of them are old enough to be packed."""
START = clock.now() - SPAN


def events_of(writer: int, by: Someone, store: str) -> Iterator[dict[str, Any]]:
    """Yields one writer's requests: orders at random times in the range, and some deletions."""
    chance = random.Random(writer)
    for number in range(ORDERS // WRITERS):
        path = f"/stores/{store}/orders/o-{writer}-{number}"
        placed = clock.to_text(START + chance.random() * SPAN)
        body = order(number=f"#{writer}-{number}", placedAt=placed, updatedAt=placed, customer=None)
        yield request("PUT", path, by, body)
        if number % 10 == 9:
            gone = f"/stores/{store}/orders/o-{writer}-{chance.randrange(number - 9, number)}"
            yield request("DELETE", gone, by)


def listed(by: Someone, **query: object) -> Iterator[tuple[int, list[Any]]]:
    """Yields every page's total and items."""
    for page in count(1):
        answer = by.call("GET", "/orders", query={"page": page, "pageSize": 100, **query})
        assert answer.status == 200
        yield answer.json["total"], answer.json["items"]
        if not answer.json["items"]:
            return


def test_pages_and_totals_are_exact(world: World) -> None:
    owner = world.person()
    workspace = world.workspace(owner)
    store = world.store(owner)
    events = [list(events_of(writer, owner, store)) for writer in range(WRITERS)]
    with containers(WRITERS) as writers:
        answers = writers.in_turn(events, again=["conflict"])

    expected: dict[str, tuple[str, str]] = {}
    for sent, responses in zip(events, answers, strict=True):
        for event, answer in zip(sent, responses, strict=True):
            assert answer.status in {201, 204}, answer.body
            if answer.status == 201:
                made = json.loads(answer.body)
                expected[event["rawPath"]] = (made["placedAt"], made["id"])
            else:
                del expected[event["rawPath"]]
    newest_first = sorted(expected.values(), reverse=True)
    for query in ({}, {"storeId": store}):
        pages = list(listed(owner, **query))
        assert {total for total, _ in pages} == {len(expected)}
        shown = [(item["placedAt"], item["id"]) for _, items in pages for item in items]
        assert shown == newest_first
    for tree in (OrderList(workspace).tree, OrderList(workspace, UUID(store)).tree):
        assert faults(tree) == []
    nodes, _ = OrderList(workspace).tree.rows.everything()
    # Enough nodes for a new level, unless a write conflicted with that split each time.
    assert len(nodes) >= TOP_NODES
    assert any(node.page for node in nodes), "the older orders are packed"
    # Without refusals, no two writers conflicted.
    assert writers.refused["TransactWriteItems"] > 0
    print(f"\n{WRITERS} writers, {ORDERS} orders: {dict(writers.refused)}, {dict(writers.again)}")
