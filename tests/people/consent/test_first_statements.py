"""A store's first statement about an address isn't written back to that store."""

from typing import Any
from uuid import UUID

from storepost.people.consent.decision import AddressConsent, CustomerRef
from storepost.people.consent.model import Address, WriteBack
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.states import Channel
from storepost.people.consent.write_back_statuses import WriteBackStatusRepository
from storepost.platform.persistence.changes import Changes
from tests.harness.receiver import Receiver
from tests.people.consent.customers_of_stores import (
    change_consent,
    erase,
    put_customer,
    received,
    send_write_backs,
    stated_by,
    subscribed,
)
from tests.people.consent.imports import ANN, at, history_of, profile_of, upserted
from tests.people.consent.listening_store import Shop, hand_over


def write_backs(shop: Shop, email: str = ANN) -> dict[str, str]:
    """The outcome of the only change of an address, by store."""
    [change] = history_of(shop, profile_of(shop, email))
    return {
        each["store"]["id"]: str(each["skipReason"] or each["status"])
        for each in change["writeBacks"]
    }


def decide_again(shop: Shop, store: UUID) -> None:
    """Lets the worker decide what the transaction decided."""
    profile = UUID(profile_of(shop, ANN)["id"])
    [change] = ConsentRepository(shop.workspace).history(profile)
    changes, statuses = Changes(), WriteBackStatusRepository(shop.workspace)
    statuses.begin_one(changes, change, WriteBack(store), change.write_back_to(store))
    changes.commit()
    named = {"profileId": profile, "changeId": change.id, "storeId": store}
    texts = {name: str(value) for name, value in named.items()}
    assert hand_over({"workspaceId": str(shop.workspace.id), **texts})


def put(shop: Shop, store: UUID, external_id: str = "c", **fields: Any) -> None:
    """Puts a subscribed customer."""
    put_customer(shop, store, external_id, 5, **{**subscribed(5), **fields})


def test_consent_of_new_customer_queues_no_write_back(shop: Shop, listener: Receiver) -> None:
    store = shop.store()
    put(shop, store)
    [change] = history_of(shop, profile_of(shop, ANN))
    [write_back] = change["writeBacks"]
    assert write_back == {
        "store": {"id": str(store), "name": write_back["store"]["name"]},
        "status": "skipped",
        "skipReason": "already_current",
        "error": None,
        "doneAt": change["recordedAt"],
    }
    assert (send_write_backs(shop), listener.received) == (0, [])


def test_worker_decides_the_same(shop: Shop, listener: Receiver) -> None:
    store = shop.store()
    put(shop, store)
    decide_again(shop, store)
    assert (write_backs(shop), listener.received) == ({str(store): "already_current"}, [])


def test_unsubscription_by_store_queues_no_write_back(shop: Shop, listener: Receiver) -> None:
    store = shop.store()
    put(shop, store, emailMarketingConsent="unsubscribed")
    assert write_backs(shop) == {str(store): "already_current"}
    assert (send_write_backs(shop), listener.received) == (0, [])


def test_other_store_with_customer_gets_write_back(shop: Shop, listener: Receiver) -> None:
    here, there = shop.store(), shop.store()
    put_customer(shop, there, "t", 1)
    put(shop, here)
    assert write_backs(shop) == {str(here): "already_current", str(there): "pending"}
    send_write_backs(shop)
    assert received(listener) == [("subscribed", "t")]
    assert write_backs(shop) == {str(here): "already_current", str(there): "written"}


def test_two_customers_of_store_with_address_get_write_backs(
    shop: Shop, listener: Receiver
) -> None:
    store = shop.store()
    put_customer(shop, store, "first", 1)
    put(shop, store, "second")
    send_write_backs(shop)
    assert received(listener) == [("subscribed", "first"), ("subscribed", "second")]
    assert stated_by(shop, store, "first") == "subscribed"


def test_deleted_customer_leaves_decision_to_worker(shop: Shop, listener: Receiver) -> None:
    store = shop.store()
    put_customer(shop, store, "first", 1)
    assert shop.owner.call("DELETE", f"/stores/{store}/customers/first").status == 204
    put(shop, store, "second")
    assert write_backs(shop) == {str(store): "pending"}
    send_write_backs(shop)
    assert (write_backs(shop), listener.received) == ({str(store): "already_current"}, [])


def test_customer_first_put_without_consent_leaves_decision_to_worker(
    shop: Shop, listener: Receiver
) -> None:
    store = shop.store()
    put_customer(shop, store, "c", 1)
    put(shop, store)
    assert write_backs(shop) == {str(store): "pending"}
    send_write_backs(shop)
    assert (write_backs(shop), listener.received) == ({str(store): "already_current"}, [])


def test_store_without_url_is_skipped_as_permission_missing(shop: Shop) -> None:
    store = shop.store(listens=False)
    put(shop, store)
    assert write_backs(shop) == {str(store): "pending"}
    send_write_backs(shop)
    assert write_backs(shop) == {str(store): "permission_missing"}


def test_earlier_statement_leaves_decision_to_worker(shop: Shop, listener: Receiver) -> None:
    store = shop.store()
    upserted(shop, email=ANN)
    change_consent(shop, ANN, "unsubscribed", 1)
    put(shop, store)
    newest, _ = history_of(shop, profile_of(shop, ANN))
    assert [each["status"] for each in newest["writeBacks"]] == ["pending"]
    send_write_backs(shop)
    assert listener.received == []


def test_erased_address_leaves_decision_to_worker(shop: Shop) -> None:
    store = shop.store()
    upserted(shop, email=ANN)
    change_consent(shop, ANN, "unsubscribed", 1)
    erase(shop)
    shop.world.deliver()
    put(shop, store, emailMarketingConsentUpdatedAt=at(2), emailMarketingConsent="unsubscribed")
    assert write_backs(shop) == {str(store): "pending"}


def test_customer_of_other_profile_leaves_decision_to_worker(shop: Shop) -> None:
    store, changes = shop.store(), Changes()
    others = frozenset({CustomerRef(store, "of somebody else")})
    consents = ConsentRepository(shop.workspace)
    consents.save_consent(
        changes, Address(Channel.EMAIL, ANN), AddressConsent(other_customers=others)
    )
    changes.commit()
    put(shop, store)
    assert write_backs(shop) == {str(store): "pending"}


def test_later_changes_are_written_back(shop: Shop, listener: Receiver) -> None:
    store = shop.store()
    put(shop, store)
    change_consent(shop, ANN, "unsubscribed", 10)
    send_write_backs(shop)
    assert received(listener) == [("unsubscribed", "c")]
    change_consent(shop, ANN, "subscribed", 20)
    send_write_backs(shop)
    assert received(listener) == [("unsubscribed", "c"), ("subscribed", "c")]
