"""Profiles, customers, orders, consent."""

from datetime import datetime, timedelta
from typing import Any

from tests.costs.scenarios.registry import Scenarios
from tests.costs.town import (
    CUSTOMERS,
    PROFILES,
    Ask,
    Town,
    customer,
    customer_id,
    email_of,
    order_id,
    order_of,
)

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


def _customer(town: Town, number: int, **given: object) -> Ask:
    path = {"id": town.store, "externalId": customer_id(number)}
    return Ask(town.key, customer(number, **given), path=path)


def _later(body: dict[str, Any], name: str) -> str:
    return (datetime.fromisoformat(body[name]) + timedelta(days=400)).isoformat()


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


def _tell(town: Town) -> None:
    """Has the store told of somebody else, which it notes once a minute."""
    path = {"id": town.profile_of(email_of(6))}
    town.ask("consent.changeEmail", Ask(town.key, {"state": "unsubscribed"}, path=path))
    town.world.deliver()


def _unsubscribing(town: Town, key: str | None = None) -> Ask:
    _tell(town)
    body = {"state": "unsubscribed", "proof": {"reference": "preference centre"}}
    return Ask(town.key, body, path={"id": town.subscriber}, key=key)


SCENARIOS.plain("consent.changeEmail", _unsubscribing, "one store told")
SCENARIOS.plain(
    "consent.changeEmail",
    lambda town: _unsubscribing(town, "0b8f3f0e-6a5c-4c39-9d0c-2f9f3c1f7a11"),
    "one store told, with an idempotency key",
)


@SCENARIOS.of("consent.changeEmail", "nothing new")
def same_consent(town: Town) -> Ask:
    return Ask(town.key, {"state": "subscribed"}, path={"id": town.subscriber})


def _history(town: Town, changes: int) -> str:
    """A profile whose consent was changed so often; the last change's id."""
    states = ("unsubscribed", "subscribed")
    for number in range(changes):
        body = {"state": states[number % 2], "proof": {"reference": "preference centre"}}
        asked = Ask(town.key, body, path={"id": town.subscriber})
        last = town.ask("consent.changeEmail", asked)
    town.world.deliver()
    return str(last.json["id"])


@SCENARIOS.of("consent.list", "3 changes")
def list_changes(town: Town) -> Ask:
    _history(town, 2)
    return Ask(town.key, path={"id": town.subscriber})


@SCENARIOS.of("consent.list", "page 1 of 101 changes")
def list_many_changes(town: Town) -> Ask:
    _history(town, 100)
    return Ask(town.key, path={"id": town.subscriber})


@SCENARIOS.of("consent.get")
def get_change(town: Town) -> Ask:
    return Ask(town.key, path={"id": town.subscriber, "changeId": _history(town, 1)})


@SCENARIOS.of("consent.retryWriteBack")
def retry_write_back(town: Town) -> Ask:
    town.outside.status = 400
    change = _history(town, 1)
    town.outside.status = 204
    _tell(town)
    path = {"id": town.subscriber, "changeId": change, "storeId": town.store}
    return Ask(town.key, path=path)


@SCENARIOS.of("consent.changeSms", "one store told")
def change_sms(town: Town) -> Ask:
    _tell(town)
    body = {"state": "subscribed", "proof": {"reference": "preference centre"}}
    return Ask(town.key, body, path={"id": town.subscriber})


@SCENARIOS.of("consent.import", "50 known people, no store")
def import_consent(town: Town) -> Ask:
    moment = "2026-02-01T09:00:00.000Z"
    changes = [
        {"email": email_of(number), "state": "subscribed", "occurredAt": moment}
        for number in range(CUSTOMERS, PROFILES)
    ]
    return Ask(town.key, {"changes": changes})
