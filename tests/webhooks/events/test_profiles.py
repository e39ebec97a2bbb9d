"""Events of profiles: each type by the operation that causes it."""

from typing import Any
from uuid import UUID

import pytest

from storepost.values import clock
from tests.harness.world import CANARY
from tests.orders.sample import order
from tests.webhooks.events.shop import EMAIL, Shop, of


def listed(shop: Shop, profile_id: str) -> dict[str, Any]:
    """What the list shows of the profile."""
    [found] = [each for each in shop.get("/profiles")["items"] if each["id"] == profile_id]
    assert isinstance(found, dict)
    return found


def seen(shop: Shop, **person: object) -> None:
    """Records a page view of the person now."""
    body = {"profile": person or {"email": EMAIL}, "name": "viewed", "properties": {}}
    shop.call("POST", "/events", {**body, "occurredAt": clock.to_text(clock.now())})


@pytest.fixture
def eve(shop: Shop) -> str:
    """A person whose creation was sent."""
    profile_id = shop.profile(email=EMAIL, firstName="Evelyn")
    shop.delivered()
    return profile_id


class TestCreated:
    def test_payload_is_the_summary(self, shop: Shop) -> None:
        profile_id = shop.profile()
        event = shop.only("profile.created")
        assert of(event) == ("profile", UUID(profile_id))
        assert shop.data(event) == listed(shop, profile_id)

    def test_by_a_profile_event(self, shop: Shop) -> None:
        seen(shop, anonymousId="browser-1")
        assert shop.types() == ["profile.created"]

    def test_by_a_customer(self, shop: Shop) -> None:
        body = {"email": EMAIL, "externalCreatedAt": "2026-01-01T00:00:00Z"}
        body["externalUpdatedAt"] = body["externalCreatedAt"]
        shop.call("PUT", f"/stores/{shop.store}/customers/c-1", body)
        assert shop.types() == ["profile.created"]


class TestUpdated:
    @pytest.mark.parametrize(
        "change",
        [{"firstName": "Eva"}, {"lastName": "Adams"}, {"locale": "de-AT"}],
        ids=lambda change: next(iter(change)),
    )
    def test_by_patch(self, shop: Shop, eve: str, change: dict[str, Any]) -> None:
        shop.call("PATCH", f"/profiles/{eve}", change)
        event = shop.only("profile.updated")
        assert of(event) == ("profile", UUID(eve))
        assert shop.data(event) == listed(shop, eve)

    def test_by_an_order(self, shop: Shop, eve: str) -> None:
        shop.call("PUT", f"/stores/{shop.store}/orders/o-1", order(customer={"email": EMAIL}))
        assert of(shop.only("profile.updated")) == ("profile", UUID(eve))

    def test_by_a_consent_change_in_addition_to_consent_changed(self, shop: Shop, eve: str) -> None:
        shop.call("PUT", f"/profiles/{eve}/consent/email", {"state": "subscribed"})
        assert shop.types() == ["consent.changed", "profile.updated"]

    def test_only_last_seen_changed_causes_no_event(self, shop: Shop, eve: str) -> None:
        before = shop.get(f"/profiles/{eve}")
        seen(shop)
        shop.profile()
        after = shop.get(f"/profiles/{eve}")
        assert {**before, "lastSeenAt": None} == {**after, "lastSeenAt": None}
        assert before["lastSeenAt"] != after["lastSeenAt"]
        assert shop.types() == []

    def test_unchanged_value_causes_no_event(self, shop: Shop, eve: str) -> None:
        shop.call("PATCH", f"/profiles/{eve}", {"firstName": "Evelyn"})
        assert shop.types() == []


