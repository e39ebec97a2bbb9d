"""The three privacy topics, also after the app was removed."""

import json
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from local.shopify.customers import ShopCustomer
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.rows import IdentityItem
from storepost.sync.records.reading import moment_of
from storepost.sync.webhooks import privacy, redacting, worker
from storepost.sync.webhooks.messages import Webhook
from storepost.values import clock
from tests.harness.call_interruption import before_the_commit
from tests.harness.crash_points import crashes
from tests.harness.world import CANARY, Someone
from tests.shopify.hooks import (
    CUSTOMER,
    EMAIL,
    ORDER,
    PHONE,
    UPDATED,
    Hooks,
    consents,
    customer_body,
    order_body,
)
from tests.shopify.privacy_requests import (
    ASKED,
    PERSON,
    REDACT,
    of_profile,
    profiles,
    put_elsewhere,
    remove_app,
)
from tests.shopify.shops import SHOP, Shopify


class TestDataRequest:
    """customers/data_request."""

    @pytest.mark.parametrize("is_removed", [False, True])
    def test_owner_gets_email(self, known: Hooks, owner: Someone, is_removed: bool) -> None:
        if is_removed:
            remove_app(known)
        known.notify("customers/data_request", {**ASKED, "orders_requested": [ORDER]})
        email = known.world.emails()[-1]
        assert email.to == owner.email
        assert str(CUSTOMER) in email.text
        assert str(known.customer().profile_id) in email.text
        assert EMAIL not in email.text + email.html

    def test_customer_known_by_orders_only(self, hooks: Hooks, owner: Someone) -> None:
        hooks.notify("orders/create", order_body())
        [profile] = profiles(hooks, owner)
        hooks.notify("customers/data_request", {**ASKED, "orders_requested": [ORDER]})
        email = hooks.world.emails()[-1]
        assert email.to == owner.email
        assert str(CUSTOMER) in email.text
        assert profile["id"] in email.text
        assert EMAIL not in email.text + email.html

    def test_erased_customer_with_new_order(self, known: Hooks, owner: Someone) -> None:
        """The rest of the erased customer names nobody."""
        [gone] = profiles(known, owner)
        assert owner.call("DELETE", f"/profiles/{gone['id']}").status == 204
        before = len(known.world.emails())
        webhook = Webhook(SHOP, "customers/data_request", clock.now(), json.dumps(ASKED).encode())
        privacy.data_requested(webhook, lambda: 10**6)
        body = json.dumps(order_body(id=99)).encode()
        created = Webhook(SHOP, "orders/create", clock.now(), body)
        worker.STORE_TOPICS["orders/create"](known.store, created)
        [profile] = profiles(known, owner)
        privacy.data_requested(webhook, lambda: 10**6)
        known.world.deliver()
        [email] = known.world.emails()[before:]
        assert profile["id"] in email.text
        assert gone["id"] not in email.text

    def test_unknown_customer_sends_no_email(self, hooks: Hooks) -> None:
        before = len(hooks.world.emails())
        hooks.notify("customers/data_request", ASKED)
        assert len(hooks.world.emails()) == before


