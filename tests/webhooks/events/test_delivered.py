"""From an operation to the endpoint: the worker reads each kind of resource with its rights."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.catalog.products.sample import product
from tests.feeds.feeds import feed_store
from tests.feeds.feeds.conftest import running_server, server
from tests.feeds.feeds.serving import FeedServer
from tests.orders.sample import order
from tests.sync.batches import batch_store
from tests.webhooks.conftest import receiver
from tests.webhooks.events.shop import EMAIL, SCHEMAS, Shop
from tests.webhooks.events.test_coupons import assign, coupon
from tests.webhooks.events.test_workspace import TestProposals
from tests.webhooks.receiving import HOOK, URL, Receiver

__all__ = ["receiver", "running_server", "server"]

type Act = Callable[[Shop], object]


def batch(shop: Shop) -> None:
    sender = batch_store.Shop(shop.world, shop.owner, shop.workspace, shop.store)
    sender.bring(orders=[batch_store.order(1)])


def consent(shop: Shop) -> None:
    shop.call("PUT", f"/profiles/{shop.profile()}/consent/email", {"state": "unsubscribed"})


def suppress(shop: Shop) -> None:
    body = {"channel": "email", "address": EMAIL, "reason": "manual"}
    shop.call("POST", "/suppressions", body)


def member(shop: Shop) -> None:
    shop.world.member(shop.workspace)


ACTS: dict[str, Act] = {
    "order.created": lambda s: s.call("PUT", f"/stores/{s.store}/orders/o-1", order()),
    "profile.created": lambda s: s.profile(),
    "consent.changed": consent,
    "product.created": lambda s: s.call("PUT", f"/stores/{s.store}/products/p-1", product()),
    "coupon.created": coupon,
    "coupon_code.assigned": lambda s: assign(s, coupon(s)),
    "store.connected": lambda s: s.world.store(s.owner),
    "store_import.completed": batch,
    "change_proposal.opened": TestProposals().propose,
    "member.joined": member,
    "api_key.created": lambda s: s.call("POST", "/api-keys", {"name": "A", "scope": "read"}),
    "suppression.created": suppress,
}


@pytest.fixture
def listening(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """The shop with an endpoint for everything that isn't imported."""
    monkeypatch.setenv("FEED_ALLOW_HOSTS", HOOK)
    shop.call("POST", "/webhook-endpoints", {"url": URL, "events": ["*"]})
    shop.world.deliver()
    return shop


def sent(receiver: Receiver, name: str) -> dict[str, Any]:
    """The one message of a type, which its schema takes."""
    [message] = [each.json for each in receiver.received if each.json["type"] == name]
    assert list(message) == ["type", "timestamp", "data"]
    SCHEMAS[name].validate(message["data"])
    return message


@pytest.mark.parametrize("name", ACTS)
def test_it_reaches_the_endpoint_as_it_is_now(
    listening: Shop,
    receiver: Receiver,
    name: str,
) -> None:
    listening.told()
    ACTS[name](listening)
    listening.world.deliver()
    event = listening.only(name)
    assert sent(receiver, name)["data"] == listening.data(event)


def test_an_import_of_a_feed(
    listening: Shop,
    receiver: Receiver,
    server: FeedServer,
) -> None:
    feeds = feed_store.Shop(
        listening.world, server, listening.owner, listening.workspace, listening.store
    )
    listening.told()
    feeds.feed(feed_store.csv({"id": "p-1", "title": "Tea"}))
    event = listening.only("feed_import.completed")
    assert sent(receiver, event.type)["data"] == listening.data(event)
    assert [each.json["type"] for each in receiver.received] == [event.type]


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
    def test_of_an_order_that_is_cancelled_and_refunded_at_once(
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
    def test_of_a_batch_noes_and_the_import_alone_are_told(
        self,
        listening: Shop,
        receiver: Receiver,
    ) -> None:
        sender = batch_store.Shop(
            listening.world, listening.owner, listening.workspace, listening.store
        )
        no = {"emailMarketingConsent": "unsubscribed"}
        sender.bring(customers=[batch_store.customer(n, **no) for n in range(8)])
        told = [each.json["type"] for each in receiver.received]
        assert sorted(told) == ["consent.changed"] * 8 + ["store_import.completed"]

    def test_with_include_imports_each_record_is(
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
