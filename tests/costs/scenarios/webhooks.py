"""Webhook endpoints: made, tested, read, and what each delivery costs."""

from storepost.values import clock
from storepost.values.ids import new_id
from storepost.webhooks.deliveries.queueing import enqueue_deliveries
from storepost.webhooks.events.model import Resource, WebhookEvent
from tests.costs.scenario import Ask, Town, order_id, order_of
from tests.costs.scenarios.registry import Scenarios

SCENARIOS = Scenarios()
URL = "https://hooks.shop.example.com/storepost/events"
BODY = {"url": URL, "events": ["order.*"], "description": "Warehouse"}
DELIVERIES = 30
BEGINNING = "2020-01-01T00:00:00Z"


def _path(town: Town) -> dict[str, object]:
    """A new endpoint, after which another one is no longer the first."""
    made = town.ask("webhookEndpoints.create", Ask(town.owner.token, BODY))
    return {"id": made.json["endpoint"]["id"]}


def _used(town: Town, *, fails: bool = False) -> dict[str, object]:
    """An endpoint with deliveries, whose last success was just noted."""
    path = _path(town)
    town.outside.status = 410 if fails else 204
    for _ in range(DELIVERIES):
        event = WebhookEvent(
            "order.created", new_id(), clock.now(), Resource("order", new_id()), {}
        )
        enqueue_deliveries([(town.workspace, event)])
    town.world.deliver()
    town.outside.status = 204
    if fails:
        body = {"status": "enabled"}
        town.ask("webhookEndpoints.update", Ask(town.owner.token, body, path=path))
    return path


def _delivery(town: Town) -> dict[str, object]:
    path = _used(town)
    listed = town.ask("webhookEndpoints.listDeliveries", Ask(town.owner.token, path=path))
    return {**path, "deliveryId": listed.json["items"][0]["id"]}


def _of(town: Town, path: dict[str, object], body: object = None, **query: object) -> Ask:
    return Ask(town.owner.token, body, query=query, path=path)


SCENARIOS.plain("webhookEndpoints.create", lambda town: Ask(town.owner.token, BODY), "the first")


@SCENARIOS.of("webhookEndpoints.create", "another one")
def another(town: Town) -> Ask:
    _path(town)
    return Ask(town.owner.token, BODY)


SCENARIOS.plain("webhookEndpoints.list", lambda town: _of(town, _path(town) and {}))
SCENARIOS.plain("webhookEndpoints.get", lambda town: _of(town, _path(town)))
SCENARIOS.plain(
    "webhookEndpoints.update", lambda town: _of(town, _path(town), {"events": ["product.*"]})
)
SCENARIOS.plain("webhookEndpoints.rotateSecret", lambda town: _of(town, _path(town)))
SCENARIOS.plain("webhookEndpoints.test", lambda town: _of(town, _used(town)), "one delivery")
SCENARIOS.plain(
    "webhookEndpoints.listDeliveries", lambda town: _of(town, _used(town)), "30 of them"
)
SCENARIOS.plain("webhookEndpoints.getDelivery", lambda town: _of(town, _delivery(town)))
SCENARIOS.plain("webhookEndpoints.retryDelivery", lambda town: _of(town, _delivery(town)))
SCENARIOS.plain(
    "webhookEndpoints.replay",
    lambda town: _of(town, _used(town, fails=True), {"createdFrom": BEGINNING}),
    "what failed",
)
SCENARIOS.plain("webhookEndpoints.delete", lambda town: _of(town, _path(town)), "the last")


@SCENARIOS.of("orders.put", "a known buyer's, told to an endpoint")
def told_order(town: Town) -> Ask:
    """Beside the same without endpoints: what the event and its delivery's log cost."""
    _used(town)
    path = {"id": town.store, "externalId": order_id(501)}
    return Ask(town.key, order_of(501, 1), path=path)
