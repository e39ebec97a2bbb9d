"""Two stores and the API, by their own operations alone: each statement is written back."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.values import clock
from tests.harness.receiver import Receiver
from tests.harness.world import CANARY
from tests.people.consent.listening_store import EMAIL, Shop

CREATED = "2025-01-01T00:00:00.000Z"


def push(shop: Shop, key: str, store_id: UUID, state: str, **more: str) -> None:
    """Pushes a store's customer, updated now by the store's own time."""
    answer = shop.world.call(
        "PUT",
        f"/stores/{store_id}/customers/{CANARY}",
        token=key,
        json_body={
            "email": EMAIL,
            "emailMarketingConsent": state,
            "externalCreatedAt": CREATED,
            "externalUpdatedAt": clock.to_text(clock.now()),
            **more,
        },
    )
    assert answer.status in {200, 201}, answer.body


def only_profile(shop: Shop) -> dict[str, Any]:
    """The workspace's one profile."""
    answer = shop.owner.call("GET", "/profiles")
    assert answer.json["total"] == 1
    return dict(answer.json["items"][0])


def history(shop: Shop, profile: dict[str, Any]) -> list[dict[str, Any]]:
    """The profile's changes, newest first."""
    return list(shop.owner.call("GET", f"/profiles/{profile['id']}/consent").json["items"])


def outcomes(change: dict[str, Any]) -> dict[str, str]:
    """The outcome of each store's write-back."""
    rows = change["writeBacks"]
    return {row["store"]["id"]: row["skipReason"] or row["status"] for row in rows}


def test_two_stores_and_api_stay_in_sync(shop: Shop, listener: Receiver) -> None:
    """One store subscribes, the person unsubscribes, both stores echo their write-backs."""
    world, key = shop.world, shop.world.api_key(shop.workspace, KeyScope.WRITE, shop.owner)
    here, there = shop.store(), shop.store()
    push(shop, key, there, "not_subscribed")
    push(shop, key, here, "subscribed")
    world.deliver()
    profile = only_profile(shop)
    assert profile["emailMarketingConsent"] == "subscribed"
    [first] = history(shop, profile)
    assert (first["source"], first["store"]["id"]) == ("api", str(here))
    assert first["by"] == world.key_of(key).name
    assert outcomes(first) == {str(here): "already_current", str(there): "written"}

    world.advance(minutes=1)
    answer = world.call(
        "PUT",
        f"/profiles/{profile['id']}/consent/email",
        token=key,
        json_body={"state": "unsubscribed", "proof": {"reference": "form 7"}},
    )
    assert answer.status == 200
    world.deliver()
    second, _ = history(shop, profile)
    assert outcomes(second) == {str(here): "written", str(there): "written"}
    assert listener.states == ["subscribed", "unsubscribed", "unsubscribed"]

    world.advance(minutes=1)
    for store_id in (here, there):
        push(shop, key, store_id, "unsubscribed")
    world.deliver()
    assert [row["id"] for row in history(shop, profile)] == [second["id"], first["id"]]

    # Without a consent time a store can't subscribe again; with a later one it can.
    world.advance(minutes=1)
    push(shop, key, here, "subscribed")
    assert only_profile(shop)["emailMarketingConsent"] == "unsubscribed"
    world.deliver()
    world.advance(minutes=1)
    push(shop, key, here, "pending")
    world.deliver()
    push(shop, key, here, "subscribed", emailMarketingConsentUpdatedAt=clock.to_text(clock.now()))
    world.deliver()
    assert only_profile(shop)["emailMarketingConsent"] == "subscribed"
    newest = history(shop, profile)[0]
    assert outcomes(newest) == {str(here): "already_current", str(there): "written"}
    assert listener.states[-1] == "subscribed"


def test_old_store_statement_is_superseded_and_corrected(shop: Shop, listener: Receiver) -> None:
    """A store's statement about last year is only recorded in the history."""
    world, key = shop.world, shop.world.api_key(shop.workspace, KeyScope.WRITE, shop.owner)
    store_id = shop.store()
    push(shop, key, store_id, "not_subscribed")
    profile = only_profile(shop)
    path = f"/profiles/{profile['id']}/consent/email"
    change = world.call("PUT", path, token=key, json_body={"state": "unsubscribed"}).json
    last_year = clock.to_text(clock.now() - timedelta(days=365))
    push(shop, key, store_id, "subscribed", emailMarketingConsentUpdatedAt=last_year)
    world.deliver()
    old, effective = history(shop, profile)
    assert effective["id"] == change["id"]
    assert (old["state"], old["occurredAt"]) == ("subscribed", last_year)
    assert outcomes(old) == {str(store_id): "superseded"}
    assert only_profile(shop)["emailMarketingConsent"] == "unsubscribed"
    # The store has the old state, so it is sent the one that holds.
    assert outcomes(effective) == {str(store_id): "written"}
    assert listener.states == ["unsubscribed"]


@pytest.mark.parametrize("consent_time", [None, CREATED])
def test_record_older_than_write_back_changes_nothing(
    shop: Shop, listener: Receiver, consent_time: str | None
) -> None:
    """An old record of an export or a queued batch states nothing: the next change is sent."""
    world, key = shop.world, shop.world.api_key(shop.workspace, KeyScope.WRITE, shop.owner)
    store_id = shop.store()
    more = {"emailMarketingConsentUpdatedAt": consent_time} if consent_time else {}
    before = {"externalUpdatedAt": clock.to_text(clock.now()), **more}
    push(shop, key, store_id, "unsubscribed", **before)
    profile = only_profile(shop)
    path = f"/profiles/{profile['id']}/consent/email"
    for state in ("subscribed", "unsubscribed"):
        world.advance(minutes=1)
        change = world.call("PUT", path, token=key, json_body={"state": state}).json
        world.deliver()
        push(shop, key, store_id, "unsubscribed", **before)
        assert outcomes(history(shop, profile)[0]) == {str(store_id): "written"}
        assert history(shop, profile)[0]["id"] == change["id"]
        customers = world.call("GET", f"/profiles/{profile['id']}/customers", token=key).json
        assert customers["items"][0]["emailMarketingConsent"] == state
    assert listener.states == ["subscribed", "unsubscribed"]
    world.advance(minutes=1)
    push(shop, key, store_id, "pending")  # a newer record counts
    assert only_profile(shop)["emailMarketingConsent"] == "pending"
