"""Customers of custom stores: the consent that a put states."""

from datetime import timedelta
from uuid import UUID

import pytest

from storepost.accounts.api_keys.repository import ApiKeyRepository
from storepost.accounts.identity.model import KeyScope
from storepost.people.consent.model import Address, ConsentOrigin, ConsentSource, WriteBackStatus
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.profiles.consent_summary import subject_of
from storepost.people.profiles.repository import ProfileRepository
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from tests.harness.world import CANARY, World
from tests.people.consent.asserting import assert_consent
from tests.people.customers.shop import EMAIL, OTHER, PHONE, Shop, body, day, history, workspace_of


class TestPutConsent:
    """What a push of a customer asserts (docs/semantics.md, section 2.4)."""

    def test_changed_value_is_recorded_and_written_back(self, world: World, shop: Shop) -> None:
        second = Shop(world, shop.by, world.store(shop.by))
        second.put("1", email=EMAIL)
        world.deliver()
        answer = shop.put(
            "7",
            email=EMAIL,
            phone=PHONE,
            emailMarketingConsent="subscribed",
            emailMarketingConsentUpdatedAt=day(-2),
            smsMarketingConsent="pending",
        )
        assert answer.json["emailMarketingConsent"] == "subscribed"
        assert answer.json["smsMarketingConsent"] == "pending"
        profile = shop.profile()
        assert (profile["emailMarketingConsent"], profile["smsMarketingConsent"]) == (
            "subscribed",
            "pending",
        )
        by_channel = {change.channel.value: change for change in history(world, profile)}
        assert set(by_channel) == {"email", "sms"}
        for channel, state, address, occurred in (
            ("email", "subscribed", EMAIL, day(-2)),
            ("sms", "pending", PHONE, day(0)),
        ):
            change = by_channel[channel]
            assert (change.state.value, change.address) == (state, address)
            assert clock.to_text(change.occurred_at) == occurred
            assert (change.origin.source.value, change.origin.store_id) == (
                "manual",
                UUID(shop.id),
            )
            assert change.origin.by == shop.by.name
            statuses = {each.store_id: each.status for each in change.write_backs}
            assert statuses == dict.fromkeys(
                (UUID(shop.id), UUID(second.id)), WriteBackStatus.PENDING
            )
        assert shop.profile(emailMarketingConsent="subscribed") == profile

    def test_put_by_key_has_source_api(self, world: World, shop: Shop) -> None:
        key = world.api_key(workspace_of(world), KeyScope.WRITE)
        path = f"/stores/{shop.id}/customers/7"
        payload = body(email=EMAIL, emailMarketingConsent="unsubscribed")
        assert world.call("PUT", path, token=key, json_body=payload).status == 201
        [change] = history(world, shop.profile())
        assert (change.origin.source.value, change.origin.store_id) == ("api", UUID(shop.id))

    def test_change_records_current_name_of_key(
        self, world: World, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Authentication reads the name, so it costs no read of its own."""
        secret = world.api_key(workspace_of(world), KeyScope.WRITE)
        path, name = f"/api-keys/{world.key_of(secret).id}", f"Storefront {CANARY}"
        renamed = shop.by.call("PATCH", path, {"name": name})
        assert renamed.status == 200
        monkeypatch.delattr(ApiKeyRepository, "get")
        path, payload = f"/stores/{shop.id}/customers/7", body(email=EMAIL)
        payload |= {"emailMarketingConsent": "subscribed"}
        assert world.call("PUT", path, token=secret, json_body=payload).status == 201
        [change] = history(world, shop.profile())
        assert change.origin.by == name

    def test_missing_value_changes_nothing(self, world: World, shop: Shop) -> None:
        shop.put("7", email=EMAIL, emailMarketingConsent="subscribed")
        answer = shop.put("7", 1, email=EMAIL, emailMarketingConsent=None)
        assert answer.json["emailMarketingConsent"] == "subscribed"
        profile = shop.profile()
        assert profile["emailMarketingConsent"] == "subscribed"
        assert len(history(world, profile)) == 1

    def test_value_unchanged_since_last_put_is_not_recorded(self, world: World, shop: Shop) -> None:
        second = Shop(world, shop.by, world.store(shop.by))
        shop.put("7", email=EMAIL, emailMarketingConsent="subscribed")
        second.put("1", 2, email=EMAIL, emailMarketingConsent="unsubscribed")
        assert shop.profile()["emailMarketingConsent"] == "unsubscribed"
        shop.put("7", 3, email=EMAIL, emailMarketingConsent="subscribed", firstName="Ann")
        profile = shop.profile()
        assert profile["emailMarketingConsent"] == "unsubscribed"
        assert [change.state.value for change in history(world, profile)] == [
            "unsubscribed",
            "subscribed",
        ]

    def test_older_statement_is_recorded_as_superseded(self, world: World, shop: Shop) -> None:
        second = Shop(world, shop.by, world.store(shop.by))
        shop.put("7", 5, email=EMAIL, emailMarketingConsent="unsubscribed")
        second.put("1", 2, email=EMAIL, emailMarketingConsent="subscribed")
        profile = shop.profile()
        assert profile["emailMarketingConsent"] == "unsubscribed"
        newest = history(world, profile)[0]
        assert newest.state.value == "subscribed"
        assert {each.skip_reason for each in newest.write_backs} == {"superseded"}

    def test_undated_subscription_does_not_override_unsubscription(
        self, world: World, shop: Shop
    ) -> None:
        second = Shop(world, shop.by, world.store(shop.by))
        shop.put("7", email=EMAIL, emailMarketingConsent="unsubscribed")
        second.put("1", 9, email=EMAIL, emailMarketingConsent="subscribed")
        assert shop.profile()["emailMarketingConsent"] == "unsubscribed"
        third = Shop(world, shop.by, world.store(shop.by))
        timed = {"emailMarketingConsentUpdatedAt": day(1)}
        third.put("1", 9, email=EMAIL, emailMarketingConsent="subscribed", **timed)
        assert shop.profile()["emailMarketingConsent"] == "subscribed"

    def test_future_consent_time_counts_as_now(self, world: World, shop: Shop) -> None:
        future = clock.to_text(clock.now() + timedelta(days=400))
        before = clock.now()
        timed = {"emailMarketingConsentUpdatedAt": future}
        shop.put("7", email=EMAIL, emailMarketingConsent="subscribed", **timed)
        [change] = history(world, shop.profile())
        assert before <= change.occurred_at <= clock.now()

    def test_consent_for_address_of_other_profile_is_recorded_there(
        self, world: World, shop: Shop
    ) -> None:
        shop.put("7", email=EMAIL)
        first = shop.profile()
        shop.put("8", email=EMAIL, emailMarketingConsent="subscribed")
        second = shop.profile(externalId="8", storeId=shop.id)
        assert second["emailMarketingConsent"] == "not_subscribed"
        changed = shop.profile(email=EMAIL)
        assert changed == {**first, "emailMarketingConsent": "subscribed"}
        assert [change.state.value for change in history(world, first)] == ["subscribed"]
        assert history(world, second) == []

    def test_consent_is_recorded_again_for_new_address(self, world: World, shop: Shop) -> None:
        shop.put("7", email=EMAIL, emailMarketingConsent="subscribed")
        assert shop.put("7", 1, email=OTHER).json["emailMarketingConsent"] == "not_subscribed"
        shop.put("7", 2, email=OTHER, emailMarketingConsent="subscribed")
        profile = shop.profile()
        assert (profile["email"], profile["emailMarketingConsent"]) == (OTHER, "subscribed")
        assert [change.address for change in history(world, profile)] == [OTHER, EMAIL]

    def test_newly_shown_address_has_stored_consent(self, shop: Shop) -> None:
        shop.put("7", email=EMAIL, emailMarketingConsent="subscribed")
        shop.put("7", 1, email=OTHER)
        assert shop.profile()["emailMarketingConsent"] == "not_subscribed"
        payload = {"email": EMAIL}
        answer = shop.by.call("POST", "/profiles", payload)
        assert (answer.json["email"], answer.json["emailMarketingConsent"]) == (
            EMAIL,
            "subscribed",
        )
        assert shop.profile(emailMarketingConsent="subscribed")["id"] == answer.json["id"]

    def test_concurrently_changed_consent_is_shown(self, world: World, shop: Shop) -> None:
        shop.put("7", email=EMAIL)
        shop.put("7", 1, email=OTHER)
        profile = ProfileRepository(workspace_of(world)).get(UUID(shop.profile()["id"]))
        assert profile is not None
        address = Address(Channel.EMAIL, EMAIL)

        def subscribe(changes: Changes) -> None:
            state = ConsentState.SUBSCRIBED
            assert_consent(
                changes, subject_of(profile), address, state, ConsentOrigin(ConsentSource.IMPORT)
            )

        payload = {"email": EMAIL}
        with world.meanwhile(subscribe):
            answer = shop.by.call("POST", "/profiles", payload)
        assert (answer.json["email"], answer.json["emailMarketingConsent"]) == (
            EMAIL,
            "subscribed",
        )
