"""Webhook endpoints: made, tested, read, and what each delivery costs."""

from storepost.values import clock
from storepost.values.ids import new_id
from storepost.webhooks.deliveries.queueing import enqueue_deliveries
from storepost.webhooks.events.model import Resource, WebhookEvent
from tests.costs.scenario import Request, Shop, order_id, order_of
from tests.costs.scenarios.registry import Scenarios

SCENARIOS = Scenarios()
URL = "https://hooks.shop.example.com/storepost/events"
BODY = {"url": URL, "events": ["order.*"], "description": "Warehouse"}
DELIVERIES = 30
BEGINNING = "2020-01-01T00:00:00Z"


def _path(shop: Shop) -> dict[str, object]:
    """A new endpoint; after it another endpoint isn't the workspace's first."""
    made = shop.send("webhookEndpoints.create", Request(shop.owner.token, BODY))
    return {"id": made.json["endpoint"]["id"]}


def _used(shop: Shop, *, fails: bool = False) -> dict[str, object]:
    """An endpoint with deliveries, whose last success was just noted."""
    path = _path(shop)
    shop.outside.status = 410 if fails else 204
    for _ in range(DELIVERIES):
        event = WebhookEvent(
            "order.created", new_id(), clock.now(), Resource("order", new_id()), {}
        )
        enqueue_deliveries([(shop.workspace, event)])
    shop.world.deliver()
    shop.outside.status = 204
    if fails:
        body = {"status": "enabled"}
        shop.send("webhookEndpoints.update", Request(shop.owner.token, body, path=path))
    return path


def _delivery(shop: Shop) -> dict[str, object]:
    path = _used(shop)
    listed = shop.send("webhookEndpoints.listDeliveries", Request(shop.owner.token, path=path))
    return {**path, "deliveryId": listed.json["items"][0]["id"]}


def _of(shop: Shop, path: dict[str, object], body: object = None, **query: object) -> Request:
    return Request(shop.owner.token, body, query=query, path=path)


SCENARIOS.plain(
    "webhookEndpoints.create", lambda shop: Request(shop.owner.token, BODY), "the first"
)


@SCENARIOS.of("webhookEndpoints.create", "another one")
def another(shop: Shop) -> Request:
    _path(shop)
    return Request(shop.owner.token, BODY)


SCENARIOS.plain("webhookEndpoints.list", lambda shop: _of(shop, _path(shop) and {}))
SCENARIOS.plain("webhookEndpoints.get", lambda shop: _of(shop, _path(shop)))
SCENARIOS.plain(
    "webhookEndpoints.update", lambda shop: _of(shop, _path(shop), {"events": ["product.*"]})
)
SCENARIOS.plain("webhookEndpoints.rotateSecret", lambda shop: _of(shop, _path(shop)))
SCENARIOS.plain("webhookEndpoints.test", lambda shop: _of(shop, _used(shop)), "one delivery")
SCENARIOS.plain(
    "webhookEndpoints.listDeliveries", lambda shop: _of(shop, _used(shop)), "30 of them"
)
SCENARIOS.plain("webhookEndpoints.getDelivery", lambda shop: _of(shop, _delivery(shop)))
SCENARIOS.plain("webhookEndpoints.retryDelivery", lambda shop: _of(shop, _delivery(shop)))
SCENARIOS.plain(
    "webhookEndpoints.replay",
    lambda shop: _of(shop, _used(shop, fails=True), {"createdFrom": BEGINNING}),
    "what failed",
)
SCENARIOS.plain("webhookEndpoints.delete", lambda shop: _of(shop, _path(shop)), "the last")


@SCENARIOS.of("orders.put", "a known buyer's, sent to an endpoint")
def order_with_webhook(shop: Shop) -> Request:
    """Beside the same without endpoints: what the event and its delivery's log cost."""
    _used(shop)
    path = {"id": shop.store, "externalId": order_id(501)}
    return Request(shop.key, order_of(501, 1), path=path)
