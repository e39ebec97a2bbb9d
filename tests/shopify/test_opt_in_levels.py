"""Shopify's opt-in level is read, stored as evidence, and never written back as a lower one."""

from typing import Any

import pytest

from local.shopify.customers import Consent, ShopCustomer
from storepost.values import clock
from tests.harness.world import BASE_URL, Someone
from tests.shopify.hooks import CUSTOMER, EMAIL, LATER, PHONE, UPDATED, Hooks, customer_body
from tests.shopify.shops import SHOP, Shopify
from tests.shopify.test_hooks_of_people import EMAIL_TOPIC, email_consent


def marketing(state: str, level: str | None, at: str = UPDATED) -> Any:
    """The shop's webhook of a consent, with its level."""
    body = email_consent(state, at)
    body["email_marketing_consent"]["opt_in_level"] = level
    return body


def evidence(hooks: Hooks, owner: Someone) -> list[dict[str, Any]]:
    """The person's evidence, the newest first."""
    path = f"/profiles/{hooks.profile().id}/consent/evidence"
    return list(owner.call("GET", path).json["items"])


def change(hooks: Hooks, owner: Someone, state: str, **body: object) -> None:
    """A request changes the person's consent, and the shop is sent that."""
    path = f"/profiles/{hooks.profile().id}/consent/email"
    payload = {"state": state, **body}
    assert owner.call("PUT", path, payload).status == 200
    hooks.world.deliver()


@pytest.fixture
def customer(hooks: Hooks, shopify: Shopify) -> ShopCustomer:
    """A customer whom both the shop and the service have."""
    made = ShopCustomer(CUSTOMER, EMAIL, PHONE, "Barnabas", "Biller")
    shopify.shop(SHOP).customers.append(made)
    hooks.notify("customers/create", customer_body())
    return made


class TestRead:
    @pytest.mark.parametrize(
        ("level", "stored"),
        [
            ("single_opt_in", "single"),
            ("CONFIRMED_OPT_IN", "confirmed"),
            ("unknown", "unknown"),
            (None, "unknown"),
        ],
    )
    def test_level_from_webhook(
        self, hooks: Hooks, owner: Someone, customer: ShopCustomer, level: str | None, stored: str
    ) -> None:
        hooks.notify(EMAIL_TOPIC, marketing("subscribed", level))
        [one] = evidence(hooks, owner)
        assert (one["optInLevel"], one["source"]) == (stored, "shopify")
        assert one["store"]["id"] == str(hooks.store.id)

    def test_level_read_from_shop(self, hooks: Hooks, owner: Someone, shopify: Shopify) -> None:
        made = ShopCustomer(CUSTOMER, EMAIL, PHONE)
        made.email_consent = Consent("SUBSCRIBED", clock.from_text(UPDATED), "CONFIRMED_OPT_IN")
        made.sms_consent = Consent("SUBSCRIBED", clock.from_text(UPDATED), "SINGLE_OPT_IN")
        shopify.shop(SHOP).customers.append(made)
        hooks.notify("customers/create", customer_body())
        found = {each["channel"]: each["optInLevel"] for each in evidence(hooks, owner)}
        assert found == {"email": "confirmed", "sms": "single"}

    def test_later_level_adds_evidence_once(
        self, hooks: Hooks, owner: Someone, customer: ShopCustomer
    ) -> None:
        hooks.notify(EMAIL_TOPIC, marketing("subscribed", "single_opt_in"))
        hooks.notify(EMAIL_TOPIC, marketing("subscribed", "confirmed_opt_in"))
        hooks.notify(EMAIL_TOPIC, marketing("subscribed", "confirmed_opt_in"))
        assert [each["optInLevel"] for each in evidence(hooks, owner)] == ["confirmed", "single"]


class TestWrittenBack:
    def level(self, customer: ShopCustomer) -> str | None:
        """The level that the shop has."""
        return customer.email_consent.marketing_opt_in_level

    def test_unknown_level_is_written_as_single(
        self, hooks: Hooks, owner: Someone, customer: ShopCustomer
    ) -> None:
        change(hooks, owner, "subscribed")
        assert self.level(customer) == "SINGLE_OPT_IN"

    def test_confirmed_request_is_written_as_confirmed(
        self, hooks: Hooks, owner: Someone, customer: ShopCustomer
    ) -> None:
        change(hooks, owner, "subscribed", evidence={"optInLevel": "confirmed"})
        assert self.level(customer) == "CONFIRMED_OPT_IN"

    def test_unsubscription_does_not_lower_confirmed_level(
        self, hooks: Hooks, owner: Someone, customer: ShopCustomer
    ) -> None:
        hooks.notify(EMAIL_TOPIC, marketing("subscribed", "confirmed_opt_in"))
        change(hooks, owner, "unsubscribed")
        assert customer.email_consent.marketing_state == "UNSUBSCRIBED"
        assert self.level(customer) == "CONFIRMED_OPT_IN"

    def test_confirmed_level_known_only_to_shop_is_not_lowered(
        self, hooks: Hooks, owner: Someone, customer: ShopCustomer
    ) -> None:
        at = clock.from_text(UPDATED)
        customer.email_consent = Consent("SUBSCRIBED", at, "CONFIRMED_OPT_IN")
        change(hooks, owner, "subscribed")
        assert self.level(customer) == "CONFIRMED_OPT_IN"

    def test_resubscription_needs_new_confirmation(
        self, hooks: Hooks, owner: Someone, customer: ShopCustomer
    ) -> None:
        change(hooks, owner, "subscribed", evidence={"optInLevel": "confirmed"})
        change(hooks, owner, "unsubscribed")
        change(hooks, owner, "subscribed")
        assert self.level(customer) == "SINGLE_OPT_IN"
        change(hooks, owner, "unsubscribed")
        change(hooks, owner, "subscribed", evidence={"optInLevel": "confirmed"})
        assert self.level(customer) == "CONFIRMED_OPT_IN"

    def test_echoed_write_back_adds_no_evidence(
        self, hooks: Hooks, owner: Someone, customer: ShopCustomer
    ) -> None:
        change(hooks, owner, "subscribed", evidence={"optInLevel": "confirmed"})
        at = customer.email_consent.marketing_updated_at
        assert at is not None
        back = marketing("subscribed", "confirmed_opt_in", at.replace(microsecond=0).isoformat())
        hooks.notify(EMAIL_TOPIC, back)
        assert len(evidence(hooks, owner)) == 1
        hooks.notify(EMAIL_TOPIC, marketing("subscribed", "confirmed_opt_in", LATER))
        assert len(evidence(hooks, owner)) == 1


