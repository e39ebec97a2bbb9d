"""Consent written back to a shop: what it is sent, and each reason not to."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from werkzeug.wrappers import Request, Response

from local.events.pumps import pump_queue
from local.shopify.customers import Consent, ShopCustomer
from storepost.people.consent.states import ConsentState
from storepost.people.consent_changes.write_backs import write_back
from storepost.platform.attempts.waits import JITTER, WAITS
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.stores.stores.model import ConnectionStatus
from storepost.stores.stores.repository import StoreRepository
from storepost.sync.records.reading import moment_of
from storepost.sync.webhooks.people import GID
from storepost.values import clock
from tests.harness.call_interruption import before_the_commit, counted
from tests.harness.crash_points import crashes
from tests.harness.later_attempts import advance
from tests.harness.world import CANARY, Someone
from tests.people.consent.listening_store import Shop, hand_over
from tests.shopify.hooks import CUSTOMER, EMAIL, PHONE, UPDATED, Hooks, consents, customer_body
from tests.shopify.shops import SHOP, Shopify, connection_is


@pytest.fixture
def customer(hooks: Hooks, shopify: Shopify) -> ShopCustomer:
    """A customer whom both the shop and the service have."""
    made = ShopCustomer(CUSTOMER, EMAIL, PHONE, "Barnabas", "Biller")
    shopify.shop(SHOP).customers.append(made)
    hooks.notify("customers/create", customer_body(**consents("not_subscribed", at=None)))
    shopify.server.requests.clear()
    return made


@pytest.fixture
def want(hooks: Hooks, owner: Someone, customer: ShopCustomer) -> Callable[..., dict[str, Any]]:
    """A request changes the person's consent; the write-back once it was delivered."""

    def ask(state: str, channel: str = "email", **fields: Any) -> dict[str, Any]:
        path = f"/profiles/{hooks.profile().id}/consent/{channel}"
        answer = owner.call("PUT", path, {"state": state, **fields})
        assert answer.status == 200, answer.body
        hooks.world.deliver()
        return outcome(hooks, owner, answer.json["id"])

    return ask


def outcome(hooks: Hooks, owner: Someone, change_id: str) -> dict[str, Any]:
    """The outcome of the write-back."""
    path = f"/profiles/{hooks.profile().id}/consent/{change_id}"
    answer = owner.call("GET", path)
    [write_back] = answer.json["writeBacks"]
    assert write_back.pop("store")["id"] == str(hooks.store.id)
    assert (write_back["doneAt"] is None) == (write_back["status"] == "pending")
    return {name: write_back[name] for name in ("status", "skipReason", "error")}


WRITTEN = {"status": "written", "skipReason": None, "error": None}


def skipped(reason: str) -> dict[str, Any]:
    return {"status": "skipped", "skipReason": reason, "error": None}


def failed(error: str) -> dict[str, Any]:
    return {"status": "failed", "skipReason": None, "error": error}


type Want = Callable[..., dict[str, Any]]


