"""A shop's webhooks of customers: late, twice and out of order."""

import json
from datetime import datetime, timedelta
from itertools import permutations
from typing import Any

import pytest
from werkzeug.wrappers import Response

from local.events.pumps import pump_queue
from local.shopify.customers import Consent, ShopCustomer
from storepost.people.consent.states import ConsentState
from storepost.people.customers.repository import DeletedCustomerItem
from storepost.people.profiles.rows import ProfileItem
from storepost.stores.stores.model import ConnectionStatus
from storepost.sync.records.reading import moment_of
from storepost.sync.webhooks.messages import Webhook
from storepost.sync.webhooks.people import customer_changed, customer_deleted
from storepost.values import clock
from tests.harness.call_interruption import before_the_commit
from tests.harness.world import CANARY, Someone
from tests.shopify.hooks import (
    CREATED,
    CUSTOMER,
    EMAIL,
    LATER,
    PHONE,
    UPDATED,
    Hooks,
    consents,
    customer_body,
)
from tests.shopify.shops import SHOP, Shopify, connection_is

SUBSCRIBED, UNSUBSCRIBED = ConsentState.SUBSCRIBED, ConsentState.UNSUBSCRIBED
NOTHING, PENDING = ConsentState.NOT_SUBSCRIBED, ConsentState.PENDING
EMAIL_TOPIC = "customers_email_marketing_consent/update"
SMS_TOPIC = "customers_marketing_consent/update"
MERGED: dict[str, Any] = {
    "admin_graphql_api_customer_kept_id": "gid://shopify/Customer/7",
    "admin_graphql_api_customer_deleted_id": f"gid://shopify/Customer/{CUSTOMER}",
    "admin_graphql_api_job_id": None,
    "errors": [],
}


def moment(text: str) -> datetime:
    found = moment_of(text)
    assert found is not None
    return found


def in_shop(shopify: Shopify, **overrides: Any) -> ShopCustomer:
    """The customer as the Admin API has them."""
    fields = {
        "email": EMAIL,
        "phone": PHONE,
        "first_name": "Barnabas",
        "last_name": "Biller",
        **overrides,
    }
    times = {"created_at": moment(CREATED), "updated_at": moment(UPDATED)}
    customer = ShopCustomer(CUSTOMER, **{**times, **fields})
    shopify.shop(SHOP).customers.append(customer)
    return customer


def graphql_calls(shopify: Shopify) -> int:
    return shopify.server.requests.count("POST /admin/api/2026-07/graphql.json")


def email_consent(state: str | None, at: str | None = UPDATED, address: str = EMAIL) -> Any:
    return {
        "customer_id": CUSTOMER,
        "email_address": address,
        "email_marketing_consent": {
            "state": state,
            "opt_in_level": None,
            "consent_updated_at": at,
        },
    }


def sms_consent(state: str | None, at: str | None = UPDATED, phone: str = PHONE) -> Any:
    return {
        "id": CUSTOMER,
        "phone": phone,
        "sms_marketing_consent": {
            "state": state,
            "opt_in_level": None,
            "consent_updated_at": at,
            "consent_collected_from": "other",
        },
    }


