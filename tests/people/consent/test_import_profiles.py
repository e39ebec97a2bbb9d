"""The profiles for which imported changes of consent are recorded."""

from uuid import UUID

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.values import clock
from tests.harness.receiver import Receiver
from tests.people.consent.imports import (
    ANN,
    BEN,
    CAT,
    OTHER_PHONE,
    PROOF,
    at,
    check_lists,
    counts,
    history_of,
    profile_of,
    put_customer,
    row,
    send,
    total,
    upserted,
)
from tests.people.consent.listening_store import PHONE, Shop


class TestUnclaimedAddress:
    """The import creates a profile, as an upsert does."""

    @pytest.mark.parametrize("state", ["subscribed", "unsubscribed"])
    def test_import_by_person_creates_profile(self, shop: Shop, state: str) -> None:
        before = clock.to_text(clock.now())
        proof = {"reference": "list 7", "ip": "192.0.2.7", "userAgent": "Firefox"}
        assert counts(shop, row(ANN, state, proof=proof)) == (1, 0, 0)
        profile = profile_of(shop, ANN)
        now = clock.to_text(clock.now())
        assert before <= profile["firstSeenAt"] == profile["lastSeenAt"] <= now
        assert profile == {
            "id": str(UUID(profile["id"])),
            "name": None,
            "email": ANN,
            "phone": None,
            "locale": None,
            "storeIds": [],
            "isCustomer": False,
            "emailMarketingConsent": state,
            "smsMarketingConsent": "not_subscribed",
            "firstSeenAt": profile["firstSeenAt"],
            "lastSeenAt": profile["firstSeenAt"],
        }
        [change] = history_of(shop, profile)
        assert before <= change["recordedAt"] <= now
        assert change == {
            "id": str(UUID(change["id"])),
            "channel": "email",
            "state": state,
            "source": "import",
            "store": None,
            "address": ANN,
            "proof": {**proof, "userId": str(shop.owner.id), "apiKeyId": None},
            "by": shop.owner.name,
            "occurredAt": at(0),
            "recordedAt": change["recordedAt"],
            "writeBacks": [],
        }
        assert shop.queued() == []

    def test_import_by_api_key_creates_profile(self, shop: Shop) -> None:
        secret = shop.world.api_key(shop.workspace, KeyScope.WRITE, shop.owner)
        assert send(shop, [row(PHONE, "unsubscribed")], token=secret).json["recorded"] == 1
        profile, key = profile_of(shop, PHONE), shop.world.key_of(secret)
        assert (profile["phone"], profile["email"]) == (PHONE, None)
        assert profile["smsMarketingConsent"] == "unsubscribed"
        assert profile["emailMarketingConsent"] == "not_subscribed"
        [change] = history_of(shop, profile)
        assert (change["channel"], change["address"]) == ("sms", PHONE)
        assert (change["source"], change["by"]) == ("import", key.name)
        assert change["proof"] == {
            "ip": None,
            "userAgent": None,
            "userId": None,
            "apiKeyId": str(key.id),
            "reference": None,
        }

    def test_unsubscription_holds_for_later_profile(self, shop: Shop) -> None:
        """It holds for the profile that gets the address later, in whatever way."""
        store_id = shop.store()
        counts(shop, row(ANN, "unsubscribed"), row(PHONE, "unsubscribed"))
        profile = upserted(shop, email=ANN, firstName="Ann")
        assert profile["emailMarketingConsent"] == "unsubscribed"
        put_customer(
            shop,
            store_id,
            phone=PHONE,
            email=BEN,
            smsMarketingConsent="subscribed",
            emailMarketingConsent="subscribed",
        )
        customer = profile_of(shop, PHONE)
        assert customer["smsMarketingConsent"] == "unsubscribed"
        assert customer["emailMarketingConsent"] == "subscribed"

    def test_address_is_normalized(self, shop: Shop) -> None:
        rows = [row(ANN), row(f"  {ANN.upper()} ", "unsubscribed", 1)]
        assert counts(shop, *rows) == (2, 0, 0)
        assert total(shop) == 1
        assert profile_of(shop, ANN)["emailMarketingConsent"] == "unsubscribed"

    def test_existing_state_of_address_without_claim(self, shop: Shop) -> None:
        """A profile showed the address without having claimed it."""
        shop.change(shop.person(email=ANN), "unsubscribed", occurredAt=at(5))
        assert counts(shop, row(ANN, "unsubscribed")) == (0, 1, 0)
        assert profile_of(shop, ANN)["emailMarketingConsent"] == "unsubscribed"
        assert counts(shop, row(ANN, "subscribed", 1)) == (0, 0, 1)

    def test_lists_and_totals(self, shop: Shop) -> None:
        counts(shop, row(ANN), row(BEN, "unsubscribed"), row(PHONE), row(CAT))
        assert total(shop) == 4
        assert total(shop, emailMarketingConsent="subscribed") == 2
        assert total(shop, emailMarketingConsent="unsubscribed") == 1
        assert total(shop, smsMarketingConsent="subscribed") == 1
        assert total(shop, isCustomer="false") == 4
        check_lists(shop)