class TestWritten:
    @pytest.mark.parametrize("state", ["subscribed", "unsubscribed"])
    def test_email(self, hooks: Hooks, customer: ShopCustomer, want: Want, state: str) -> None:
        at = (clock.now() - timedelta(hours=3)).isoformat()
        assert want(state, occurredAt=at) == WRITTEN
        assert customer.email_consent == Consent(state.upper(), datetime.fromisoformat(at))
        assert customer.sms_consent == Consent()
        stored = hooks.customer()
        assert (stored.email_consent.value, stored.email_consent_at) == (
            state,
            customer.email_consent.marketing_updated_at,
        )

    def test_sms(self, hooks: Hooks, customer: ShopCustomer, want: Want) -> None:
        assert want("subscribed", "sms") == WRITTEN
        assert customer.sms_consent.marketing_state == "SUBSCRIBED"
        assert customer.email_consent == Consent()
        assert hooks.customer().sms_consent is ConsentState.SUBSCRIBED

    def test_echoed_webhook_records_no_change(
        self, hooks: Hooks, owner: Someone, customer: ShopCustomer, want: Want
    ) -> None:
        want("unsubscribed")
        at = customer.email_consent.marketing_updated_at
        assert at is not None
        consent = {"state": "unsubscribed", "consent_updated_at": at.isoformat()}
        body = {"customer_id": CUSTOMER, "email_address": EMAIL, "email_marketing_consent": consent}
        hooks.notify("customers_email_marketing_consent/update", body)
        path = f"/profiles/{hooks.profile().id}/consent"
        assert owner.call("GET", path).json["total"] == 1

    def test_mutation_has_opt_in_level(self, shopify: Shopify, hooks: Hooks, want: Want) -> None:
        seen: list[dict[str, Any]] = []

        def look(request: Request) -> None:
            seen.append(request.get_json()["variables"])

        shopify.server.interruptions += [look, look]
        want("subscribed")
        assert seen[0] == {"id": f"{GID}{CUSTOMER}"}
        [variables] = [each["input"] for each in seen[1:]]
        assert variables["customerId"] == f"{GID}{CUSTOMER}"
        assert variables["emailMarketingConsent"].pop("consentUpdatedAt").endswith("Z")
        assert variables["emailMarketingConsent"] == {
            "marketingState": "SUBSCRIBED",
            "marketingOptInLevel": "SINGLE_OPT_IN",
        }

    def test_repeated_opt_out_overrides_older_subscription_in_shop(
        self, hooks: Hooks, customer: ShopCustomer, want: Want
    ) -> None:
        """The shop accepts nothing older than what it has: the last time counts."""
        hours = [(clock.now() - timedelta(hours=n)).isoformat() for n in (3, 2, 1)]
        hooks.shopify.shop().customers.clear()
        assert want("unsubscribed", occurredAt=hours[0]) == skipped("customer_deleted")
        customer.email_consent = Consent("SUBSCRIBED", datetime.fromisoformat(hours[1]))
        hooks.shopify.shop().customers.append(customer)
        want("unsubscribed", occurredAt=hours[2])
        fields = consents("subscribed", at=hours[1])
        hooks.notify("customers/update", customer_body(**fields, updated_at=hours[2]))
        assert customer.email_consent.marketing_state == "UNSUBSCRIBED"

    def test_expired_token_is_refreshed(self, hooks: Hooks, shopify: Shopify, want: Want) -> None:
        hooks.world.advance(hours=2)
        assert want("subscribed") == WRITTEN
        assert shopify.token_requests() == 1


class TestSkipped:
    """The first reason that applies, decided when the write-back is sent."""

    def test_store_disconnected(self, hooks: Hooks, shopify: Shopify, want: Want) -> None:
        hooks.remove_app()
        shopify.server.requests.clear()
        assert want("subscribed") == skipped("store_disconnected")
        assert shopify.server.requests == []

    def test_customer_deleted(self, hooks: Hooks, shopify: Shopify, want: Want) -> None:
        hooks.notify("customers/delete", {"id": CUSTOMER})
        assert want("subscribed") == skipped("customer_deleted")
        assert shopify.server.requests == []

    def test_customer_deleted_in_shop_without_webhook(self, shopify: Shopify, want: Want) -> None:
        shopify.shop(SHOP).customers.clear()
        assert want("subscribed") == skipped("customer_deleted")

    @pytest.mark.parametrize("email", [None, f"other.{CANARY}@example.com"])
    def test_email_changed_in_shop_without_webhook(
        self, customer: ShopCustomer, want: Want, email: str | None
    ) -> None:
        """No consent is written to another person's address."""
        customer.email = email
        assert want("subscribed") == skipped("no_email")
        assert customer.email_consent == Consent()

    @pytest.mark.parametrize("phone", [None, "no number"])
    def test_phone_changed_in_shop_without_webhook(
        self, customer: ShopCustomer, want: Want, phone: str | None
    ) -> None:
        customer.phone = phone
        assert want("subscribed", "sms") == skipped("no_email")

    def test_permission_missing(self, hooks: Hooks, shopify: Shopify, want: Want) -> None:
        def write(changes: Changes) -> None:
            repository = StoreRepository(hooks.workspace)
            store = repository.get(hooks.store.id)
            assert store is not None
            repository.save(changes, replace(store, takes_consent=False))

        commit_anew(write)
        assert want("subscribed") == skipped("permission_missing")
        assert shopify.server.requests == []

    def test_scope_withdrawn_in_shop_without_webhook(self, shopify: Shopify, want: Want) -> None:
        installation = shopify.shop().installation
        assert installation is not None
        installation.scopes = ("read_customers", "read_orders", "read_products")
        assert want("subscribed") == skipped("permission_missing")

    def test_superseded_by_newer_change(self, hooks: Hooks, owner: Someone, want: Want) -> None:
        path = f"/profiles/{hooks.profile().id}/consent/email"
        first = owner.call("PUT", path, {"state": "unsubscribed"})
        assert want("subscribed") == WRITTEN
        assert outcome(hooks, owner, first.json["id"]) == skipped("superseded")

    def test_superseded_by_newer_state_in_shop(self, customer: ShopCustomer, want: Want) -> None:
        later = clock.now() + timedelta(minutes=1)
        customer.email_consent = Consent("UNSUBSCRIBED", later)
        assert want("subscribed") == skipped("superseded")
        assert customer.email_consent == Consent("UNSUBSCRIBED", later)

    def test_already_current(self, hooks: Hooks, owner: Someone, shopify: Shopify) -> None:
        """A shop isn't sent its own statement."""
        hooks.notify("customers/create", customer_body(**consents("subscribed", at=UPDATED)))
        shopify.server.requests.clear()
        path = f"/profiles/{hooks.profile().id}/consent"
        [change] = owner.call("GET", path).json["items"]
        assert outcome(hooks, owner, change["id"]) == skipped("already_current")
        assert shopify.server.requests == []


