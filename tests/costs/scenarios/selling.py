"""Profiles, customers, orders."""

from datetime import datetime, timedelta
from typing import Any

from tests.costs.scenario import (
    Ask,
    Town,
    customer,
    customer_id,
    email_of,
    order_id,
    order_of,
)
from tests.costs.scenarios.registry import Scenarios

SCENARIOS = Scenarios()

SCENARIOS.plain("profiles.list", lambda town: Ask(town.key), "page 1 of 200")
SCENARIOS.plain("profiles.list", lambda town: Ask(town.key, query={"page": 5}), "page 5")
SCENARIOS.plain(
    "profiles.list",
    lambda town: Ask(town.key, query={"emailMarketingConsent": "subscribed"}),
    "page 1 of 75 subscribed",
)
SCENARIOS.plain(
    "profiles.list", lambda town: Ask(town.key, query={"email": email_of(0)}), "by email"
)
SCENARIOS.plain("profiles.get", lambda town: Ask(town.key, path={"id": town.buyer}))


@SCENARIOS.of("profiles.upsert", "new")
def new_profile(town: Town) -> Ask:
    body = {"email": email_of(999), "phone": "+436604999999", "firstName": "Nina"}
    return Ask(town.key, body)


@SCENARIOS.of("profiles.upsert", "known")
def known_profile(town: Town) -> Ask:
    return Ask(town.key, {"email": email_of(1), "phone": customer(1)["phone"]})


@SCENARIOS.of("profiles.delete", "a customer with 4 orders")
def erase_profile(town: Town) -> Ask:
    return Ask(town.owner.token, path={"id": town.buyer})


SCENARIOS.plain(
    "profiles.export",
    lambda town: Ask(town.owner.token, path={"id": town.buyer}),
    "a customer with 4 orders",
)


def _customer(town: Town, number: int, **given: object) -> Ask:
    path = {"id": town.store, "externalId": customer_id(number)}
    return Ask(town.key, customer(number, **given), path=path)


def _later(body: dict[str, Any], name: str) -> str:
    return (datetime.fromisoformat(body[name]) + timedelta(days=200)).isoformat()


@SCENARIOS.of("customers.get")
def get_customer(town: Town) -> Ask:
    return Ask(town.key, path={"id": town.store, "externalId": customer_id(1)})


SCENARIOS.plain("customers.put", lambda town: _customer(town, 999), "new person")
SCENARIOS.plain(
    "customers.put",
    lambda town: _customer(town, 999, emailMarketingConsent="subscribed"),
    "new person, subscribed",
)
SCENARIOS.plain("customers.put", lambda town: _customer(town, 1), "the same again")


@SCENARIOS.of("customers.put", "newer, subscribed")
def newer_customer(town: Town) -> Ask:
    later = _later(customer(1), "externalUpdatedAt")
    return _customer(town, 1, externalUpdatedAt=later, emailMarketingConsent="subscribed")


@SCENARIOS.of("customers.delete")
def delete_customer(town: Town) -> Ask:
    return Ask(town.key, path={"id": town.store, "externalId": customer_id(1)})


SCENARIOS.plain("orders.list", lambda town: Ask(town.key), "page 1 of 500")
SCENARIOS.plain("orders.list", lambda town: Ask(town.key, query={"page": 12}), "page 12")
SCENARIOS.plain(
    "orders.list", lambda town: Ask(town.key, query={"profileId": town.buyer}), "4 of a profile"
)


@SCENARIOS.of("orders.get")
def get_order(town: Town) -> Ask:
    asked = Ask(town.key, query={"externalId": order_id(1)})
    [found] = town.ask("orders.list", asked).json["items"]
    return Ask(town.key, path={"id": found["id"]})


@SCENARIOS.of("orders.getOfStore")
def get_order_of_store(town: Town) -> Ask:
    return Ask(town.key, path={"id": town.store, "externalId": order_id(1)})


def _order(town: Town, number: int, body: dict[str, Any]) -> Ask:
    path = {"id": town.store, "externalId": order_id(number)}
    return Ask(town.key, body, path=path)


SCENARIOS.plain("orders.put", lambda town: _order(town, 501, order_of(501, 1)), "a known buyer's")
SCENARIOS.plain("orders.put", lambda town: _order(town, 501, order_of(501, 998)), "a new buyer's")
SCENARIOS.plain("orders.put", lambda town: _order(town, 1, order_of(1)), "the same again")


@SCENARIOS.of("orders.put", "another status")
def fulfilled_order(town: Town) -> Ask:
    later = _later(order_of(1), "updatedAt")
    return _order(town, 1, order_of(1, updatedAt=later, fulfillmentStatus="fulfilled"))


@SCENARIOS.of("orders.delete")
def delete_order(town: Town) -> Ask:
    return Ask(town.key, path={"id": town.store, "externalId": order_id(1)})