class TestClaimedAddress:
    """The change is the profile's, and is written back to its stores."""

    def test_change_is_written_back_to_stores(self, shop: Shop, listener: Receiver) -> None:
        here, there = shop.store(), shop.store()
        put_customer(shop, here, email=ANN)
        put_customer(shop, there, email=ANN)
        profile = profile_of(shop, ANN)
        assert counts(shop, row(ANN, "unsubscribed"), row(BEN)) == (2, 0, 0)
        after = profile_of(shop, ANN)
        assert after == {**profile, "emailMarketingConsent": "unsubscribed"}
        [change] = history_of(shop, after)
        assert [each["status"] for each in change["writeBacks"]] == ["pending"] * 2
        assert {each["store"]["id"] for each in change["writeBacks"]} == {str(here), str(there)}
        assert len(shop.queued()) == 2
        shop.world.deliver()
        [change] = history_of(shop, after)
        assert [each["status"] for each in change["writeBacks"]] == ["written"] * 2
        assert [message.json["data"] for message in listener.received] == [
            {
                "changeId": change["id"],
                "channel": "email",
                "state": "unsubscribed",
                "address": ANN,
                "occurredAt": at(0),
                "source": "import",
                "customers": [{"externalId": "c-1"}],
            }
        ] * 2

    def test_only_last_of_several_changes_is_written_back(
        self, shop: Shop, listener: Receiver
    ) -> None:
        store_id = shop.store()
        put_customer(shop, store_id, email=ANN)
        rows = [row(ANN), row(ANN, "unsubscribed", 1), row(ANN, minutes=2, proof=PROOF)]
        assert counts(shop, *rows) == (3, 0, 0)
        shop.world.deliver()
        history = history_of(shop, profile_of(shop, ANN))
        assert [change["occurredAt"] for change in history] == [at(2), at(1), at(0)]
        outcomes = [
            each["skipReason"] or each["status"] for c in history for each in c["writeBacks"]
        ]
        assert outcomes == ["written", "superseded", "superseded"]
        assert listener.states == ["subscribed"]

    def test_address_not_shown_by_profile(self, shop: Shop) -> None:
        upserted(shop, email=ANN, phone=PHONE)
        shown = upserted(shop, email=ANN, phone=OTHER_PHONE)
        assert shown["phone"] == OTHER_PHONE
        assert counts(shop, row(PHONE, "unsubscribed")) == (1, 0, 0)
        profile = profile_of(shop, PHONE)
        assert profile["id"] == shown["id"]
        assert profile["smsMarketingConsent"] == "not_subscribed"
        [change] = history_of(shop, profile)
        assert (change["address"], change["state"]) == (PHONE, "unsubscribed")
        assert upserted(shop, phone=PHONE)["smsMarketingConsent"] == "unsubscribed"

    def test_import_does_not_change_last_seen(self, shop: Shop) -> None:
        before = upserted(shop, email=ANN)
        shop.world.advance(days=1)
        counts(shop, row(ANN))
        assert profile_of(shop, ANN)["lastSeenAt"] == before["lastSeenAt"]

    def test_email_and_phone_of_one_profile(self, shop: Shop) -> None:
        upserted(shop, email=ANN, phone=PHONE)
        rows = [row(ANN), row(PHONE, "unsubscribed"), row(ANN, "unsubscribed", 1)]
        assert counts(shop, *rows) == (3, 0, 0)
        assert total(shop) == 1
        profile = profile_of(shop, ANN)
        assert profile["emailMarketingConsent"] == "unsubscribed"
        assert profile["smsMarketingConsent"] == "unsubscribed"
        assert len(history_of(shop, profile)) == 3
        check_lists(shop)
