"""Orders on their way from a request to the table and back, as docs/architecture.md shows it."""

from tests.docs.walks import walking
from tests.harness.world import Someone, World
from tests.orders.sample import order, put


def test_order_is_put(world: World, owner: Someone, store: str) -> None:
    with walking("One request: an order is put"):
        assert put(world, owner, store, "o-1", order()).status == 201


def test_page_of_orders(world: World, owner: Someone, store: str) -> None:
    assert put(world, owner, store, "o-1", order()).status == 201
    with walking("A page of orders"):
        assert world.call("GET", "/orders", token=owner.token).json["total"] == 1
