"""A list of orders most of which are old: its pages, and changes of an order in a page."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from storepost.orders.model import FinancialStatus, FulfillmentStatus
from storepost.orders.trees import CANCELLED, FINANCIAL, FULFILLMENT, TEST, OrderList
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.counted_tree import EVERYTHING, TreeEntry, moment_key
from storepost.platform.persistence.counted_tree.checking import faults
from storepost.values.ids import short
from tests.harness.world import Someone, World
from tests.orders.sample import order, put

ORDERS = 400
BEGAN = datetime(2024, 1, 1, tzinfo=UTC)
"""Two years before the orders of the tests."""


def grow(lists: OrderList, store: UUID) -> list[str]:
    """Lists old orders, one a day, as an import would; returns their numbers, newest first."""

    def entry(day: int) -> TreeEntry:
        payload = [f"#{day}", 100 * day, "EUR", None]
        return TreeEntry(
            moment_key(BEGAN + timedelta(days=day), uuid4()),
            {
                FINANCIAL.name: FinancialStatus.PAID if day % 50 else FinancialStatus.VOIDED,
                FULFILLMENT.name: FulfillmentStatus.FULFILLED,
                CANCELLED.name: False,
                TEST.name: False,
            },
            payload if lists.store_id else [*payload, short(store)],
        )

    def insert(changes: Changes, first: int) -> None:
        for day in range(first, first + 40):
            lists.tree.insert(changes, entry(day))

    for first in range(0, ORDERS, 40):
        commit_anew(partial(insert, first=first))
    return [f"#{day}" for day in reversed(range(ORDERS))]


def listed(by: Someone, **query: str) -> list[dict[str, Any]]:
    """All pages of the list, each with the same total."""
    items: list[dict[str, Any]] = []
    while True:
        page = {"page": str(len(items) // 50 + 1), "pageSize": "50", **query}
        answer = by.call("GET", "/orders", query=page)
        assert answer.status == 200, answer.body
        items += answer.json["items"]
        if len(answer.json["items"]) < 50:
            assert answer.json["total"] == len(items)
            return items


def test_packed_old_orders_can_be_changed_and_deleted(world: World) -> None:
    """It takes some seconds: only a long list is packed."""
    owner = world.person()
    workspace, store = world.workspace(owner), world.store(owner)
    old = order(placedAt="2024-07-01T12:00:00Z", number="#old")
    assert put(owner, store, "o-1", old).status == 201
    for lists in (OrderList(workspace), OrderList(workspace, UUID(store))):
        numbers = grow(lists, UUID(store))
        nodes, _ = lists.tree.rows.everything()
        assert any(node.page for node in nodes)
        assert len(lists.tree.rows.live(EVERYTHING)) < ORDERS
    place = numbers.index(f"#{(datetime(2024, 7, 1, tzinfo=UTC) - BEGAN).days}")
    numbers.insert(place, "#old")
    assert [item["number"] for item in listed(owner)] == numbers
    assert [item["number"] for item in listed(owner, storeId=store)] == numbers
    voided = [number for number in numbers if number != "#old" and int(number[1:]) % 50 == 0]
    assert [i["number"] for i in listed(owner, financialStatus="voided")] == voided

    changed = {**old, "financialStatus": "voided", "updatedAt": "2026-03-02T10:31:00Z"}
    assert put(owner, store, "o-1", changed).status == 200
    for query in ({}, {"storeId": store}):
        found = listed(owner, financialStatus="voided", **query)
        assert sorted([*voided, "#old"]) == sorted(item["number"] for item in found)
    gone = owner.call("DELETE", f"/stores/{store}/orders/o-1")
    assert gone.status == 204
    numbers.remove("#old")
    for query in ({}, {"storeId": store}):
        assert [item["number"] for item in listed(owner, **query)] == numbers
    for lists in (OrderList(workspace), OrderList(workspace, UUID(store))):
        assert faults(lists.tree) == []