class TestFailed:
    def test_store_needs_reauth(self, hooks: Hooks, want: Want) -> None:
        connection_is(hooks.store, ConnectionStatus.NEEDS_REAUTH)
        assert want("subscribed") == failed("Somebody has to approve the app in the shop again.")

    def test_token_refresh_is_refused(self, hooks: Hooks, shopify: Shopify, want: Want) -> None:
        shopify.shop().installation = None
        assert want("subscribed") == failed("Somebody has to approve the app in the shop again.")
        store = shopify.store(hooks.workspace)
        assert store.connection_status is ConnectionStatus.NEEDS_REAUTH

    @pytest.mark.parametrize("refusal", ["app removed", "scope withdrawn"])
    def test_shop_connected_again_during_failing_attempt_is_tried_next(
        self, hooks: Hooks, owner: Someone, shopify: Shopify, refusal: str
    ) -> None:
        """What the shop had missed was sent again just before this attempt was recorded."""
        subscribed = Consent("SUBSCRIBED", moment_of(UPDATED))
        customer = ShopCustomer(CUSTOMER, EMAIL, PHONE, email_consent=subscribed)
        shopify.shop(SHOP).customers.append(customer)
        hooks.notify("customers/create", customer_body(**consents("subscribed")))
        shop = Shop(hooks.world, owner, hooks.workspace)
        shop.change(hooks.profile(), "unsubscribed")
        [message] = shop.queued()
        installation = shopify.shop().installation
        assert installation is not None
        granted = installation.scopes
        if refusal == "app removed":
            shopify.shop().installation = None
        else:
            installation.scopes = ("read_customers", "read_orders", "read_products")

        def connect_again() -> None:
            installation.scopes = granted
            shopify.connect(owner, hooks.workspace)
            hooks.world.deliver()

        restore = hooks.world.checkpoint(deliver=False)
        last = counted(lambda: hand_over(message)).count("TransactWriteItems")
        restore()
        with before_the_commit(connect_again, last):
            assert not hand_over(message)
        assert hand_over(message, 2)
        assert customer.email_consent.marketing_state == "UNSUBSCRIBED"

    def test_user_error_from_shop(self, shopify: Shopify, want: Want) -> None:
        error = {"field": None, "message": f"{EMAIL} no", "code": "INVALID"}
        payload = {"customer": None, "userErrors": [error]}
        body = {"data": {"customerEmailMarketingConsentUpdate": payload}}
        shopify.server.interruptions += [_left_alone, _answer(body)]
        assert want("subscribed") == failed("The shop refused it: INVALID.")

    def test_graphql_error_from_shop(self, shopify: Shopify, want: Want) -> None:
        body = {"errors": [{"message": "What?", "extensions": {"code": "undefinedField"}}]}
        shopify.server.interruptions += [_answer(body)]
        assert want("subscribed") == failed("The shop didn't understand the request.")

    @pytest.mark.parametrize("data", ["{}", '{"customer": [1]}', '{"customer": "no"}'])
    def test_answer_of_another_shape_waits_for_the_next_attempt(
        self, hooks: Hooks, shopify: Shopify, want: Want, data: str
    ) -> None:
        shopify.answering(Response(f'{{"data": {data}}}'))
        assert want("subscribed") == {"status": "pending", "skipReason": None, "error": None}
        assert hooks.world.queue_depth("WriteBackQueue") == 0

    def test_fails_after_all_attempts(self, hooks: Hooks, owner: Someone, shopify: Shopify) -> None:
        hooks.notify("customers/create", customer_body(**consents("not_subscribed", at=None)))
        shopify.server.requests.clear()
        shopify.server.interruptions += [lambda _: Response(status=503)] * 100
        path = f"/profiles/{hooks.profile().id}/consent/email"
        answer = owner.call("PUT", path, {"state": "subscribed"})
        hooks.world.deliver_outbox()
        pump_queue("WriteBackQueue", 0)
        for wait in WAITS:
            result = outcome(hooks, owner, answer.json["id"])
            assert result == {"status": "pending", "skipReason": None, "error": None}
            advance(wait * (1 + JITTER) + timedelta(seconds=1))
        result = outcome(hooks, owner, answer.json["id"])
        assert result["status"] == "failed"
        assert result["error"].startswith("The change couldn't be sent to the shop: ")

    def test_lost_response_is_retried(
        self, hooks: Hooks, owner: Someone, shopify: Shopify, customer: ShopCustomer
    ) -> None:
        """The shop accepted it, but the answer got lost: the second time changes nothing there."""

        def done_and_lost(request: Request) -> Response:
            path = request.path.removeprefix(f"/shops/{SHOP}/")
            shopify.server.pretend.answer(request, SHOP, path)
            return Response(status=502)

        shopify.server.interruptions += [_left_alone, done_and_lost]
        path = f"/profiles/{hooks.profile().id}/consent/email"
        answer = owner.call("PUT", path, {"state": "subscribed"})
        hooks.world.deliver_outbox()
        pump_queue("WriteBackQueue", 0)
        assert outcome(hooks, owner, answer.json["id"])["status"] == "pending"
        assert customer.email_consent.marketing_state == "SUBSCRIBED"
        advance(timedelta(seconds=6))
        hooks.world.deliver()
        assert outcome(hooks, owner, answer.json["id"]) == WRITTEN


