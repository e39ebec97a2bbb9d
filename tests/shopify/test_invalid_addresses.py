"""An email address that a shop has as invalid is suppressed, once."""

import json
from datetime import timedelta
from typing import Any

import pytest

from local.shopify.customers import Consent, ShopCustomer
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.deliverability.invalid_addresses import NOTE
from storepost.people.deliverability.service import suppress
from storepost.people.profiles.lists import ProfileLists
from storepost.people.suppressions.model import SuppressionReason, SuppressionSource
from storepost.platform.persistence.counted_tree.checking import faults
from storepost.sync.webhooks.messages import Webhook
from storepost.sync.webhooks.worker import work_on
from storepost.values import clock
from tests.harness.crash_points import crashes
from tests.harness.receiver import Receiver
from tests.harness.world import Someone
from tests.people.consent.customers_of_stores import erase
from tests.people.consent.imports import history_of, profile_of
from tests.people.consent.listening_store import Shop
from tests.people.suppressions.suppression_requests import (
    addresses_of,
    call,
    consent,
    create,
    lift,
    listed,
    reachability,
    reachable,
)
from tests.shopify.hooks import CUSTOMER, EMAIL, LATER, PHONE, Hooks, consents, customer_body
from tests.shopify.pulls import pulled
from tests.shopify.shops import SHOP
from tests.shopify.test_hooks_of_people import EMAIL_TOPIC, email_consent, moment
from tests.webhooks.conftest import receiver
from tests.webhooks.receiving import HOOK
from tests.webhooks.receiving import Hooks as Endpoints

__all__ = ["receiver"]

UPDATE = "customers/update"


@pytest.fixture
def shop(hooks: Hooks, owner: Someone) -> Shop:
    """The workspace of the connected shop."""
    return Shop(hooks.world, owner, hooks.workspace)


def in_a_moment(hooks: Hooks, **more: float) -> str:
    """Moves the time a little; now."""
    hooks.world.advance(**(more or {"minutes": 5}))
    return clock.to_text(clock.now())


def check(shop: Shop) -> dict[str, Any]:
    """The answer to a sender about the address."""
    body = {"addresses": [{"channel": "email", "address": EMAIL}]}
    [answered] = call(shop, "POST", "/reachability/check", body).json["items"]
    return dict(answered)


def problems(hooks: Hooks, owner: Someone, store_import: dict[str, Any]) -> list[Any]:
    """The problems of an import that has ended."""
    assert store_import["status"] == "completed"
    path = f"/stores/{hooks.store.id}/imports/{store_import['id']}/problems"
    return list(owner.call("GET", path).json["items"])


