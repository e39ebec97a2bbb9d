"""Connections to Shopify's shops, from the install to the end."""

import json
from typing import Any

from storepost.stores.stores.model import Store
from storepost.values import clock
from tests.costs.scenario import Ask, Town
from tests.costs.scenarios.registry import Scenarios
from tests.shopify.hooks import order_body, signed_headers
from tests.shopify.shops import SHOP, Shopify, canary_shops, choose_existing

SCENARIOS = Scenarios()
KEY = {"key": f"shopify:{SHOP}"}


def _shopify(town: Town) -> Shopify:
    """A Shopify that knows nothing of us."""
    town.shopify.server.begin(*canary_shops())
    return town.shopify


def _begun(town: Town) -> dict[str, Any]:
    return _shopify(town).begin(town.owner)


def _connected(town: Town) -> Store:
    return _shopify(town).connect(town.owner, town.workspace)


def _link(town: Town) -> dict[str, object]:
    return {"id": _shopify(town).link(town.owner)}


@SCENARIOS.of("connections.create")
def begin(town: Town) -> Ask:
    _shopify(town)
    return Ask(town.owner.token, {"type": "shopify", "shop": SHOP})


@SCENARIOS.of("connections.shopifyCallback")
def callback(town: Town) -> Ask:
    return Ask(query=dict(town.shopify.approved(_begun(town))))


SCENARIOS.plain("connectLinks.preview", lambda town: Ask(path=_link(town)))
SCENARIOS.plain("connectLinks.get", lambda town: Ask(town.owner.token, path=_link(town)))
SCENARIOS.plain(
    "connectLinks.connect",
    lambda town: Ask(town.owner.token, choose_existing(town.workspace), path=_link(town)),
    "to a workspace",
)
SCENARIOS.plain(
    "connectLinks.connect",
    lambda town: Ask(
        town.owner.token,
        {"action": "connect_new", "workspaceName": "Teas Abroad"},
        path=_link(town),
    ),
    "to a new workspace",
)


@SCENARIOS.of("connections.list", "1 connected")
def list_connections(town: Town) -> Ask:
    _connected(town)
    return Ask(town.key)


@SCENARIOS.of("connections.get", "connected")
def get_connection(town: Town) -> Ask:
    _connected(town)
    return Ask(town.key, path=KEY)


@SCENARIOS.of("connections.delete", "pending")
def cancel(town: Town) -> Ask:
    _begun(town)
    return Ask(town.owner.token, path=KEY)


@SCENARIOS.of("connections.delete", "connected")
def disconnect(town: Town) -> Ask:
    _connected(town)
    return Ask(town.owner.token, path=KEY)


@SCENARIOS.of("stores.createImport", "products")
def pull(town: Town) -> Ask:
    return Ask(town.key, {"scope": "products"}, path={"id": _connected(town).id})


@SCENARIOS.of("webhooks.shopify", "an order of somebody new")
def tell_of_an_order(town: Town) -> Ask:
    _connected(town)
    raw = json.dumps(order_body()).encode()
    told = signed_headers("orders/create", raw, clock.now())
    return Ask(raw=raw, headers={f"x-shopify-{name}": value for name, value in told.items()})
