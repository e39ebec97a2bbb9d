"""Orders whose messages arrive together: they are counted in shared transactions."""

import random
from collections import Counter
from typing import Any
from uuid import UUID

import pytest

from local import aws
from local.events.pumps import pump_queue
from storepost.orders.messages import ProductSalesMessage
from storepost.overview.product_sales import counting
from storepost.overview.product_sales.repository import SalesItem
from tests.catalog.products.state import store_of
from tests.harness.call_interruption import Side, around_calls, at_call
from tests.harness.crash_points import crashes
from tests.harness.world import Someone, World
from tests.orders.sample import eur, order, put

QUEUE = "ProductSalesQueue"
DAYS = ("2026-03-01", "2026-03-02")


class Orders:
    """A store's orders, and the sales that follow from them by plain addition."""

    def __init__(self, world: World, owner: Someone, store: str) -> None:
        self.world, self.owner, self.store = world, owner, store
        self.workspace = store_of(world, store).workspace
        self._updates = 0
        self.ids: dict[str, str] = {}
        self.sold: dict[str, Counter[tuple[str, str]]] = {}
        """Units of each order, by product and day."""

    def put(self, number: str, day: str, lines: dict[str, int]) -> None:
        """Puts an order of so many units of each product."""
        items = [
            {
                **{"title": "x", "quantity": units, "unitPrice": eur(7), "totalDiscount": eur(0)},
                "productExternalId": product,
            }
            for product, units in lines.items()
        ]
        placed = f"{day}T10:00:00Z"
        self._updates += 1
        updated = f"2027-01-01T10:{self._updates:02}:00Z"
        body = order(lineItems=items, placedAt=placed, updatedAt=updated, discountCodes=[])
        answer = put(self.owner, self.store, number, body)
        assert answer.status in {200, 201}, answer.body
        self.ids[number] = str(answer.json["id"])
        self.sold[number] = Counter({(product, day): units for product, units in lines.items()})

    def delete(self, number: str) -> None:
        """Deletes an order."""
        assert self.owner.call("DELETE", f"/stores/{self.store}/orders/{number}").status == 204
        del self.sold[number]

    @property
    def messages(self) -> list[ProductSalesMessage]:
        """One of each order."""
        return [ProductSalesMessage(self.workspace.id, UUID(each)) for each in self.ids.values()]

    def expected(self) -> list[tuple[int, int]]:
        """Returns the orders and units of each product and day."""
        orders, units = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
        for sold in self.sold.values():
            orders.update(sold.keys())
            units.update(sold)
        return sorted((orders[each], units[each]) for each in orders)

    def counted(self) -> list[tuple[int, int]]:
        """Returns what is stored of the same, without what is nothing any more."""
        rows = [row for row in self.world.rows() if isinstance(row, SalesItem)]
        assert all(row.revenue == 7 * row.units for row in rows)
        return sorted((int(row.orders), int(row.units)) for row in rows if row.orders)


@pytest.fixture
def orders(world: World, owner: Someone, store: str) -> Orders:
    """A store without orders."""
    return Orders(world, owner, store)


def test_orders_of_one_day_share_a_transaction(orders: Orders) -> None:
    for number in range(3):
        orders.put(f"o-{number}", DAYS[0], {"p-1": 1, "p-2": number + 1})
    with around_calls(lambda *_: None) as calls:
        counting.count_orders(orders.messages * 2)
    assert calls.made == ["BatchGetItem", "BatchGetItem", "TransactWriteItems"]
    assert orders.counted() == orders.expected() == [(3, 3), (3, 6)]


@pytest.mark.parametrize("seed", range(6))
def test_any_batches_add_up(orders: Orders, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Orders are put, changed and deleted, and their messages arrive in any batches, also twice."""
    choose = random.Random(seed)
    monkeypatch.setattr(counting, "MAX_ROWS", choose.choice([3, 5, 90]))
    for _ in range(20):
        number = f"o-{choose.randrange(6)}"
        if number in orders.sold and choose.random() < 0.2:
            orders.delete(number)
        else:
            products = choose.sample(["p-1", "p-2", "p-3", "p-4"], choose.randint(1, 4))
            lines = {product: choose.randint(1, 3) for product in products}
            orders.put(number, choose.choice(DAYS), lines)
        if choose.random() < 0.4:
            counting.count_orders(choose.choices(orders.messages, k=choose.randint(1, 8)))
    counting.count_orders(orders.messages)
    assert orders.counted() == orders.expected()


def prepared(orders: Orders) -> None:
    """Two counted orders, one of which has since changed, and one new one."""
    orders.put("1", DAYS[0], {"p-1": 1, "p-2": 1})
    orders.put("2", DAYS[0], {"p-1": 2})
    counting.count_orders(orders.messages)
    orders.put("2", DAYS[0], {"p-1": 1, "p-3": 4})
    orders.delete("1")
    orders.put("3", DAYS[1], {"p-1": 5, "p-2": 1, "p-3": 1})


def test_killed_at_any_call(orders: Orders, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MAX_ROWS", 3)
    prepared(orders)
    found = crashes(orders.world, lambda: counting.count_orders(orders.messages), deliver=False)
    assert len(found.positions) > 10
    for positions in found:
        counting.count_orders(orders.messages)
        assert orders.counted() == orders.expected(), positions


@pytest.mark.parametrize("number", range(1, 4))
@pytest.mark.parametrize("side", Side)
def test_batches_that_overlap(orders: Orders, number: int, side: Side) -> None:
    """Another batch, with changed orders, is counted between two calls of the first."""
    prepared(orders)
    first = orders.messages

    def count_others() -> None:
        orders.put("2", DAYS[1], {"p-2": 3})
        orders.delete("3")
        counting.count_orders(orders.messages[1:])

    with at_call(number, count_others, side):
        counting.count_orders(first)
    counting.count_orders(orders.messages)
    assert orders.counted() == orders.expected()


def test_orders_of_several_workspaces(orders: Orders, world: World) -> None:
    stranger = world.owner()
    other = Orders(world, stranger, str(world.store(stranger)))
    orders.put("1", DAYS[0], {"p-1": 1})
    other.put("1", DAYS[0], {"p-1": 2})
    counting.count_orders([*orders.messages, *other.messages])
    assert orders.counted() == [(1, 1), (1, 2)]


def test_unreadable_message_fails_alone(orders: Orders) -> None:
    for number in range(2):
        orders.put(f"o-{number}", DAYS[0], {"p-1": 1})
    orders.world.relay()
    sqs, url = aws.client("sqs"), aws.queue_url(QUEUE)
    sqs.send_message(QueueUrl=url, MessageBody='{"workspaceId": 7}')
    assert pump_queue(QUEUE) == 3
    assert orders.counted() == orders.expected()
    depth: Any = aws.queue_depth(QUEUE)
    assert sum(depth.values()) == 1