class TestCustomerRedact:
    """customers/redact."""

    @pytest.mark.parametrize("is_removed", [False, True])
    def test_person_known_only_to_shop_is_erased(
        self, known: Hooks, owner: Someone, is_removed: bool
    ) -> None:
        if is_removed:
            remove_app(known)
        for _ in range(2):
            known.notify("customers/redact", REDACT)
        assert profiles(known, owner) == []
        assert known.find_customer() is None
        order = known.order()
        assert order is not None
        assert (order.profile_id, order.customer_external_id) == (None, None)
        words = (EMAIL, PHONE, "Barnabas", "Biller")
        assert [row for row in known.world.rows() if any(w in repr(vars(row)) for w in words)] == []

    def test_data_from_other_store_remains(self, known: Hooks, owner: Someone) -> None:
        put_elsewhere(known, owner, firstName="Barnabas")
        for _ in range(2):
            known.notify("customers/redact", REDACT)
        [profile] = profiles(known, owner)
        assert (profile["name"], profile["email"], profile["phone"]) == ("Barnabas", EMAIL, None)
        assert known.find_customer() is None
        names = of_profile(known, owner, profile["id"], "identities")
        assert [(each["type"], each["value"]) for each in names] == [
            ("platform_customer_id", "7"),
            ("email", EMAIL),
        ]
        assert of_profile(known, owner, profile["id"], "events") == []
        history = of_profile(known, owner, profile["id"], "consent")
        assert {each["address"] for each in history} == {EMAIL}
        whole = owner.call("GET", f"/profiles/{profile['id']}").json
        assert (whole["orders"], whole["spent"], len(whole["stores"])) == (0, [], 1)

    @pytest.mark.parametrize("statement", ["event", "anonymous id", "consent"])
    def test_profile_with_data_from_requests_remains(
        self, known: Hooks, owner: Someone, statement: str
    ) -> None:
        [profile] = profiles(known, owner)
        path, body = {
            "event": ("/events", {"profile": {"id": profile["id"]}, "name": "x", "properties": {}}),
            "anonymous id": ("/profiles", {"email": EMAIL, "anonymousId": "a-1"}),
            "consent": ("/consent/import", {"changes": [{
                "email": EMAIL, "state": "unsubscribed", "occurredAt": "2026-06-01T00:00:00Z",
            }]}),
        }[statement]  # fmt: skip
        answer = owner.call("POST", path, body)
        assert answer.status in {200, 201}, answer.body
        known.notify("customers/redact", REDACT)
        [left] = profiles(known, owner)
        assert left["id"] == profile["id"]
        assert (left["email"], left["phone"]) == (None, None)

    def test_rows_are_deleted_in_batches(
        self, known: Hooks, owner: Someone, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(redacting, "MAX_ROWS", 2)
        put_elsewhere(known, owner)
        for number in range(5):
            known.notify("orders/create", order_body(id=number + 1))
        [profile] = profiles(known, owner)
        assert len(of_profile(known, owner, profile["id"], "events")) > 5
        known.notify("customers/redact", REDACT)
        assert of_profile(known, owner, profile["id"], "events") == []
        found = ProfileRepository(known.workspace).get(UUID(profile["id"]))
        assert found is not None
        assert found.events == 0

    def test_killed_at_any_call(self, known: Hooks, owner: Someone) -> None:
        put_elsewhere(known, owner)
        other = {**PERSON, "id": 3, "email": f"eva.{CANARY}@example.com", "phone": None}
        known.notify("customers/create", customer_body(**other, **consents("subscribed")))
        restore = known.world.checkpoint()

        for customer, left in ((CUSTOMER, 2), (3, 1)):
            body = json.dumps({**REDACT, "customer": {"id": customer}}).encode()
            webhook = Webhook(SHOP, "customers/redact", clock.now(), body)
            work = partial(privacy.customer_redacted, webhook, lambda: 10**6)
            restore()
            for positions in crashes(known.world, work):
                work()
                known.world.deliver()
                assert known.find_customer(customer) is None, positions
                found = profiles(known, owner)
                assert len(found) == left, positions
                assert all(each["phone"] != PHONE for each in found) is (customer == CUSTOMER)

    def test_older_update_does_not_restore_customer(self, known: Hooks, owner: Someone) -> None:
        known.notify("customers/redact", REDACT)
        known.notify("customers/update", customer_body(**consents("subscribed")))
        known.notify("orders/updated", order_body())
        assert known.find_customer() is None
        assert profiles(known, owner) == []

    @pytest.mark.parametrize("is_known_to_others", [True, False])
    def test_restored_order_has_no_buyer(
        self, known: Hooks, owner: Someone, is_known_to_others: bool
    ) -> None:
        if is_known_to_others:
            put_elsewhere(known, owner)
        known.notify("orders/delete", {"id": ORDER})
        for _ in range(2):
            known.notify("customers/redact", REDACT)
        known.world.advance(minutes=1)
        known.notify("orders/updated", order_body(updated_at=clock.now().isoformat()))
        order = known.order()
        assert order is not None
        assert (order.profile_id, order.customer_external_id) == (None, None)
        found = [(each["name"], each["phone"]) for each in profiles(known, owner)]
        assert found == ([(None, None)] if is_known_to_others else [])

    @pytest.mark.parametrize("is_known_to_others", [True, False])
    def test_customer_known_by_order_only(
        self, hooks: Hooks, owner: Someone, is_known_to_others: bool
    ) -> None:
        if is_known_to_others:
            put_elsewhere(hooks, owner)
        hooks.notify("orders/create", order_body())
        for _ in range(2):
            hooks.notify("customers/redact", REDACT)
        words = ["Barnabas", PHONE] if is_known_to_others else ["Barnabas", PHONE, EMAIL]
        assert [row for row in hooks.world.rows() if any(w in repr(vars(row)) for w in words)] == []
        found = profiles(hooks, owner)
        assert [(p["name"], p["email"], p["phone"]) for p in found] == (
            [(None, EMAIL, None)] if is_known_to_others else []
        )
        for each in found:
            names = of_profile(hooks, owner, each["id"], "identities")
            assert [n["value"] for n in names] == ["7", EMAIL]
            assert of_profile(hooks, owner, each["id"], "events") == []

    def test_order_before_erasure_worker_is_redacted_too(
        self, known: Hooks, owner: Someone
    ) -> None:
        """The order claims the id, and the rest of the customer doesn't hide the new profile."""
        [profile] = profiles(known, owner)
        assert owner.call("DELETE", f"/profiles/{profile['id']}").status == 204
        order = order_body(id=99, updated_at=clock.now().isoformat())
        body = json.dumps(order).encode()
        created = Webhook(SHOP, "orders/create", clock.now(), body)
        worker.STORE_TOPICS["orders/create"](known.store, created)
        assert [each["email"] for each in profiles(known, owner)] == [EMAIL]
        known.world.advance(seconds=1)
        body = json.dumps({**REDACT, "orders_to_redact": [ORDER, 99]}).encode()
        webhook = Webhook(SHOP, "customers/redact", clock.now(), body)
        privacy.customer_redacted(webhook, lambda: 10**6)
        known.world.deliver()
        assert profiles(known, owner) == []
        words = (EMAIL, PHONE, "Barnabas", "Biller")
        assert [row for row in known.world.rows() if any(w in repr(vars(row)) for w in words)] == []

    def test_order_without_buyer_never_gets_one(self, known: Hooks, owner: Someone) -> None:
        """It never gets the buyer that its store sends later."""
        nobody: dict[str, Any] = {"customer": None, "email": "", "phone": None}
        known.notify("orders/create", order_body(id=7, **nobody))
        known.notify("customers/redact", {**REDACT, "orders_to_redact": [ORDER, 7]})
        known.world.advance(minutes=1)
        known.notify("orders/updated", order_body(id=7, updated_at=clock.now().isoformat()))
        order = known.order(7)
        assert order is not None
        assert (order.profile_id, profiles(known, owner)) == (None, [])

    def test_later_pull_does_not_restore_customer(
        self, known: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        at = moment_of(UPDATED)
        assert at is not None
        known.notify("customers/redact", REDACT)
        there = [ShopCustomer(n, f"{n}.{CANARY}@example.com", updated_at=at) for n in (1, CUSTOMER)]
        shopify.shop().customers += there
        path = f"/stores/{known.store.id}/imports"
        scope = {"scope": "customers_orders"}
        assert owner.call("POST", path, scope).status == 202
        known.world.deliver()
        assert [each["email"] for each in profiles(known, owner)] == [there[0].email]

    def test_redaction_of_unknown_customer_blocks_older_records(self, hooks: Hooks) -> None:
        hooks.notify("customers/redact", REDACT)
        assert hooks.find_customer() is None
        hooks.notify("customers/create", customer_body(**consents("subscribed")))
        assert hooks.find_customer() is None

    @pytest.mark.parametrize("what", ["orders/create", "customers/create"])
    @pytest.mark.parametrize("was_erased", [False, True])
    def test_redaction_during_creation_prevents_profile(
        self, hooks: Hooks, owner: Someone, what: str, was_erased: bool
    ) -> None:
        """The redaction finds nobody, and nobody is created; a customer sent later is."""

        def body(**overrides: Any) -> dict[str, Any]:
            if what == "orders/create":
                return order_body(**overrides)
            return customer_body(**overrides, **consents("subscribed"))

        if was_erased:
            hooks.notify("customers/create", customer_body(**consents("subscribed")))
            path = f"/profiles/{hooks.profile().id}"
            assert owner.call("DELETE", path).status == 204
        webhook = Webhook(SHOP, what, clock.now(), json.dumps(body()).encode())
        payload = json.dumps({**REDACT, "orders_to_redact": []}).encode()
        redacts = Webhook(SHOP, "customers/redact", clock.now(), payload)
        with before_the_commit(lambda: privacy.customer_redacted(redacts, lambda: 10**6)):
            worker.STORE_TOPICS[what](hooks.store, webhook)
        assert profiles(hooks, owner) == []
        hooks.world.deliver()
        later = (clock.now() + timedelta(seconds=1)).isoformat()
        hooks.notify(what, body(updated_at=later, id=7 if what == "orders/create" else CUSTOMER))
        [profile] = profiles(hooks, owner)
        assert profile["email"] == EMAIL
        named = [row for row in hooks.world.rows() if isinstance(row, IdentityItem)]
        assert {str(row.profile_id) for row in named} == {profile["id"]}
        assert [row for row in named if row.expiration is not None] == []

    def test_older_redaction_does_not_move_time_back(self, hooks: Hooks) -> None:
        """Records older than the newer redaction create no customer, now or later."""
        first = clock.now()
        for at in (first, first - timedelta(days=1)):
            hooks.notify("customers/redact", REDACT, at=at)
        between = (first - timedelta(hours=1)).isoformat()
        hooks.notify(
            "customers/create", customer_body(updated_at=between, **consents("subscribed"))
        )
        assert hooks.find_customer() is None
        newer = (first + timedelta(seconds=1)).isoformat()
        hooks.notify("customers/create", customer_body(updated_at=newer, **consents("subscribed")))
        assert hooks.customer().email == EMAIL

    def test_concurrent_older_redaction_does_not_move_time_back(self, hooks: Hooks) -> None:
        first = clock.now()

        def redacts(at: datetime) -> None:
            webhook = Webhook(SHOP, "customers/redact", at, json.dumps(REDACT).encode())
            privacy.customer_redacted(webhook, lambda: 10**6)

        with before_the_commit(lambda: redacts(first)):
            redacts(first - timedelta(days=1))
        between = (first - timedelta(hours=1)).isoformat()
        hooks.notify(
            "customers/create", customer_body(updated_at=between, **consents("subscribed"))
        )
        assert hooks.find_customer() is None
