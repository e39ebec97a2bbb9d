"""An endpoint's messages about one commit, and about imports."""

import pytest

from tests.feeds.feeds import feed_store
from tests.feeds.feeds.conftest import running_server, server
from tests.feeds.feeds.serving import FeedServer
from tests.harness.receiver import Receiver
from tests.orders.sample import order
from tests.sync.batches import batch_store
from tests.webhooks.conftest import receiver
from tests.webhooks.events.shop import Shop
from tests.webhooks.receiving import HOOK, URL

__all__ = ["receiver", "running_server", "server"]


def batch(shop: Shop) -> None:
    sender = batch_store.Shop(shop.world, shop.owner, shop.workspace, shop.store)
    sender.import_batch(orders=[batch_store.order(1)])


@pytest.fixture
def listening(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """The workspace with an endpoint for everything that isn't imported."""
    monkeypatch.setenv("FEED_ALLOW_HOSTS", HOOK)
    shop.call("POST", "/webhook-endpoints", {"url": URL, "events": ["*"]})
    shop.world.deliver()
    return shop


class TestTypes:
    """One commit is one message, of the first type that the endpoint asks for."""

    def refund(self, shop: Shop, *events: str) -> None:
        shop.call("POST", "/webhook-endpoints", {"url": URL, "events": list(events)})
        shop.world.deliver()
        path = f"/stores/{shop.store}/orders/o-1"
        shop.call("PUT", path, order())
        shop.call(
            "PUT",
            path,
            order(cancelledAt="2026-03-01T11:00:00Z", totalRefunded=order()["total"]),
        )
        shop.world.deliver()

    @pytest.mark.parametrize(
        ("events", "expected"),
        [
            (["order.*"], ["order.cancelled", "order.created"]),
            (["order.refunded"], ["order.refunded"]),
            (["order.updated"], ["order.updated"]),
            (["order.updated", "order.refunded"], ["order.refunded"]),
            (["profile.*"], ["profile.created", "profile.updated"]),
        ],
    )
    def test_cancelled_and_refunded_order_is_sent_by_requested_types(
        self,
        shop: Shop,
        receiver: Receiver,
        monkeypatch: pytest.MonkeyPatch,
        events: list[str],
        expected: list[str],
    ) -> None:
        monkeypatch.setenv("FEED_ALLOW_HOSTS", HOOK)
        self.refund(shop, *events)
        assert sorted(each.json["type"] for each in receiver.received) == expected


class TestImports:
    def test_batch_sends_only_unsubscriptions_and_the_import(
        self,
        listening: Shop,
        receiver: Receiver,
    ) -> None:
        sender = batch_store.Shop(
            listening.world, listening.owner, listening.workspace, listening.store
        )
        no = {"emailMarketingConsent": "unsubscribed"}
        sender.import_batch(customers=[batch_store.customer(n, **no) for n in range(8)])
        types = [each.json["type"] for each in receiver.received]
        assert sorted(types) == ["consent.changed"] * 8 + ["store_import.completed"]

    def test_feed_import_sends_only_the_import(
        self, listening: Shop, receiver: Receiver, server: FeedServer
    ) -> None:
        feeds = feed_store.Shop(
            listening.world, server, listening.owner, listening.workspace, listening.store
        )
        feeds.feed(feed_store.csv({"id": "p-1", "title": "Tea"}))
        assert [each.json["type"] for each in receiver.received] == ["feed_import.completed"]

    def test_include_imports_sends_each_record(
        self,
        shop: Shop,
        receiver: Receiver,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv("FEED_ALLOW_HOSTS", HOOK)
        body = {"url": URL, "events": ["order.*"], "includeImports": True}
        shop.call("POST", "/webhook-endpoints", body)
        batch(shop)
        assert [each.json["type"] for each in receiver.received] == ["order.created"]