class TestCreate:
    """customers/create."""

    def test_missing_consent_and_locale_are_read_from_shop(
        self, hooks: Hooks, shopify: Shopify
    ) -> None:
        """The webhook has neither consent nor the locale."""
        in_shop(shopify, locale="de", email_consent=Consent("SUBSCRIBED", moment(CREATED)))
        hooks.notify("customers/create", customer_body())
        customer, profile = hooks.customer(), hooks.profile()
        assert graphql_calls(shopify) == 1
        assert (customer.first_name, customer.last_name) == ("Barnabas", "Biller")
        assert (customer.email, customer.phone, customer.locale) == (EMAIL, PHONE, "de")
        assert customer.admin_url == f"{hooks.store.admin_url}/customers/{CUSTOMER}"
        assert customer.external_created_at == moment(CREATED)
        assert customer.external_updated_at == moment(UPDATED)
        assert (customer.email_consent, customer.sms_consent) == (SUBSCRIBED, NOTHING)
        assert customer.email_consent_at == moment(CREATED)
        assert (profile.name, profile.email_consent) == ("Barnabas Biller", SUBSCRIBED)

    def test_complete_webhook_needs_no_request_to_shop(
        self, hooks: Hooks, shopify: Shopify
    ) -> None:
        hooks.notify("customers/create", customer_body(**consents("subscribed", "unsubscribed")))
        assert graphql_calls(shopify) == 0
        customer = hooks.customer()
        assert (customer.email_consent, customer.sms_consent) == (SUBSCRIBED, UNSUBSCRIBED)

    def test_expired_token_is_refreshed(self, hooks: Hooks, shopify: Shopify) -> None:
        in_shop(shopify)
        hooks.world.advance(hours=2)
        hooks.notify("customers/create", customer_body())
        assert hooks.customer().email == EMAIL
        assert shopify.token_requests() == 1

    def test_customer_missing_in_shop_is_skipped(self, hooks: Hooks) -> None:
        hooks.notify("customers/create", customer_body())
        assert hooks.find_customer() is None

    def test_needs_reauth_stores_webhook_fields_only(self, hooks: Hooks, shopify: Shopify) -> None:
        """The webhook's own fields are stored nevertheless."""
        connection_is(hooks.store, ConnectionStatus.NEEDS_REAUTH)
        hooks.notify("customers/create", customer_body())
        assert (hooks.customer().email, hooks.customer().email_consent) == (EMAIL, NOTHING)
        assert graphql_calls(shopify) == 0

    def test_unavailable_shop_is_retried(self, hooks: Hooks, shopify: Shopify) -> None:
        """The queue delivers the message again."""
        in_shop(shopify)
        shopify.answering(*[Response(status=503)] * 3)
        hooks.post("customers/create", customer_body())
        hooks.world.deliver_outbox()
        pump_queue("WebhookQueue", 0)
        assert hooks.find_customer() is None
        hooks.world.deliver()
        assert hooks.customer().email == EMAIL
        assert hooks.world.queue_depth("WebhookDeadLetters") == 0


class TestUpdate:
    """customers/update."""

    @pytest.fixture(autouse=True)
    def _known(self, hooks: Hooks) -> None:
        hooks.notify("customers/create", customer_body(**consents("subscribed", at=CREATED)))

    def test_missing_consent_leaves_consent_unchanged(self, hooks: Hooks, shopify: Shopify) -> None:
        hooks.notify("customers/update", customer_body(updated_at=LATER, last_name="Baker"))
        customer = hooks.customer()
        assert (customer.last_name, customer.email_consent) == ("Baker", SUBSCRIBED)
        assert customer.external_updated_at == moment(LATER)
        assert hooks.profile().name == "Barnabas Baker"
        assert graphql_calls(shopify) == 0

    def test_older_update_is_ignored(self, hooks: Hooks) -> None:
        before = hooks.customer()
        hooks.notify("customers/update", customer_body(updated_at=CREATED, last_name="Baker"))
        assert hooks.customer() == before

    def test_duplicate_webhook_writes_nothing(self, hooks: Hooks) -> None:
        hooks.notify("customers/update", customer_body(updated_at=LATER, last_name="Baker"))
        before, rows = hooks.customer(), hooks.rows
        hooks.notify("customers/update", customer_body(updated_at=LATER, last_name="Baker"))
        assert (hooks.customer(), hooks.rows) == (before, rows)

    def test_consent_of_new_address_is_read_from_shop(self, hooks: Hooks, shopify: Shopify) -> None:
        new = f"new.{CANARY}@example.com"
        in_shop(
            shopify,
            email=new,
            updated_at=moment(LATER),
            email_consent=Consent("UNSUBSCRIBED", moment(LATER)),
        )
        hooks.notify("customers/update", customer_body(updated_at=LATER, email=new))
        assert (hooks.customer().email, hooks.customer().email_consent) == (new, UNSUBSCRIBED)

    def test_invalid_fields_are_skipped(self, hooks: Hooks) -> None:
        fields = {"phone": "555-1212", "first_name": " ", "last_name": "x" * 300}
        hooks.notify("customers/update", customer_body(updated_at=LATER, **fields))
        customer = hooks.customer()
        assert (customer.phone, customer.first_name) == (None, None)
        assert customer.last_name == "x" * 255

    def test_missing_locale_leaves_locale_unchanged(self, hooks: Hooks, shopify: Shopify) -> None:
        new = f"new.{CANARY}@example.com"
        in_shop(shopify, email=new, updated_at=moment(LATER), locale="fr-CA")
        hooks.notify("customers/update", customer_body(updated_at=LATER, email=new))
        hooks.notify("customers/update", customer_body(updated_at=LATER, email=new, last_name="B"))
        assert (hooks.customer().locale, hooks.customer().last_name) == ("fr-CA", "B")