def _left_alone(_request: Request) -> None:
    return None


def _answer(body: object) -> Callable[[Request], Response]:
    text = json.dumps(body)
    return lambda _request: Response(text, mimetype="application/json")


GIVEN = {"email": "email_consent", "sms": "sms_consent"}


class TestKilled:
    """At any of its calls to AWS, so also between the shop's answer and the note of that."""

    def say(self, hooks: Hooks, owner: Someone, channel: str, state: str) -> str:
        """A request changes the person's consent; the change's id, before the shop is sent it."""
        path = f"/profiles/{hooks.profile().id}/consent/{channel}"
        answer = owner.call("PUT", path, {"state": state})
        assert answer.status == 200, answer.body
        return str(answer.json["id"])

    def work(self, hooks: Hooks, change_id: str) -> None:
        """The worker gets the write-back's message."""
        message = {
            "workspaceId": str(hooks.workspace.id),
            "storeId": str(hooks.store.id),
            "profileId": str(hooks.profile().id),
            "changeId": change_id,
        }
        write_back(json.dumps(message), 1)

    @pytest.mark.parametrize("channel", ["email", "sms"])
    def test_killed_at_any_call_is_written_once(
        self, hooks: Hooks, owner: Someone, customer: ShopCustomer, channel: str
    ) -> None:
        change = self.say(hooks, owner, channel, "subscribed")
        outside = [vars(customer)]
        found = crashes(
            hooks.world, lambda: self.work(hooks, change), outside=outside, deliver=False
        )
        assert len(found.positions) > 8
        for positions in found:
            self.work(hooks, change)
            assert outcome(hooks, owner, change) == WRITTEN, positions
            consent = getattr(customer, GIVEN[channel])
            assert consent.marketing_state == "SUBSCRIBED", positions
            path = f"/profiles/{hooks.profile().id}/consent"
            assert owner.call("GET", path).json["total"] == 1

    @pytest.mark.parametrize("channel", ["email", "sms"])
    def test_newer_change_after_kill_wins(
        self, hooks: Hooks, owner: Someone, customer: ShopCustomer, channel: str
    ) -> None:
        """The person changes their mind before the dead run is retried."""
        older = self.say(hooks, owner, channel, "subscribed")
        outside = [vars(customer)]
        found = crashes(
            hooks.world, lambda: self.work(hooks, older), outside=outside, deliver=False
        )
        for positions in found:
            newer = self.say(hooks, owner, channel, "unsubscribed")
            for change in (newer, older, newer):
                self.work(hooks, change)
            consent = getattr(customer, GIVEN[channel])
            assert consent.marketing_state == "UNSUBSCRIBED", positions
            assert outcome(hooks, owner, newer) == WRITTEN, positions
            assert outcome(hooks, owner, older) in (WRITTEN, skipped("superseded"))
