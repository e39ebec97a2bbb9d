"""Events of the orders in a Shopify shop's own webhooks."""

from typing import Any
from uuid import UUID

import pytest

from tests.harness.world import World
from tests.shopify.hooks import LATER, ORDER, Hooks, money, order_body
from tests.shopify.shops import Shopify
from tests.webhooks.events.shop import Shop, of
from tests.webhooks.events.test_orders import summary


@pytest.fixture
def shopify_shop(world: World, shop: Shop, shopify: Shopify) -> Hooks:
    """The workspace's shop, whose connection was sent."""
    made = Hooks(world, shop.workspace, shopify.connect(shop.owner, shop.workspace), shopify)
    shop.delivered()
    return made


def order_id(hooks: Hooks) -> str:
    """The id that the shop's order has here."""
    found = hooks.order()
    assert found is not None
    return str(found.id)


class TestCreated:
    def test_payload_is_the_summary_and_buyer_causes_profile_created(
        self, shop: Shop, shopify_shop: Hooks
    ) -> None:
        shopify_shop.notify("orders/create", order_body())
        events = shop.events()
        assert sorted(each.type for each in events) == ["order.created", "profile.created"]
        [created] = [each for each in events if each.type == "order.created"]
        identifier = order_id(shopify_shop)
        assert (of(created), created.imported) == (("order", UUID(identifier)), False)
        assert shop.data(created) == summary(shop, identifier)

    def test_repeated_webhook_causes_one_event(self, shop: Shop, shopify_shop: Hooks) -> None:
        for _ in range(3):
            shopify_shop.notify("orders/create", order_body())
        assert shop.types().count("order.created") == 1
        shopify_shop.notify("orders/updated", order_body())
        assert shop.types() == []


class TestChanged:
    @pytest.mark.parametrize(
        ("topic", "fields", "expected"),
        [
            ("orders/updated", {"fulfillment_status": "fulfilled"}, "order.updated"),
            ("orders/updated", {"cancelled_at": LATER}, "order.cancelled"),
            ("orders/updated", {"total_price_set": money("40.00")}, "order.updated"),
            (
                "orders/updated",
                {
                    "refunds": [
                        {
                            "id": 2,
                            "transactions": [
                                {
                                    "kind": "refund",
                                    "status": "success",
                                    "amount": "20.00",
                                    "currency": "EUR",
                                }
                            ],
                        }
                    ]
                },
                "order.refunded",
            ),
        ],
        ids=["shipped", "cancelled", "another total", "refunded"],
    )
    def test_updated_cancelled_or_refunded_by_the_change(
        self,
        shop: Shop,
        shopify_shop: Hooks,
        topic: str,
        fields: dict[str, Any],
        expected: str,
    ) -> None:
        shopify_shop.notify("orders/create", order_body())
        shop.events()
        shopify_shop.notify(topic, order_body(**fields, updated_at=LATER))
        [event] = [each for each in shop.events() if each.type.startswith("order.")]
        assert event.type == expected
        assert shop.data(event) == summary(shop, order_id(shopify_shop))

    def test_older_webhook_arriving_late_causes_no_event(
        self, shop: Shop, shopify_shop: Hooks
    ) -> None:
        shopify_shop.notify("orders/updated", order_body(updated_at=LATER))
        shop.events()
        shopify_shop.notify("orders/create", order_body(fulfillment_status="fulfilled"))
        assert shop.types() == []


class TestDeleted:
    def test_payload_has_only_ids(self, shop: Shop, shopify_shop: Hooks) -> None:
        shopify_shop.notify("orders/create", order_body())
        identifier = order_id(shopify_shop)
        shop.events()
        shopify_shop.notify("orders/delete", {"id": ORDER})
        event = shop.only("order.deleted")
        assert of(event) == ("order", UUID(identifier))
        assert shop.data(event) == {"id": identifier, "storeId": str(shopify_shop.store.id)}