class TestDelete:
    """customers/delete."""

    def test_customer_is_marked_deleted(self, hooks: Hooks) -> None:
        hooks.notify("customers/create", customer_body(**consents("subscribed")))
        hooks.notify("customers/delete", {"id": CUSTOMER})
        assert hooks.customer().deleted_at is not None
        assert hooks.profile().name == "Barnabas Biller"

    def test_older_update_does_not_restore_customer(self, hooks: Hooks) -> None:
        hooks.notify("customers/create", customer_body(**consents("subscribed")))
        hooks.notify("customers/delete", {"id": CUSTOMER})
        late = (clock.now() - timedelta(seconds=5)).isoformat()
        hooks.notify("customers/update", customer_body(updated_at=late, **consents("subscribed")))
        assert hooks.customer().deleted_at is not None

    def test_deletion_of_unknown_customer_blocks_older_updates(self, hooks: Hooks) -> None:
        """Webhooks older than the deletion create no customer; newer ones do."""
        deleted_at = moment(UPDATED) + timedelta(days=1)
        for at in (deleted_at, moment(CREATED)):
            hooks.notify("customers/delete", {"id": CUSTOMER}, at=at)
        consent = consents("subscribed")
        for at in (deleted_at, moment(UPDATED)):
            body = customer_body(updated_at=at.isoformat(), **consent)
            hooks.notify("customers/update", body)
            assert hooks.find_customer() is None
        assert not [row for row in hooks.world.rows() if isinstance(row, ProfileItem)]
        [deletion] = [row for row in hooks.world.rows() if isinstance(row, DeletedCustomerItem)]
        assert deletion.at == deleted_at
        assert timedelta(days=29) < deletion.expiration - clock.now() <= timedelta(days=30)
        hooks.notify("customers/update", customer_body(updated_at=LATER, **consent))
        assert (hooks.customer().email, hooks.customer().deleted_at) == (EMAIL, None)
        assert not [row for row in hooks.world.rows() if isinstance(row, DeletedCustomerItem)]

    def test_deletion_during_creation_prevents_customer(self, hooks: Hooks) -> None:
        def deletes() -> None:
            raw = json.dumps({"id": CUSTOMER}).encode()
            customer_deleted(hooks.store, Webhook(SHOP, "customers/delete", clock.now(), raw))

        raw = json.dumps(customer_body(**consents("subscribed"))).encode()
        with before_the_commit(deletes):
            customer_changed(hooks.store, Webhook(SHOP, "customers/create", clock.now(), raw))
        assert hooks.find_customer() is None

    def test_creation_during_deletion_marks_customer_deleted(self, hooks: Hooks) -> None:
        def brings() -> None:
            raw = json.dumps(customer_body(**consents("subscribed"))).encode()
            customer_changed(hooks.store, Webhook(SHOP, "customers/create", clock.now(), raw))

        raw = json.dumps({"id": CUSTOMER}).encode()
        with before_the_commit(brings):
            customer_deleted(hooks.store, Webhook(SHOP, "customers/delete", clock.now(), raw))
        assert hooks.customer().deleted_at is not None

    @pytest.mark.parametrize("is_late", [False, True])
    def test_erased_customer_is_recreated_by_newer_update_only(
        self, hooks: Hooks, owner: Someone, is_late: bool
    ) -> None:
        """Older webhooks create no customer, before the worker or after it; newer ones do."""
        deleted_at = moment(UPDATED) + timedelta(days=1)

        def deletes() -> None:
            raw = json.dumps({"id": CUSTOMER}).encode()
            customer_deleted(hooks.store, Webhook(SHOP, "customers/delete", deleted_at, raw))

        def tells(at: datetime) -> None:
            customer = customer_body(updated_at=at.isoformat(), **consents("subscribed"))
            raw = json.dumps(customer).encode()
            customer_changed(hooks.store, Webhook(SHOP, "customers/update", clock.now(), raw))

        hooks.notify("customers/create", customer_body(**consents("subscribed")))
        person = hooks.profile()

        def erases() -> None:
            assert owner.call("DELETE", f"/profiles/{person.id}").status == 204

        for step in (erases, deletes) if is_late else (deletes, erases):
            step()
        for _ in range(2):
            tells(deleted_at)
            tells(moment(UPDATED))
            assert not [row for row in hooks.world.rows() if isinstance(row, ProfileItem)]
            hooks.world.deliver()
        assert hooks.find_customer() is None
        [deletion] = [row for row in hooks.world.rows() if isinstance(row, DeletedCustomerItem)]
        assert deletion.at == deleted_at
        assert timedelta(days=29) < deletion.expiration - clock.now() <= timedelta(days=30)
        words = (EMAIL, PHONE, "Barnabas", "Biller", str(person.id))
        assert not [row for row in hooks.world.rows() if any(w in repr(vars(row)) for w in words)]
        tells(moment(LATER))
        assert (hooks.customer().email, hooks.customer().deleted_at) == (EMAIL, None)
        assert hooks.profile().id != person.id

    def test_newer_update_before_erasure_worker_creates_new_person(
        self, hooks: Hooks, owner: Someone
    ) -> None:
        hooks.notify("customers/create", customer_body(**consents("subscribed")))
        hooks.notify("customers/delete", {"id": CUSTOMER}, at=moment(UPDATED))
        person = hooks.profile()
        assert owner.call("DELETE", f"/profiles/{person.id}").status == 204
        raw = json.dumps(customer_body(updated_at=LATER, **consents("subscribed"))).encode()
        customer_changed(hooks.store, Webhook(SHOP, "customers/update", clock.now(), raw))
        hooks.world.deliver()
        assert (hooks.customer().email, hooks.customer().deleted_at) == (EMAIL, None)
        assert hooks.profile().id != person.id


