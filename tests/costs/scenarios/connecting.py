"""Connections to Shopify's shops, from the install to the end."""

import json
from typing import Any

from storepost.stores.stores.model import Store
from storepost.values import clock
from tests.costs.scenario import Request, Shop
from tests.costs.scenarios.registry import Scenarios
from tests.shopify.hooks import order_body, signed_headers
from tests.shopify.shops import SHOP, Shopify, canary_shops, choose_existing

SCENARIOS = Scenarios()
KEY = {"key": f"shopify:{SHOP}"}


def _shopify(shop: Shop) -> Shopify:
    """A Shopify that knows nothing of us."""
    shop.shopify.server.begin(*canary_shops())
    return shop.shopify


def _began_approval(shop: Shop) -> dict[str, Any]:
    return _shopify(shop).begin(shop.owner)


def _connected(shop: Shop) -> Store:
    return _shopify(shop).connect(shop.owner, shop.workspace)


def _link(shop: Shop) -> dict[str, object]:
    return {"id": _shopify(shop).link(shop.owner)}


@SCENARIOS.of("connections.create")
def begin(shop: Shop) -> Request:
    _shopify(shop)
    return Request(shop.owner.token, {"type": "shopify", "shop": SHOP})


@SCENARIOS.of("connections.shopifyCallback")
def callback(shop: Shop) -> Request:
    return Request(query=dict(shop.shopify.approved(_began_approval(shop))))


SCENARIOS.plain("connectLinks.preview", lambda shop: Request(path=_link(shop)))
SCENARIOS.plain("connectLinks.get", lambda shop: Request(shop.owner.token, path=_link(shop)))
SCENARIOS.plain(
    "connectLinks.connect",
    lambda shop: Request(shop.owner.token, choose_existing(shop.workspace), path=_link(shop)),
    "to a workspace",
)
SCENARIOS.plain(
    "connectLinks.connect",
    lambda shop: Request(
        shop.owner.token,
        {"action": "connect_new", "workspaceName": "Teas Abroad"},
        path=_link(shop),
    ),
    "to a new workspace",
)


@SCENARIOS.of("connections.list", "1 connected")
def list_connections(shop: Shop) -> Request:
    _connected(shop)
    return Request(shop.key)


@SCENARIOS.of("connections.get", "connected")
def get_connection(shop: Shop) -> Request:
    _connected(shop)
    return Request(shop.key, path=KEY)


@SCENARIOS.of("connections.delete", "pending")
def cancel(shop: Shop) -> Request:
    _began_approval(shop)
    return Request(shop.owner.token, path=KEY)


@SCENARIOS.of("connections.delete", "connected")
def disconnect(shop: Shop) -> Request:
    _connected(shop)
    return Request(shop.owner.token, path=KEY)


@SCENARIOS.of("stores.createImport", "products")
def pull(shop: Shop) -> Request:
    return Request(shop.key, {"scope": "products"}, path={"id": _connected(shop).id})


@SCENARIOS.of("webhooks.shopify", "an order of somebody new")
def order_webhook(shop: Shop) -> Request:
    _connected(shop)
    raw = json.dumps(order_body()).encode()
    headers = signed_headers("orders/create", raw, clock.now())
    return Request(raw=raw, headers={f"x-shopify-{name}": value for name, value in headers.items()})