class TestDoubleOptIn:
    """Write-backs to a shop while an opt-in email is open, and once it is confirmed."""

    def ask(self, hooks: Hooks, owner: Someone) -> str:
        """Sends the opt-in email; the path of its link."""
        path = f"/profiles/{hooks.profile().id}/opt-in-requests"
        form = {"proof": {"reference": "form 4711"}}
        assert owner.call("POST", path, form).status == 202
        [link] = hooks.world.emails()[-1].links
        return link.removeprefix(BASE_URL)

    def confirm(self, hooks: Hooks, path: str) -> None:
        """Presses the button of the page."""
        body, kind = b"answer=subscribe", "application/x-www-form-urlencoded"
        answer = hooks.world.call("POST", path, headers={"content-type": kind}, body=body)
        assert answer.status == 200
        hooks.world.deliver()

    def test_pending_then_subscribed_with_a_confirmed_opt_in(
        self, hooks: Hooks, owner: Someone, customer: ShopCustomer
    ) -> None:
        path = self.ask(hooks, owner)
        assert customer.email_consent.marketing_state == "PENDING"
        self.confirm(hooks, path)
        consent = customer.email_consent
        assert (consent.marketing_state, consent.marketing_opt_in_level) == (
            "SUBSCRIBED",
            "CONFIRMED_OPT_IN",
        )
        at = consent.marketing_updated_at
        assert at is not None
        back = marketing("subscribed", "confirmed_opt_in", at.replace(microsecond=0).isoformat())
        hooks.notify(EMAIL_TOPIC, back)
        assert [each["state"] for each in evidence(hooks, owner)] == ["subscribed", "pending"]

    def test_echoed_pending_does_not_block_confirmation(
        self, hooks: Hooks, owner: Someone, customer: ShopCustomer
    ) -> None:
        path = self.ask(hooks, owner)
        at = customer.email_consent.marketing_updated_at
        assert at is not None
        hooks.notify(EMAIL_TOPIC, marketing("pending", "single_opt_in", at.isoformat()))
        self.confirm(hooks, path)
        assert customer.email_consent.marketing_state == "SUBSCRIBED"

    def test_subscribed_person_stays_subscribed_until_confirmed(
        self, hooks: Hooks, owner: Someone, customer: ShopCustomer
    ) -> None:
        change(hooks, owner, "subscribed")
        path = self.ask(hooks, owner)
        assert customer.email_consent.marketing_state == "SUBSCRIBED"
        self.confirm(hooks, path)
        assert customer.email_consent.marketing_opt_in_level == "CONFIRMED_OPT_IN"

    def test_subscription_made_in_shop_gets_confirmed_level(
        self, hooks: Hooks, owner: Someone, customer: ShopCustomer
    ) -> None:
        """The shop has the state already, and is only sent the level."""
        customer.email_consent = Consent("SUBSCRIBED", clock.from_text(UPDATED), "SINGLE_OPT_IN")
        hooks.notify(EMAIL_TOPIC, marketing("subscribed", "single_opt_in"))
        path = self.ask(hooks, owner)
        requested_at = clock.now()
        self.confirm(hooks, path)
        consent = customer.email_consent
        assert consent.marketing_opt_in_level == "CONFIRMED_OPT_IN"
        assert consent.marketing_updated_at is not None
        assert consent.marketing_updated_at >= requested_at
        at = consent.marketing_updated_at.replace(microsecond=0).isoformat()
        known = len(evidence(hooks, owner))
        hooks.notify(EMAIL_TOPIC, marketing("subscribed", "confirmed_opt_in", at))
        assert len(evidence(hooks, owner)) == known
        updated_at = consent.marketing_updated_at
        self.confirm(hooks, path)
        assert customer.email_consent.marketing_updated_at == updated_at