class TestEmailConsent:
    """customers_email_marketing_consent/update."""

    @pytest.fixture(autouse=True)
    def _known(self, hooks: Hooks) -> None:
        hooks.notify("customers/create", customer_body(**consents("not_subscribed", at=None)))

    def test_subscribed(self, hooks: Hooks) -> None:
        hooks.notify(EMAIL_TOPIC, email_consent("subscribed"))
        customer, profile = hooks.customer(), hooks.profile()
        assert (customer.email_consent, customer.email_consent_at) == (SUBSCRIBED, moment(UPDATED))
        assert profile.email_consent is SUBSCRIBED
        assert customer.external_updated_at == moment(UPDATED)

    def test_change_names_shop_as_source(self, hooks: Hooks, owner: Someone) -> None:
        hooks.notify(EMAIL_TOPIC, email_consent("subscribed"))
        path = f"/profiles/{hooks.profile().id}/consent"
        [change] = owner.call("GET", path).json["items"]
        assert (change["source"], change["store"]["id"]) == ("shopify", str(hooks.store.id))
        assert change["occurredAt"] == "2026-02-05T15:00:00.000Z"
        assert change["by"] is None

    @pytest.mark.parametrize("order", list(permutations(range(3))))
    def test_result_is_independent_of_arrival_order(
        self, hooks: Hooks, order: tuple[int, ...]
    ) -> None:
        statements = [("subscribed", CREATED), ("unsubscribed", UPDATED), ("pending", LATER)]
        for number in order:
            hooks.notify(EMAIL_TOPIC, email_consent(*statements[number]))
        assert hooks.customer().email_consent is PENDING
        assert hooks.profile().email_consent is PENDING

    def test_duplicate_webhook_writes_nothing(self, hooks: Hooks) -> None:
        hooks.notify(EMAIL_TOPIC, email_consent("unsubscribed"))
        rows = hooks.rows
        hooks.notify(EMAIL_TOPIC, email_consent("unsubscribed"))
        assert hooks.rows == rows

    def test_concurrent_customer_update_does_not_lose_consent(self, hooks: Hooks) -> None:
        """A faster pull makes the record newer, which doesn't make the webhook's consent older."""
        hooks.notify(EMAIL_TOPIC, email_consent("subscribed", CREATED))

        def pull() -> None:
            raw = json.dumps(customer_body(updated_at=LATER, last_name="Miller")).encode()
            customer_changed(hooks.store, Webhook(SHOP, "customers/update", clock.now(), raw))

        with before_the_commit(pull, which=2):
            hooks.notify(EMAIL_TOPIC, email_consent("unsubscribed"))
        assert hooks.customer().last_name == "Miller"
        assert hooks.customer().email_consent is UNSUBSCRIBED
        assert hooks.profile().email_consent is UNSUBSCRIBED

    def test_invalid_address_leaves_profile_subscribed(self, hooks: Hooks) -> None:
        """`tests/shopify/test_opt_out_holds.py` has the boxes that people untick."""
        hooks.notify(EMAIL_TOPIC, email_consent("subscribed", CREATED))
        hooks.notify(EMAIL_TOPIC, email_consent("invalid"))
        assert hooks.customer().email_consent is NOTHING
        assert hooks.profile().email_consent is SUBSCRIBED

    @pytest.mark.parametrize("state", [None, "delighted"])
    def test_unknown_state_is_ignored(self, hooks: Hooks, state: str | None) -> None:
        before = hooks.customer()
        hooks.notify(EMAIL_TOPIC, email_consent(state))
        assert hooks.customer() == before

    def test_undated_unsubscription_counts_from_now(self, hooks: Hooks) -> None:
        hooks.notify(EMAIL_TOPIC, email_consent("subscribed", LATER))
        hooks.notify(EMAIL_TOPIC, email_consent("unsubscribed", None))
        assert hooks.profile().email_consent is UNSUBSCRIBED

    def test_undated_subscription_does_not_override_unsubscription(self, hooks: Hooks) -> None:
        hooks.notify(EMAIL_TOPIC, email_consent("unsubscribed", CREATED))
        hooks.notify(EMAIL_TOPIC, email_consent("subscribed", None))
        assert hooks.profile().email_consent is UNSUBSCRIBED

    def test_unknown_customer_is_read_from_shop(self, hooks: Hooks, shopify: Shopify) -> None:
        """The customer is read from the shop."""
        in_shop(shopify).number = 7
        shopify.shop(SHOP).customers[0].email_consent = Consent("UNSUBSCRIBED", moment(LATER))
        hooks.notify(EMAIL_TOPIC, {**email_consent("subscribed"), "customer_id": 7})
        assert hooks.customer(7).email_consent is UNSUBSCRIBED

    def test_consent_of_other_address_is_read_from_shop(
        self, hooks: Hooks, shopify: Shopify
    ) -> None:
        """A late statement about an old address changes nothing: the shop's own state counts."""
        in_shop(shopify, email_consent=Consent("UNSUBSCRIBED", moment(LATER)))
        hooks.notify(EMAIL_TOPIC, email_consent("subscribed", address=f"old.{CANARY}@example.com"))
        assert hooks.customer().email == EMAIL
        assert hooks.customer().email_consent is UNSUBSCRIBED