class TestWebhook:
    @pytest.fixture
    def subscribed(self, hooks: Hooks) -> None:
        """The shop has the customer as subscribed."""
        hooks.notify("customers/create", customer_body(**consents("subscribed")))

    @pytest.mark.usefixtures("subscribed")
    def test_address_is_suppressed_and_consent_unchanged(self, hooks: Hooks, shop: Shop) -> None:
        bob = profile_of(shop, EMAIL)
        assert reachable(shop, "email") == {bob["id"]}
        history = history_of(shop, bob)
        hooks.notify(EMAIL_TOPIC, email_consent("invalid", LATER))
        [suppression] = listed(shop)
        assert suppression == {
            **suppression,
            "channel": "email",
            "address": EMAIL,
            "reason": "invalid",
            "source": "import",
            "note": NOTE,
            "by": None,
            "createdAt": clock.to_text(moment(LATER)),
            "endsAt": None,
            "liftedAt": None,
        }
        assert check(shop) == {
            "channel": "email",
            "address": EMAIL,
            "marketing": False,
            "transactional": False,
            "why": ["suppressed"],
        }
        assert reachability(shop, bob)["email"]["suppression"] == suppression
        assert reachable(shop, "email") == set()
        assert hooks.profile().email_consent is ConsentState.SUBSCRIBED
        assert history_of(shop, bob) == history
        assert faults(ProfileLists(shop.workspace).by_first_seen) == []

    def test_address_of_new_customer_is_suppressed(self, hooks: Hooks, shop: Shop) -> None:
        hooks.notify("customers/create", customer_body(**consents("invalid")))
        assert addresses_of(listed(shop)) == [EMAIL]
        assert check(shop)["why"] == ["not_subscribed", "suppressed"]

    @pytest.mark.usefixtures("subscribed")
    @pytest.mark.parametrize("at", [LATER, None], ids=["dated", "undated"])
    def test_repeated_state_after_lift_does_not_suppress(
        self, hooks: Hooks, shop: Shop, at: str | None
    ) -> None:
        sent = clock.now()
        hooks.notify(EMAIL_TOPIC, email_consent("invalid", at), at=sent)
        [suppression] = listed(shop)
        hooks.notify(EMAIL_TOPIC, email_consent("invalid", at), at=sent)
        assert listed(shop) == [suppression]
        lift(shop, suppression)
        later = in_a_moment(hooks)
        hooks.notify(EMAIL_TOPIC, email_consent("invalid", at), at=sent)
        hooks.notify(UPDATE, customer_body(updated_at=later))
        hooks.notify(UPDATE, customer_body(updated_at=later, **consents("invalid", at=at)))
        assert listed(shop) == []
        assert check(shop)["marketing"] is True

    @pytest.mark.usefixtures("subscribed")
    @pytest.mark.parametrize("between", ["subscribed", None], ids=["valid meanwhile", "never"])
    def test_newer_invalid_state_after_lift_suppresses_again(
        self, hooks: Hooks, shop: Shop, between: str | None
    ) -> None:
        hooks.notify(EMAIL_TOPIC, email_consent("invalid", LATER))
        [before] = listed(shop)
        lift(shop, before)
        if between:
            hooks.notify(EMAIL_TOPIC, email_consent(between, in_a_moment(hooks)))
        hooks.notify(EMAIL_TOPIC, email_consent("invalid", in_a_moment(hooks)))
        [after] = listed(shop)
        assert after["id"] != before["id"]
        assert reachable(shop, "email") == set()

    @pytest.mark.usefixtures("subscribed")
    def test_lift_after_consent_time_prevails(self, hooks: Hooks, shop: Shop) -> None:
        """The shop found this before the lift, but sends it only now."""
        lift(shop, create(shop, EMAIL, "invalid"))
        hooks.notify(EMAIL_TOPIC, email_consent("invalid", LATER))
        assert listed(shop) == []
        later = in_a_moment(hooks)
        hooks.notify(UPDATE, customer_body(updated_at=later, **consents("invalid", at=LATER)))
        assert listed(shop) == []

    @pytest.mark.usefixtures("subscribed")
    def test_new_address_of_customer_is_suppressed(self, hooks: Hooks, shop: Shop) -> None:
        hooks.notify(EMAIL_TOPIC, email_consent("invalid", LATER))
        lift(shop, listed(shop)[0])
        other, later = f"new.{EMAIL}", in_a_moment(hooks)
        body = customer_body(email=other, updated_at=later, **consents("invalid", at=later))
        hooks.notify(UPDATE, body)
        assert addresses_of(listed(shop)) == [other]

    @pytest.mark.usefixtures("subscribed")
    @pytest.mark.parametrize(
        ("reason", "ends", "expected"),
        [
            ("hard_bounce", False, ["hard_bounce"]),
            ("complaint", False, ["complaint"]),
            ("invalid", False, ["invalid"]),
            ("manual", False, ["invalid", "manual"]),
            ("hard_bounce", True, ["hard_bounce", "invalid"]),
        ],
    )
    def test_existing_suppression_decides_whether_invalid_is_added(
        self, hooks: Hooks, shop: Shop, reason: str, *, ends: bool, expected: list[str]
    ) -> None:
        end = clock.now() + timedelta(days=9) if ends else None
        why, source = SuppressionReason(reason), SuppressionSource.SES
        suppress(shop.workspace, Channel.EMAIL, EMAIL, why, source, at=clock.now(), ends_at=end)
        hooks.notify(EMAIL_TOPIC, email_consent("invalid", LATER))
        assert sorted(each["reason"] for each in listed(shop)) == expected

    def test_new_customer_with_suppressed_address(self, hooks: Hooks, shop: Shop) -> None:
        create(shop, EMAIL)
        hooks.notify("customers/create", customer_body(**consents("invalid")))
        assert sorted(each["reason"] for each in listed(shop)) == ["invalid", "manual"]
        consent(shop, profile_of(shop, EMAIL), "subscribed")
        assert reachable(shop, "email") == set()

    def test_address_of_other_profile_is_suppressed(self, hooks: Hooks, shop: Shop) -> None:
        """Two customers of one shop stay two people; Ann, whose address it is, is suppressed."""
        hooks.notify("customers/create", customer_body(email=f"bob.{EMAIL}"))
        hooks.notify("customers/create", customer_body(id=7, phone=None, **consents("subscribed")))
        ann = profile_of(shop, EMAIL)
        assert reachable(shop, "email") == {ann["id"]}
        later = in_a_moment(hooks)
        hooks.notify(UPDATE, customer_body(updated_at=later, **consents("invalid", at=later)))
        assert str(hooks.customer().profile_id) != ann["id"]
        assert addresses_of(listed(shop)) == [EMAIL]
        assert reachable(shop, "email") == set()
        assert faults(ProfileLists(shop.workspace).by_first_seen) == []

    def test_customers_with_one_address_cause_one_suppression(
        self, hooks: Hooks, shop: Shop
    ) -> None:
        """It is suppressed once; after a lift, the other customer's record is too old as well."""
        hooks.notify("customers/create", customer_body(**consents("invalid", at=LATER)))
        other = customer_body(id=7, phone=None, updated_at=LATER, **consents("invalid", at=LATER))
        hooks.notify("customers/create", other)
        [suppression] = listed(shop)
        lift(shop, suppression)
        third = customer_body(id=8, phone=None, updated_at=LATER, **consents("invalid", at=LATER))
        hooks.notify("customers/create", third)
        assert listed(shop) == []

    def test_address_of_erased_person_is_suppressed(self, hooks: Hooks, shop: Shop) -> None:
        hooks.notify("customers/create", customer_body(**consents("subscribed")))
        erase(shop, EMAIL)
        assert listed(shop) == []
        later = in_a_moment(hooks)
        hooks.notify(UPDATE, customer_body(updated_at=later, **consents("invalid", at=later)))
        assert addresses_of(listed(shop)) == [EMAIL]
        assert check(shop)["why"] == ["not_subscribed", "suppressed"]

    def test_address_suppressed_by_hash_is_suppressed_again(self, hooks: Hooks, shop: Shop) -> None:
        """A new customer with the address names it again."""
        hooks.notify("customers/create", customer_body(**consents("subscribed")))
        create(shop, EMAIL)
        erase(shop, EMAIL)
        hooks.world.deliver()
        assert addresses_of(listed(shop)) == [None]
        later = in_a_moment(hooks)
        hooks.notify(UPDATE, customer_body(updated_at=later, **consents("invalid", at=later)))
        assert addresses_of(listed(shop)) == [EMAIL, EMAIL]

    @pytest.mark.usefixtures("subscribed")
    def test_endpoints_get_one_suppression_event(
        self, hooks: Hooks, owner: Someone, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("FEED_ALLOW_HOSTS", f"{hooks.shopify.server.host},{HOOK}")
        Endpoints(hooks.world, owner, hooks.workspace).made(["suppression.*", "consent.*"])
        hooks.notify(EMAIL_TOPIC, email_consent("invalid", LATER))
        hooks.notify(EMAIL_TOPIC, email_consent("invalid", LATER))
        [sent] = [each.json for each in receiver.received]
        assert sent["type"] == "suppression.created"
        assert (sent["data"]["address"], sent["data"]["reason"]) == (EMAIL, "invalid")

    @pytest.mark.parametrize("address", ["null", PHONE])
    def test_value_that_is_no_email_address_is_ignored(
        self, hooks: Hooks, shop: Shop, address: str
    ) -> None:
        hooks.notify("customers/create", customer_body(email=address, **consents("invalid")))
        assert listed(shop) == []

    @pytest.mark.usefixtures("subscribed")
    def test_killed_at_any_call(self, hooks: Hooks, shop: Shop) -> None:
        body = json.dumps(email_consent("invalid", LATER)).encode()
        message = json.dumps(Webhook(SHOP, EMAIL_TOPIC, clock.now(), body).payload())
        found = crashes(hooks.world, lambda: work_on(message, lambda: 10**6))
        assert len(found.positions) > 3
        for positions in found:
            work_on(message, lambda: 10**6)
            assert addresses_of(listed(shop)) == [EMAIL], positions
            assert reachable(shop, "email") == set(), positions


class TestPull:
    @pytest.fixture
    def buyers(self, hooks: Hooks, owner: Someone, shop: Shop) -> list[ShopCustomer]:
        """Forty subscribed customers, imported by a pull."""
        at = moment(LATER)
        made = [
            ShopCustomer(CUSTOMER + n, f"c{n}.{EMAIL}", created_at=at, updated_at=at)
            for n in range(40)
        ]
        for each in made:
            each.email_consent = Consent("SUBSCRIBED", at)
        hooks.shopify.shop(SHOP).customers.extend(made)
        pulled(hooks, owner)
        assert len(reachable(shop, "email")) == 40
        return made

    def spoil(self, buyers: list[ShopCustomer]) -> None:
        """The shop finds that addresses are invalid."""
        for each in buyers:
            each.updated_at = clock.now()
            each.email_consent = Consent("INVALID", each.updated_at)

    def test_many_addresses_are_suppressed(
        self, hooks: Hooks, owner: Someone, shop: Shop, buyers: list[ShopCustomer]
    ) -> None:
        self.spoil(buyers[:30])
        assert problems(hooks, owner, pulled(hooks, owner)) == []
        assert set(addresses_of(listed(shop))) == {each.email for each in buyers[:30]}
        assert len(reachable(shop, "email")) == 10
        assert faults(ProfileLists(shop.workspace).by_first_seen) == []

    def test_unchanged_record_after_lift_does_not_suppress(
        self, hooks: Hooks, owner: Someone, shop: Shop, buyers: list[ShopCustomer]
    ) -> None:
        self.spoil(buyers[:3])
        pulled(hooks, owner)
        lifted, *_ = listed(shop)
        lift(shop, lifted)
        in_a_moment(hooks)
        for each in buyers:
            each.updated_at = clock.now()
        pulled(hooks, owner)
        assert lifted["address"] not in addresses_of(listed(shop))
        assert len(listed(shop)) == 2
        self.spoil(buyers[:3])
        pulled(hooks, owner)
        assert len(listed(shop)) == 3

    def test_new_customers_with_one_address_cause_one_suppression(
        self, hooks: Hooks, owner: Someone, shop: Shop
    ) -> None:
        """The first customer gets the address; the others' records wait for its write."""
        at = moment(LATER)
        made = [ShopCustomer(n, EMAIL, created_at=at, updated_at=at) for n in range(1, 9)]
        for each in made:
            each.email_consent = Consent("INVALID", at)
        hooks.shopify.shop(SHOP).customers.extend(made)
        assert problems(hooks, owner, pulled(hooks, owner)) == []
        assert addresses_of(listed(shop)) == [EMAIL]
