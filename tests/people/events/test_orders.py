"""The events that orders lead to."""

from typing import Any
from uuid import UUID

import pytest

from storepost.values.ids import derived_id
from tests.harness.call_interruption import before_the_commit
from tests.harness.crash_points import crashes
from tests.harness.world import World
from tests.people.events.event_requests import check_counts, events_of, names_of
from tests.people.matching.scenario import ANN, BOB, Scenario, day

BUYER = {"email": ANN}


def eur(amount: int) -> dict[str, Any]:
    """Money."""
    return {"amount": amount, "currency": "EUR"}


def line(quantity: int) -> dict[str, Any]:
    """A line of so many."""
    return {
        "title": "Tea",
        "quantity": quantity,
        "unitPrice": eur(100),
        "totalDiscount": eur(0),
    }


@pytest.fixture
def store(scenario: Scenario) -> str:
    """A custom store."""
    return scenario.store()


class Shop:
    """A store with one order."""

    def __init__(self, scenario: Scenario, store: str) -> None:
        self.scenario, self.store = scenario, store

    def put(self, updated: float = 1, status: int | None = None, **more: Any) -> Any:
        """Puts it, updated on a day; it was placed on the first."""
        body = {"buyer": BUYER, "updatedAt": day(updated), **more}
        answer = self.scenario.order(self.store, "o-1", 1, **body)
        assert answer.status in {status or 200, status or 201}, answer.body
        return answer.json

    @property
    def events(self) -> list[dict[str, Any]]:
        """Ann's, the newest first."""
        return events_of(self.scenario, self.scenario.find_profile(email=ANN)["id"])

    @property
    def names(self) -> list[str]:
        """The names of these events."""
        return [event["name"] for event in self.events]


@pytest.fixture
def shop(scenario: Scenario, store: str) -> Shop:
    """A store of the workspace's."""
    return Shop(scenario, store)


class TestOrders:
    """PUT and DELETE of a store's order."""

    def test_placed_cancelled_and_refunded_events(self, shop: Shop) -> None:
        more: dict[str, Any] = {"number": "#1001", "lineItems": [line(2), line(3)], "isTest": True}
        order = shop.put(**more)
        shop.put(4, cancelledAt=day(3), totalRefunded=eur(250), **more)
        common = {
            "orderId": order["id"],
            "externalId": "o-1",
            "number": "#1001",
            "total": eur(1000),
            "items": 5,
            "isTest": True,
        }
        given_back = {"refunded": eur(250), "totalRefunded": eur(250)}
        assert shop.events == [
            {
                "name": name,
                "source": "custom",
                "occurredAt": day(moment),
                "storeId": shop.store,
                "properties": properties,
            }
            for name, moment, properties in (
                ("order_refunded", 4, {**common, **given_back}),
                ("order_cancelled", 3, common),
                ("order_placed", 1, common),
            )
        ]
        profile = shop.scenario.find_profile(email=ANN)
        assert (profile["firstSeenAt"], profile["lastSeenAt"]) == (day(1), day(4))
        check_counts(shop.scenario)

    def test_repeated_updates_create_no_duplicates(self, shop: Shop) -> None:
        for moment in (1, 1, 2, 3):
            shop.put(moment)
        cancelled: dict[str, Any] = {"cancelledAt": day(4)}
        for moment in (4, 4, 5):
            shop.put(moment, **cancelled)
        shop.put(6)
        shop.put(7, cancelledAt=day(7))
        shop.put(2, 409)
        assert shop.names == ["order_cancelled", "order_placed"]
        check_counts(shop.scenario)

    def test_each_higher_refund_creates_event(self, shop: Shop) -> None:
        for moment, amount in ((1, 0), (2, 100), (3, 100), (4, 350), (5, 50), (6, 350), (7, 1000)):
            shop.put(moment, totalRefunded=eur(amount))
        refunds = [e for e in shop.events if e["name"] == "order_refunded"]
        amounts = [
            (e["properties"]["refunded"]["amount"], e["properties"]["totalRefunded"]["amount"])
            for e in refunds
        ]
        assert amounts == [(650, 1000), (250, 350), (100, 100)]
        assert [e["occurredAt"] for e in refunds] == [day(7), day(4), day(2)]
        check_counts(shop.scenario)

    def test_one_put_creates_all_events(self, shop: Shop) -> None:
        """An import of old orders has them all at once."""
        shop.put(9, cancelledAt=day(5), totalRefunded=eur(1000))
        assert shop.names == ["order_refunded", "order_cancelled", "order_placed"]

    def test_events_are_created_when_buyer_becomes_known(self, shop: Shop) -> None:
        shop.put(1, buyer=None)
        shop.put(2, buyer=None, cancelledAt=day(2))
        assert shop.scenario.get("/profiles")["total"] == 0
        shop.put(3, cancelledAt=day(2))
        assert shop.names == ["order_cancelled", "order_placed"]
        check_counts(shop.scenario)

    def test_changed_buyer_gets_later_events_only(self, shop: Shop) -> None:
        shop.put(1)
        shop.put(2, buyer={"email": BOB}, totalRefunded=eur(5))
        bob = shop.scenario.find_profile(email=BOB)["id"]
        assert (shop.names, names_of(shop.scenario, bob)) == (["order_placed"], ["order_refunded"])
        check_counts(shop.scenario)

    def test_restored_order_creates_no_duplicates(self, shop: Shop) -> None:
        shop.put(1)
        shop.put(2, totalRefunded=eur(5))
        assert shop.scenario.call("DELETE", f"/stores/{shop.store}/orders/o-1").status == 204
        assert shop.names == ["order_refunded", "order_placed"]
        shop.put(3, totalRefunded=eur(5))
        assert shop.names == ["order_refunded", "order_placed"]
        check_counts(shop.scenario)

    def test_event_ids_are_derived_from_order(self, shop: Shop) -> None:
        order = shop.put(1)
        shop.put(2, totalRefunded=eur(5))
        profile = shop.scenario.find_profile(email=ANN)["id"]
        rows = shop.scenario.get(f"/profiles/{profile}/events")["items"]
        assert [row["id"] for row in rows] == [
            str(derived_id(UUID(order["id"]), "order_refunded", "5")),
            str(derived_id(UUID(order["id"]), "order_placed", "")),
        ]

    def test_killed_at_any_call(self, shop: Shop, world: World) -> None:
        def put() -> None:
            shop.put(2, cancelledAt=day(2), totalRefunded=eur(5))

        shop.put(1)
        for _ in crashes(world, put):
            put()
            assert shop.names[-1] == "order_placed"
            assert sorted(shop.names) == ["order_cancelled", "order_placed", "order_refunded"]
            check_counts(shop.scenario)

    def test_concurrent_updates_create_no_duplicates(self, shop: Shop) -> None:
        with before_the_commit(lambda: shop.put(2, totalRefunded=eur(5))):
            shop.put(2, totalRefunded=eur(5))
        assert shop.names == ["order_refunded", "order_placed"]
        check_counts(shop.scenario)
