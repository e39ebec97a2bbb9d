"""A merge moves no consent from one address to another, whether requested or automatic."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from storepost.people.consent.model import Address
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.states import Channel
from tests.harness.receiver import Receiver
from tests.people.consent.customers_of_stores import (
    change_consent,
    put_customer,
    received,
    send_write_backs,
    state_of,
)
from tests.people.consent.imports import ANN, BEN, counts, history_of, profile_of, row, upserted
from tests.people.consent.listening_store import Shop

PHONE = "+436601234567"
STATES = ("subscribed", "unsubscribed", None)


def consents(shop: Shop) -> dict[str, Any]:
    """The stored consent of each address."""
    repository = ConsentRepository(shop.workspace)
    addresses = [Address(Channel.EMAIL, each) for each in (ANN, BEN)]
    found = repository.consents_of([*addresses, Address(Channel.SMS, PHONE)])
    return {address.value: consent for address, consent in found.items()}


def merge(shop: Shop, survivor: str, merged: str) -> dict[str, Any]:
    """Merges two profiles; the one that has both addresses then."""
    body = {"profileId": profile_of(shop, merged)["id"]}
    path = f"/profiles/{profile_of(shop, survivor)['id']}/merge"
    answer = shop.owner.call("POST", path, body)
    assert answer.status == 200, answer.body
    return dict(answer.json)


def show(shop: Shop, person: dict[str, Any], email: str) -> str:
    """The consent that the profile shows once it shows the address."""
    path, body = f"/profiles/{person['id']}", {"email": email}
    answer = shop.owner.call("PATCH", path, body)
    return str(answer.json["emailMarketingConsent"])


class TestManualMerge:
    """POST /profiles/{id}/merge."""

    @pytest.mark.parametrize(("ann", "ben"), list(product(STATES, STATES)))
    def test_merge_changes_no_consent(
        self, shop: Shop, listener: Receiver, ann: str | None, ben: str | None
    ) -> None:
        for email, state, external_id in ((ANN, ann, "a"), (BEN, ben, "b")):
            put_customer(shop, shop.store(), external_id, 5, email=email)
            if state:
                change_consent(shop, email, state, 10)
        send_write_backs(shop)
        before = consents(shop)
        listener.received.clear()
        person = merge(shop, ANN, BEN)
        shop.world.deliver()
        assert consents(shop) == before
        assert listener.received == []
        assert person["emailMarketingConsent"] == (ann or "not_subscribed")
        assert show(shop, person, BEN) == (ben or "not_subscribed")
        assert show(shop, person, ANN) == (ann or "not_subscribed")
        states = {each["state"] for each in history_of(shop, person)}
        assert states == {state for state in (ann, ben) if state}

    def test_unsubscription_is_sent_only_to_stores_with_address(
        self, shop: Shop, listener: Receiver
    ) -> None:
        """The other profile's store has another address of the person: it gets no write-back."""
        for email, external_id in ((ANN, "a"), (BEN, "b")):
            put_customer(shop, shop.store(), external_id, 5, email=email)
            change_consent(shop, email, "subscribed", 10)
        send_write_backs(shop)
        listener.received.clear()
        person = merge(shop, ANN, BEN)
        change_consent(shop, ANN, "unsubscribed", 20)
        send_write_backs(shop)
        assert received(listener) == [("unsubscribed", "a")]
        assert show(shop, person, BEN) == "subscribed"

    def test_unproven_import_does_not_override_merged_unsubscription(self, shop: Shop) -> None:
        """The address's consent still holds against an import."""
        upserted(shop, email=ANN)
        change_consent(shop, BEN, "unsubscribed", 10)
        merge(shop, ANN, BEN)
        assert counts(shop, row(BEN, "subscribed", 20)) == (0, 0, 1)
        assert state_of(shop, ANN) == "not_subscribed"


class TestAutomaticMerge:
    """A customer that names two profiles merges them."""

    @pytest.mark.parametrize(("email", "sms"), list(product(STATES, STATES)))
    def test_merge_changes_no_consent(
        self, shop: Shop, listener: Receiver, email: str | None, sms: str | None
    ) -> None:
        self.says(shop, upserted(shop, email=ANN), "email", email)
        self.says(shop, upserted(shop, phone=PHONE), "sms", sms)
        before = consents(shop)
        put_customer(shop, shop.store(), "c", 20, phone=PHONE)
        send_write_backs(shop)
        person = profile_of(shop, ANN)
        assert person["id"] == profile_of(shop, PHONE)["id"]
        assert consents(shop) == before
        assert listener.received == []
        assert (person["emailMarketingConsent"], person["smsMarketingConsent"]) == (
            email or "not_subscribed",
            sms or "not_subscribed",
        )

    def says(self, shop: Shop, person: dict[str, Any], channel: str, state: str | None) -> None:
        if state is not None:
            path, body = f"/profiles/{person['id']}/consent/{channel}", {"state": state}
            answer = shop.owner.call("PUT", path, body)
            assert answer.status == 200, answer.body

    @pytest.mark.parametrize("order", [(ANN, PHONE), (PHONE, ANN)], ids=["email", "phone"])
    def test_unsubscription_of_one_channel_does_not_affect_other(
        self, shop: Shop, listener: Receiver, order: tuple[str, str]
    ) -> None:
        """Whichever profile exists first."""
        made: dict[str, Callable[[], dict[str, Any]]] = {
            ANN: lambda: upserted(shop, email=ANN),
            PHONE: lambda: upserted(shop, phone=PHONE),
        }
        for value in order:
            made[value]()
        self.says(shop, profile_of(shop, ANN), "email", "unsubscribed")
        put_customer(shop, shop.store(), "c", 20, phone=PHONE, smsMarketingConsent="subscribed")
        send_write_backs(shop)
        person = profile_of(shop, ANN)
        assert (person["emailMarketingConsent"], person["smsMarketingConsent"]) == (
            "unsubscribed",
            "subscribed",
        )
        assert listener.received == []
