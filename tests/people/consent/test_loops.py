"""Stores that contradict each other, each with a statement later than its last write-back."""

from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from storepost.people.customers.contradictions import MAX_CONTRADICTIONS
from storepost.values import clock
from tests.harness.receiver import Receiver
from tests.people.consent.customers_of_stores import (
    change_consent,
    put_customer,
    send_write_backs,
    state_of,
)
from tests.people.consent.imports import ANN, profile_of
from tests.people.consent.listening_store import Shop

MAX_ROUNDS = 100
FOREVER = 20 + 2 * MAX_CONTRADICTIONS + 10
"""More write-backs than a loop may cause: those of one opt-out, and of each round before."""


def answers(
    shop: Shop, listener: Receiver, target_states: dict[str, tuple[UUID, str]], wait: timedelta
) -> list[str]:
    """Lets each store answer write-backs with its own state, dated then; the times of its answers.

    `target_states` has each store and its own state, by the customer's id in the store.
    """
    times = list[str]()
    for _ in range(MAX_ROUNDS):
        before = len(listener.received)
        send_write_backs(shop)
        if len(listener.received) == before:
            assert before < FOREVER
            return times
        for each in listener.received[before:]:
            for customer in each.json["data"]["customers"]:
                shop.world.advance(seconds=wait.total_seconds())
                store, state = target_states[customer["externalId"]]
                if each.state != state:
                    times.append(put_state(shop, store, customer["externalId"], state))
    raise AssertionError("it doesn't end")


def put_state(shop: Shop, store: UUID, external_id: str, state: str) -> str:
    """Puts a store's customer with a state dated now; the time."""
    now = clock.to_text(clock.now())
    put_customer(
        shop,
        store,
        external_id,
        externalUpdatedAt=now,
        emailMarketingConsent=state,
        emailMarketingConsentUpdatedAt=now,
    )
    return now


@pytest.mark.parametrize("wait", [timedelta(seconds=1), timedelta(days=1)], ids=["fast", "nightly"])
@pytest.mark.parametrize("other", ["subscribed", "pending"])
@pytest.mark.parametrize("first", ["no", "yes"])
def test_two_contradicting_stores_end_unsubscribed(
    shop: Shop, listener: Receiver, wait: timedelta, other: str, first: str
) -> None:
    stores = {"no": (shop.store(), "unsubscribed"), "yes": (shop.store(), other)}
    for external_id in sorted(stores, key=lambda each: each != first):
        shop.world.advance(seconds=1)
        put_state(shop, stores[external_id][0], external_id, stores[external_id][1])
    answers(shop, listener, stores, wait)
    assert state_of(shop) == "unsubscribed"


def test_last_write_back_of_loop_unsubscribes_contradicting_store(
    shop: Shop, listener: Receiver
) -> None:
    """Its time is later than the store's own, as a shop accepts nothing older than what it has."""
    stores = {"no": (shop.store(), "unsubscribed"), "yes": (shop.store(), "subscribed")}
    for external_id, (store, state) in stores.items():
        put_state(shop, store, external_id, state)
        shop.world.advance(seconds=1)
    *_, before, after = answers(shop, listener, stores, timedelta(seconds=1))
    last = listener.received[-1].json["data"]
    assert (last["state"], last["customers"]) == ("unsubscribed", [{"externalId": "yes"}])
    assert before < last["occurredAt"] < after


def test_resubscription_in_store_counts_below_loop_limit(shop: Shop, listener: Receiver) -> None:
    """As long as that is no loop, a later yes of the store counts."""
    store = shop.store()
    put_state(shop, store, "c", "subscribed")
    for _ in range(MAX_CONTRADICTIONS):
        shop.world.advance(days=1)
        change_consent(shop, ANN, "unsubscribed")
        send_write_backs(shop)
        assert state_of(shop) == "unsubscribed"
        shop.world.advance(days=1)
        put_state(shop, store, "c", "subscribed")
        assert state_of(shop) == "subscribed"


def test_store_beyond_loop_limit_counts_again_after_30_days(shop: Shop, listener: Receiver) -> None:
    store = shop.store()
    put_state(shop, store, "c", "subscribed")
    for _ in range(MAX_CONTRADICTIONS + 1):
        shop.world.advance(minutes=1)
        change_consent(shop, ANN, "unsubscribed")
        send_write_backs(shop)
        shop.world.advance(minutes=1)
        put_state(shop, store, "c", "subscribed")
    assert state_of(shop) == "unsubscribed"
    send_write_backs(shop)
    shop.world.advance(days=31)
    shop.owner = replace(shop.owner, token=shop.world.sign_in(shop.owner.id, shop.workspace)[0])
    put_state(shop, store, "c", "subscribed")
    assert state_of(shop) == "subscribed"


def test_request_counts_despite_contradicting_store(shop: Shop, listener: Receiver) -> None:
    store = shop.store()
    put_state(shop, store, "c", "subscribed")
    for _ in range(MAX_CONTRADICTIONS + 1):
        shop.world.advance(minutes=1)
        change_consent(shop, ANN, "unsubscribed")
        send_write_backs(shop)
        shop.world.advance(minutes=1)
        put_state(shop, store, "c", "subscribed")
    change_consent(shop, ANN, "subscribed")
    assert profile_of(shop, ANN)["emailMarketingConsent"] == "subscribed"