class TestSmsConsent:
    """customers_marketing_consent/update."""

    def test_subscribed(self, hooks: Hooks) -> None:
        hooks.notify("customers/create", customer_body(**consents("not_subscribed", at=None)))
        hooks.notify(SMS_TOPIC, sms_consent("subscribed"))
        customer, profile = hooks.customer(), hooks.profile()
        assert (customer.sms_consent, customer.sms_consent_at) == (SUBSCRIBED, moment(UPDATED))
        assert (profile.sms_consent, profile.email_consent) == (SUBSCRIBED, NOTHING)

    def test_unknown_customer_is_ignored(self, hooks: Hooks) -> None:
        hooks.notify(SMS_TOPIC, sms_consent("subscribed"))
        assert hooks.find_customer() is None


class TestMerge:
    """customers/merge."""

    def test_merged_customer_is_deleted_and_survivor_read_from_shop(
        self, hooks: Hooks, shopify: Shopify
    ) -> None:
        hooks.notify("customers/create", customer_body(**consents("subscribed")))
        in_shop(shopify, last_name="Both").number = 7
        hooks.notify("customers/merge", {**MERGED, "status": "completed"})
        assert hooks.customer().deleted_at is not None
        assert hooks.customer(7).last_name == "Both"
        assert hooks.customer(7).profile_id == hooks.customer().profile_id

    def test_failed_merge_is_ignored(self, hooks: Hooks, shopify: Shopify) -> None:
        hooks.notify("customers/create", customer_body(**consents("subscribed")))
        hooks.notify("customers/merge", {**MERGED, "status": "failed"})
        assert hooks.customer().deleted_at is None
        assert graphql_calls(shopify) == 0
