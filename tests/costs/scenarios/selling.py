"""Profiles, customers, orders."""

from datetime import datetime, timedelta
from typing import Any

from tests.costs.scenario import Request, Shop, customer, customer_id, email_of, order_id, order_of
from tests.costs.scenarios.registry import Scenarios

SCENARIOS = Scenarios()

SCENARIOS.plain("profiles.list", lambda shop: Request(shop.key), "page 1 of 200")
SCENARIOS.plain("profiles.list", lambda shop: Request(shop.key, query={"page": 5}), "page 5")
SCENARIOS.plain(
    "profiles.list",
    lambda shop: Request(shop.key, query={"emailMarketingConsent": "subscribed"}),
    "page 1 of 75 subscribed",
)
SCENARIOS.plain(
    "profiles.list", lambda shop: Request(shop.key, query={"email": email_of(0)}), "by email"
)
SCENARIOS.plain("profiles.get", lambda shop: Request(shop.key, path={"id": shop.buyer}))


@SCENARIOS.of("profiles.upsert", "new")
def new_profile(shop: Shop) -> Request:
    body = {"email": email_of(999), "phone": "+436604999999", "firstName": "Nina"}
    return Request(shop.key, body)


@SCENARIOS.of("profiles.upsert", "known")
def known_profile(shop: Shop) -> Request:
    return Request(shop.key, {"email": email_of(1), "phone": customer(1)["phone"]})


@SCENARIOS.of("profiles.delete", "a customer with 4 orders")
def erase_profile(shop: Shop) -> Request:
    return Request(shop.owner.token, path={"id": shop.buyer})


SCENARIOS.plain(
    "profiles.export",
    lambda shop: Request(shop.owner.token, path={"id": shop.buyer}),
    "a customer with 4 orders",
)


def _customer(shop: Shop, number: int, **overrides: object) -> Request:
    path = {"id": shop.store, "externalId": customer_id(number)}
    return Request(shop.key, customer(number, **overrides), path=path)


def _later(body: dict[str, Any], name: str) -> str:
    return (datetime.fromisoformat(body[name]) + timedelta(days=200)).isoformat()


@SCENARIOS.of("customers.get")
def get_customer(shop: Shop) -> Request:
    return Request(shop.key, path={"id": shop.store, "externalId": customer_id(1)})


SCENARIOS.plain("customers.put", lambda shop: _customer(shop, 999), "new person")
SCENARIOS.plain(
    "customers.put",
    lambda shop: _customer(shop, 999, emailMarketingConsent="subscribed"),
    "new person, subscribed",
)
SCENARIOS.plain("customers.put", lambda shop: _customer(shop, 1), "the same again")


@SCENARIOS.of("customers.put", "newer, subscribed")
def newer_customer(shop: Shop) -> Request:
    later = _later(customer(1), "externalUpdatedAt")
    return _customer(shop, 1, externalUpdatedAt=later, emailMarketingConsent="subscribed")


@SCENARIOS.of("customers.delete")
def delete_customer(shop: Shop) -> Request:
    return Request(shop.key, path={"id": shop.store, "externalId": customer_id(1)})


SCENARIOS.plain("orders.list", lambda shop: Request(shop.key), "page 1 of 500")
SCENARIOS.plain("orders.list", lambda shop: Request(shop.key, query={"page": 12}), "page 12")
SCENARIOS.plain(
    "orders.list", lambda shop: Request(shop.key, query={"profileId": shop.buyer}), "4 of a profile"
)


@SCENARIOS.of("orders.get")
def get_order(shop: Shop) -> Request:
    request = Request(shop.key, query={"externalId": order_id(1)})
    [found] = shop.send("orders.list", request).json["items"]
    return Request(shop.key, path={"id": found["id"]})


@SCENARIOS.of("orders.getOfStore")
def get_order_of_store(shop: Shop) -> Request:
    return Request(shop.key, path={"id": shop.store, "externalId": order_id(1)})


def _order(shop: Shop, number: int, body: dict[str, Any]) -> Request:
    path = {"id": shop.store, "externalId": order_id(number)}
    return Request(shop.key, body, path=path)


SCENARIOS.plain("orders.put", lambda shop: _order(shop, 501, order_of(501, 1)), "a known buyer's")
SCENARIOS.plain("orders.put", lambda shop: _order(shop, 501, order_of(501, 998)), "a new buyer's")
SCENARIOS.plain("orders.put", lambda shop: _order(shop, 1, order_of(1)), "the same again")


@SCENARIOS.of("orders.put", "another status")
def fulfilled_order(shop: Shop) -> Request:
    later = _later(order_of(1), "updatedAt")
    return _order(shop, 1, order_of(1, updatedAt=later, fulfillmentStatus="fulfilled"))


@SCENARIOS.of("orders.delete")
def delete_order(shop: Shop) -> Request:
    return Request(shop.key, path={"id": shop.store, "externalId": order_id(1)})