class TestMerged:
    def test_payload_has_both_ids_in_one_event(self, shop: Shop, eve: str) -> None:
        other = shop.profile(email=f"other.{CANARY}@example.com")
        shop.call("PUT", f"/stores/{shop.store}/orders/o-1", order(customer={"email": EMAIL}))
        shop.delivered()
        shop.call("POST", f"/profiles/{other}/merge", {"profileId": eve})
        [event] = shop.events()
        assert (event.type, event.also) == ("profile.merged", ("profile.updated",))
        survivor, merged = (eve, other) if of(event)[1] == UUID(eve) else (other, eve)
        assert event.ids == {"mergedProfileId": merged}
        expected = {**listed(shop, survivor), "mergedProfileId": merged}
        assert shop.data(event) == expected

    def test_moving_rows_causes_no_event(self, shop: Shop, eve: str) -> None:
        """The survivor answers for its orders, codes and consents at once."""
        other = shop.profile(email=f"other.{CANARY}@example.com")
        shop.call("PUT", f"/stores/{shop.store}/orders/o-1", order(customer={"email": EMAIL}))
        shop.call("PUT", f"/profiles/{eve}/consent/email", {"state": "subscribed"})
        shop.delivered()
        shop.call("POST", f"/profiles/{other}/merge", {"profileId": eve})
        assert shop.types() == ["profile.merged"]
        shop.world.deliver()
        assert shop.types() == []

    def test_pending_event_of_the_merged_profile_has_the_survivors_id(
        self, shop: Shop, eve: str
    ) -> None:
        other = shop.profile(email=f"other.{CANARY}@example.com")
        created = shop.only("profile.created")
        shop.call("POST", f"/profiles/{eve}/merge", {"profileId": other})
        assert shop.data(created)["id"] == shop.get(f"/profiles/{other}")["id"] == eve


class TestErased:
    def test_payload_has_all_merged_ids(self, shop: Shop, eve: str) -> None:
        others = [shop.profile(anonymousId=f"browser-{number}") for number in range(3)]
        shop.call("POST", f"/profiles/{others[0]}/merge", {"profileId": others[1]})
        shop.delivered()
        for other in (others[0], others[2]):
            shop.call("POST", f"/profiles/{eve}/merge", {"profileId": other})
        shop.events()
        shop.call("DELETE", f"/profiles/{eve}")
        event = shop.only("profile.erased")
        assert event.always
        data = shop.data(event)
        assert data["id"] == eve
        assert sorted(data["mergedProfileIds"]) == sorted(others)

    def test_erasure_causes_only_this_event(self, shop: Shop, eve: str) -> None:
        shop.call("PUT", f"/stores/{shop.store}/orders/o-1", order(customer={"email": EMAIL}))
        shop.call("PUT", f"/profiles/{eve}/consent/email", {"state": "subscribed"})
        shop.delivered()
        shop.call("DELETE", f"/profiles/{eve}")
        assert shop.types() == ["profile.erased"]
        shop.world.deliver()
        assert shop.types() == []

    def test_erasure_ending_consent_of_new_address_owner_sends_profile_updated(
        self, shop: Shop
    ) -> None:
        former = shop.profile(email=EMAIL, phone="+436601234567")
        shop.call("PUT", f"/profiles/{former}/consent/email", {"state": "subscribed"})
        for identity in shop.get(f"/profiles/{former}/identities")["items"]:
            if identity["type"] == "email":
                shop.call("DELETE", f"/profiles/{former}/identities/{identity['id']}")
        eve = shop.profile()
        assert listed(shop, eve)["emailMarketingConsent"] == "subscribed"
        shop.delivered()
        shop.call("DELETE", f"/profiles/{former}")
        assert shop.types() == ["profile.erased"]
        shop.world.deliver()
        event = shop.only("profile.updated")
        assert of(event) == ("profile", UUID(eve))
        assert shop.data(event)["emailMarketingConsent"] == "not_subscribed"

    def test_pending_events_contain_no_personal_data(self, shop: Shop, eve: str) -> None:
        """Before the worker has removed any row, and after."""
        shop.call("PATCH", f"/profiles/{eve}", {"lastName": f"Adams {CANARY}"})
        shop.call("PUT", f"/profiles/{eve}/consent/email", {"state": "unsubscribed"})
        shop.call("PUT", f"/stores/{shop.store}/orders/o-1", order(customer={"email": EMAIL}))
        events = shop.events()
        words = (CANARY, "Evelyn", "Adams")
        assert sum(CANARY in str(shop.data(each)) for each in events) >= 2
        shop.call("DELETE", f"/profiles/{eve}")
        for event in (*events, *shop.events()):
            assert not any(word in str(shop.data(event)) for word in words)
            assert not any(word in str(event) for word in words)
        shop.world.deliver()
        for event in events:
            assert not any(word in str(shop.data(event)) for word in words)
