"""A redaction while others name the person: what they state isn't the shop's, and stays."""

import json
from collections.abc import Callable
from functools import partial

import pytest

from storepost.sync.webhooks import privacy
from storepost.sync.webhooks.messages import Webhook
from storepost.values import clock
from tests.harness.call_interruption import (
    Side,
    another_container,
    around_calls,
    before_the_commit,
    counted,
)
from tests.harness.world import Someone
from tests.shopify.hooks import EMAIL, ORDER, PHONE, Hooks, order_body
from tests.shopify.privacy_requests import REDACT, of_profile, profiles, put_elsewhere
from tests.shopify.shops import SHOP


def put_in_store(hooks: Hooks, owner: Someone) -> None:
    """Another store puts the person as its customer 7."""
    put_elsewhere(hooks, owner)


def merge(hooks: Hooks, owner: Someone) -> None:
    """A member merges the person into one whom a store knows as its customer 7."""
    put_elsewhere(hooks, owner, email=None, phone="+436601111111")
    [person] = [each for each in profiles(hooks, owner) if each["email"] == EMAIL]
    [other] = [each for each in profiles(hooks, owner) if each["email"] is None]
    path, body = f"/profiles/{other['id']}/merge", {"profileId": person["id"]}
    assert owner.call("POST", path, body).status == 200


@pytest.fixture(params=["customer", "buyer"])
def person(hooks: Hooks, request: pytest.FixtureRequest) -> Hooks:
    """A person whom only the shop has named, as a customer or by an order alone."""
    if request.param == "customer":
        return request.getfixturevalue("known")  # type: ignore[no-any-return]
    hooks.notify("orders/create", order_body())
    return hooks


@pytest.mark.parametrize("act", [put_in_store, merge])
def test_person_whom_another_store_names_meanwhile_stays(
    person: Hooks, owner: Someone, act: Callable[[Hooks, Someone], None]
) -> None:
    """The other store's customer is there afterwards, at whichever call they are put."""
    webhook = Webhook(SHOP, "customers/redact", clock.now(), json.dumps(REDACT).encode())
    redact = partial(privacy.customer_redacted, webhook, lambda: 10**6)
    restore = person.world.checkpoint()
    calls = len(counted(redact))
    for place in range(1, calls + 1):
        restore()

        def meanwhile(number: int, _name: str, side: Side, place: int = place) -> None:
            if (number, side) == (place, Side.BEFORE) and profiles(person, owner):
                with another_container():
                    act(person, owner)

        with around_calls(meanwhile):
            redact()
        person.world.deliver()
        check_redacted(person, owner, place)


def check_redacted(person: Hooks, owner: Someone, place: int) -> None:
    """The shop's data is gone, and the other store's is there unless the person was gone first."""
    assert person.find_customer() is None, place
    order = person.order(ORDER)
    assert order is not None, place
    assert (order.profile_id, order.customer_external_id) == (None, None), place
    found = profiles(person, owner)
    stores = owner.call("GET", "/stores").json["total"]
    assert len(found) == stores - 1, place
    for each in found:
        customers = of_profile(person, owner, each["id"], "customers")
        assert [customer["externalId"] for customer in customers] == ["7"], place


def test_consent_is_erased_with_the_first_of_its_history(known: Hooks, owner: Someone) -> None:
    """Another store names the address between two transactions: no state has lost its change."""
    put_elsewhere(known, owner, email=None, phone=PHONE)
    body = {"channel": "email", "address": EMAIL, "reason": "manual", "note": "asked"}
    answer = owner.call("POST", "/suppressions", body)
    assert answer.status == 201
    webhook = Webhook(SHOP, "customers/redact", clock.now(), json.dumps(REDACT).encode())
    redact = partial(privacy.customer_redacted, webhook, lambda: 10**6)
    restore = known.world.checkpoint()
    transactions = counted(redact).count("TransactWriteItems")
    assert transactions == 4
    for which in range(1, transactions + 1):
        restore()
        with before_the_commit(lambda: put_elsewhere(known, owner), which):
            redact()
        known.world.deliver()
        [named] = [each for each in profiles(known, owner) if each["email"] == EMAIL]
        history = of_profile(known, owner, named["id"], "consent")
        states = {each["state"] for each in history if each["address"] == EMAIL}
        assert states == {named["emailMarketingConsent"]} - {"not_subscribed"}, which
        path = f"/profiles/{named['id']}/consent/email"
        body = {"state": "subscribed"}
        answer = owner.call("PUT", path, body)
        assert (answer.status, answer.json["state"]) == (200, "subscribed"), which
