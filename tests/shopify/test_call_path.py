"""A webhook's order on its way to the table, as docs/architecture.md shows it."""

from tests.docs.walks import walking
from tests.shopify.hooks import Hooks, order_body


def test_webhook_stores_order(hooks: Hooks) -> None:
    with walking("A webhook with an order"):
        hooks.notify("orders/create", order_body())
