"""Orders on their way from a request to the table and back, as docs/architecture.md shows it."""

from tests.docs.walks import walking
from tests.harness.world import Someone
from tests.orders.sample import order, put


def test_order_is_put(owner: Someone, store: str) -> None:
    with walking("One request: an order is put"):
        assert put(owner, store, "o-1", order()).status == 201


def test_page_of_orders(owner: Someone, store: str) -> None:
    assert put(owner, store, "o-1", order()).status == 201
    with walking("A page of orders"):
        assert owner.call("GET", "/orders").json["total"] == 1
