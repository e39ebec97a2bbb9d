"""Events of orders: each type by the operation that causes it."""

from typing import Any
from uuid import UUID

import pytest

from tests.orders.sample import eur, order
from tests.webhooks.events.shop import Shop, of

LATER = "2026-03-01T11:00:00Z"
SUMMARY = (
    "id",
    "storeId",
    "number",
    "placedAt",
    "financialStatus",
    "fulfillmentStatus",
    "cancelled",
    "total",
    "locale",
)


def put(shop: Shop, **change: object) -> dict[str, Any]:
    """The answered order once the store has put it."""
    path = f"/stores/{shop.store}/orders/o-1"
    body: dict[str, Any] = shop.call("PUT", path, order(**change)).json
    return body


def summary(shop: Shop, order_id: str) -> dict[str, Any]:
    """What the list shows of the order."""
    [listed] = [each for each in shop.get("/orders")["items"] if each["id"] == order_id]
    assert isinstance(listed, dict)
    return listed


@pytest.fixture
def known(shop: Shop) -> dict[str, Any]:
    """An order whose creation was sent."""
    stored = put(shop)
    shop.delivered()
    return stored


class TestCreated:
    def test_payload_is_the_summary(self, shop: Shop) -> None:
        stored = put(shop)
        event = shop.only("order.created")
        assert of(event) == ("order", UUID(stored["id"]))
        assert shop.data(event) == {name: stored[name] for name in SUMMARY}
        assert shop.data(event) == summary(shop, stored["id"])
        assert (event.imported, event.always) == (False, False)

    def test_buyer_causes_one_profile_event(self, shop: Shop) -> None:
        put(shop)
        assert shop.types() == ["order.created", "profile.created"]

    def test_cancelled_and_refunded_new_order_causes_one_event(self, shop: Shop) -> None:
        put(shop, cancelledAt=LATER, totalRefunded=eur(100))
        event = shop.only("order.created")
        assert event.also == ("order.cancelled", "order.refunded")

    def test_by_recreating_a_deleted_order(self, shop: Shop, known: Any) -> None:
        shop.call("DELETE", f"/stores/{shop.store}/orders/o-1")
        shop.delivered()
        put(shop, updatedAt="2027-01-01T00:00:00Z")
        assert of(shop.only("order.created")) == ("order", UUID(known["id"]))


class TestUpdated:
    @pytest.mark.parametrize(
        "change",
        [
            {"fulfillmentStatus": "fulfilled"},
            {"lineItems": []},
            {"sourceName": "web"},
            {"adminUrl": "https://admin.example.com/orders/1"},
            {"total": eur(5500)},
        ],
        ids=lambda change: next(iter(change)),
    )
    def test_by_each_changed_field(self, shop: Shop, known: Any, change: dict[str, Any]) -> None:
        put(shop, **change, updatedAt=LATER)
        event = shop.only("order.updated")
        assert of(event) == ("order", UUID(known["id"]))
        assert shop.data(event) == summary(shop, known["id"])

    def test_by_another_buyer(self, shop: Shop, known: Any) -> None:
        put(shop, customer={"email": "other@example.com"})
        assert of(shop.only("order.updated")) == ("order", UUID(known["id"]))

    @pytest.mark.parametrize(
        "change",
        [{}, {"updatedAt": LATER}, {"discountCodes": ["OTHER"], "updatedAt": LATER}],
        ids=["the same", "a later time", "another code"],
    )
    def test_unchanged_order_causes_no_event(
        self, shop: Shop, known: Any, change: dict[str, Any]
    ) -> None:
        assert put(shop, **change) == known
        assert [each for each in shop.types() if each.startswith("order")] == []

    def test_payload_is_read_at_the_time_of_sending(self, shop: Shop, known: Any) -> None:
        put(shop, fulfillmentStatus="fulfilled", updatedAt=LATER)
        event = shop.only("order.updated")
        put(shop, fulfillmentStatus="restocked", updatedAt=LATER)
        assert shop.data(event)["fulfillmentStatus"] == "restocked"
        shop.call("DELETE", f"/stores/{shop.store}/orders/o-1")
        assert shop.data(event) == {"id": known["id"], "storeId": shop.store}


class TestCancelled:
    def test_replaces_order_updated(self, shop: Shop, known: Any) -> None:
        put(shop, cancelledAt=LATER, updatedAt=LATER)
        event = shop.only("order.cancelled")
        assert event.also == ("order.updated",)
        assert shop.data(event) == summary(shop, known["id"])
        assert shop.data(event)["cancelled"] is True

    def test_second_cancellation_causes_no_event(self, shop: Shop, known: Any) -> None:
        put(shop, cancelledAt=LATER, updatedAt=LATER)
        shop.delivered()
        put(shop, cancelledAt="2026-03-01T11:30:00Z", updatedAt=LATER)
        assert "order.cancelled" not in shop.types()


class TestRefunded:
    def test_each_increase_of_the_refund_causes_an_event(self, shop: Shop, known: Any) -> None:
        for refunded in (100, 250):
            put(shop, totalRefunded=eur(refunded), updatedAt=LATER)
            event = shop.only("order.refunded")
            assert event.also == ("order.updated",)
            assert shop.data(event) == summary(shop, known["id"])

    def test_refund_with_cancellation_is_one_cancelled_event(self, shop: Shop, known: Any) -> None:
        put(shop, cancelledAt=LATER, totalRefunded=eur(5499), updatedAt=LATER)
        [event] = [each for each in shop.events() if of(each) == ("order", UUID(known["id"]))]
        assert (event.type, event.also) == ("order.cancelled", ("order.refunded", "order.updated"))

    def test_decrease_of_the_refund_is_no_refund_event(self, shop: Shop, known: Any) -> None:
        put(shop, totalRefunded=eur(200), updatedAt=LATER)
        shop.delivered()
        put(shop, totalRefunded=eur(100), updatedAt=LATER)
        assert "order.refunded" not in shop.types()


class TestDeleted:
    def test_payload_has_only_ids(self, shop: Shop, known: Any) -> None:
        shop.call("DELETE", f"/stores/{shop.store}/orders/o-1")
        event = shop.only("order.deleted")
        assert of(event) == ("order", UUID(known["id"]))
        assert shop.data(event) == {"id": known["id"], "storeId": shop.store}

    def test_repeated_deletion_causes_no_event(self, shop: Shop, known: Any) -> None:
        path = f"/stores/{shop.store}/orders/o-1"
        shop.call("DELETE", path)
        shop.delivered()
        shop.owner.call("DELETE", path)
        assert shop.types() == []
