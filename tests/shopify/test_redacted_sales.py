"""A redacted shop's orders don't count as sales any more."""

import json
from typing import Any

import pytest

from storepost.catalog.products.model import product_id
from storepost.orders.keys import order_id
from storepost.orders.messages import ProductSalesMessage
from storepost.overview.product_sales import counting
from storepost.overview.product_sales.repository import CountedOrderItem
from storepost.sync.webhooks import privacy
from tests.harness.crash_points import crashes
from tests.harness.world import Someone
from tests.shopify.hooks import ORDER, Hooks, line_body, order_body
from tests.shopify.privacy_requests import remove_app, shop_redaction
from tests.shopify.shops import Shopify
from tests.shopify.test_forged_hooks import REDACTION

TEA, CUP = 632910392, 632910393


@pytest.fixture
def sold(hooks: Hooks) -> Hooks:
    """An order of two products that the shop has."""
    for number in (TEA, CUP):
        variant = {"id": number, "title": "One", "price": "20.00"}
        body = {"id": number, "title": "Tea", "updated_at": "2026-01-05T10:00:00Z"}
        hooks.notify("products/create", {**body, "status": "active", "variants": [variant]})
    lines = [line_body(product_id=TEA), line_body(product_id=CUP, quantity=1)]
    hooks.notify("orders/create", order_body(line_items=lines))
    return hooks


def sales(hooks: Hooks, owner: Someone) -> list[tuple[int, int]]:
    """Orders and units of both products."""
    found: list[tuple[int, int]] = []
    for number in (TEA, CUP):
        path = f"/products/{product_id(hooks.store.id, str(number))}/sales"
        answer: Any = owner.call("GET", path)
        assert answer.status == 200, answer.body
        found.append((answer.json["orders"], answer.json["units"]))
    return found


def counted(hooks: Hooks) -> list[CountedOrderItem]:
    """The rows that record what is counted of an order."""
    return [row for row in hooks.world.rows() if isinstance(row, CountedOrderItem)]


@pytest.mark.parametrize("max_rows", [2, counting.MAX_ROWS])
def test_order_is_subtracted_from_sales(
    sold: Hooks, owner: Someone, monkeypatch: pytest.MonkeyPatch, max_rows: int
) -> None:
    monkeypatch.setattr(counting, "MAX_ROWS", max_rows)
    assert sales(sold, owner) == [(1, 2), (1, 1)]
    remove_app(sold)
    sold.notify("shop/redact", REDACTION)
    assert sold.order() is None
    assert sales(sold, owner) == [(0, 0), (0, 0)]
    assert counted(sold) == []


def test_order_sent_again_is_counted_once(sold: Hooks, owner: Someone, shopify: Shopify) -> None:
    remove_app(sold)
    sold.notify("shop/redact", REDACTION)
    shopify.connect(owner, sold.workspace)
    sold.world.deliver()
    sold.notify("orders/create", order_body(line_items=[line_body(product_id=TEA)]))
    assert sales(sold, owner) == [(1, 2), (0, 0)]
    order = order_id(sold.store.id, str(ORDER))
    late = ProductSalesMessage(sold.workspace.id, order, str(sold.store.id))
    counting.count_orders([late])
    assert sales(sold, owner) == [(1, 2), (0, 0)]


def test_killed_at_any_call(sold: Hooks, owner: Someone, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MAX_ROWS", 2)
    remove_app(sold)
    webhook = shop_redaction(json.dumps(REDACTION).encode())
    privacy.shop_redacted(webhook, lambda: 10**6)
    order = order_id(sold.store.id, str(ORDER))
    message = ProductSalesMessage(sold.workspace.id, order, str(sold.store.id))

    def work() -> None:
        counting.count_orders([message])

    found = crashes(sold.world, work, deliver=False)
    assert len(found.positions) > 6
    for positions in found:
        work()
        sold.world.deliver()
        assert (sales(sold, owner), counted(sold)) == ([(0, 0), (0, 0)], []), positions
