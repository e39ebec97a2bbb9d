"""A shop that Shopify demands to be redacted, and orders that arrive later."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from local.shopify.customers import ShopCustomer
from storepost.platform.jobs.runs import Remaining
from storepost.sync.records.reading import moment_of
from storepost.sync.webhooks import privacy
from storepost.sync.webhooks.messages import ResumePoint, Webhook
from storepost.values import clock
from tests.harness.call_interruption import before_the_commit
from tests.harness.crash_points import crashes
from tests.harness.world import CANARY, Someone
from tests.shopify.hooks import (
    CUSTOMER,
    EMAIL,
    ORDER,
    UPDATED,
    Hooks,
    consents,
    customer_body,
    order_body,
)
from tests.shopify.privacy_requests import (
    REDACT,
    of_profile,
    profiles,
    put_elsewhere,
    remove_app,
    shop_redaction,
)
from tests.shopify.pulls import order_node, pulled
from tests.shopify.shops import SHOP, Shopify
from tests.shopify.test_reconciling import fill


class TestLateOrder:
    """An order that wasn't stored when its customer was redacted."""

    def test_older_order_creates_no_profile(self, hooks: Hooks, owner: Someone) -> None:
        hooks.notify("customers/create", customer_body(**consents("subscribed", "subscribed")))
        hooks.notify("customers/redact", REDACT)
        for _ in range(2):
            hooks.notify("orders/create", order_body())
        order = hooks.order()
        assert order is not None
        assert (order.profile_id, order.customer_external_id) == (None, None)
        assert order.buyer_erased
        assert profiles(hooks, owner) == []
        assert [row for row in hooks.world.rows() if EMAIL in repr(vars(row))] == []

    def test_newer_order_creates_profile(self, hooks: Hooks, owner: Someone) -> None:
        hooks.notify("customers/redact", REDACT)
        later = (clock.now() + timedelta(seconds=1)).isoformat()
        hooks.notify("orders/create", order_body(updated_at=later))
        [profile] = profiles(hooks, owner)
        assert profile["email"] == EMAIL

    def test_order_of_deleted_customer_has_buyer(self, hooks: Hooks, owner: Someone) -> None:
        hooks.notify("customers/delete", {"id": CUSTOMER})
        hooks.notify("orders/create", order_body())
        [profile] = profiles(hooks, owner)
        order = hooks.order()
        assert order is not None
        assert str(order.profile_id) == profile["id"]

    def test_guest_order_updated_with_redacted_customer_loses_buyer(
        self, hooks: Hooks, owner: Someone
    ) -> None:
        """The profile for which it counted has nothing of it any more."""
        guest = f"guest.{CANARY}@example.com"
        hooks.notify("orders/create", order_body(customer=None, email=guest))
        hooks.notify("customers/redact", {**REDACT, "orders_to_redact": []})
        hooks.notify("orders/updated", order_body())
        [profile] = profiles(hooks, owner)
        shown = owner.call("GET", f"/profiles/{profile['id']}").json
        assert (shown["email"], shown["orders"]) == (guest, 0)
        order = hooks.order()
        assert order is not None
        assert (order.profile_id, order.buyer_erased) == (None, True)

    def test_pulled_orders_create_no_profile(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        at = moment_of(UPDATED)
        assert at is not None
        buyer = ShopCustomer(CUSTOMER, EMAIL, created_at=at, updated_at=at)
        hooks.notify("customers/redact", {**REDACT, "orders_to_redact": []})
        shopify.shop().orders += [order_node(n, buyer) for n in (1, 2)]
        assert pulled(hooks, owner)["imported"]["orders"] == 2
        assert profiles(hooks, owner) == []
        assert [hooks.order(n) is not None for n in (1, 2)] == [True, True]


class TestShopRedact:
    """shop/redact."""

    BODY = f'{{"shop_id": 954889, "shop_domain": "{SHOP}"}}'.encode()

    def test_all_data_of_shop_is_deleted(
        self, known: Hooks, owner: Someone, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(privacy, "_PAGE", 2)
        for number in range(4):
            more = {"email": f"{number}.{CANARY}@example.com", **consents("subscribed")}
            known.notify("orders/create", order_body(id=number + 1))
            known.notify("customers/create", customer_body(id=number + 1, phone=None, **more))
        remove_app(known)
        known.notify("shop/redact", self.BODY)
        assert profiles(known, owner) == []
        assert owner.call("GET", "/orders").json["total"] == 0
        assert [row for row in known.world.rows() if EMAIL in repr(vars(row))] == []

    def test_person_known_to_other_store_remains(self, known: Hooks, owner: Someone) -> None:
        put_elsewhere(known, owner)
        remove_app(known)
        known.notify("shop/redact", self.BODY)
        [profile] = profiles(known, owner)
        assert (profile["name"], profile["email"], profile["phone"]) == (None, EMAIL, None)
        assert str(known.store.id) not in profile["storeIds"]

    def test_guests_known_by_orders_only(
        self, hooks: Hooks, owner: Someone, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A person whom another store has stays, without what the shop sent of them."""
        monkeypatch.setattr(privacy, "_PAGE", 2)
        put_elsewhere(hooks, owner)
        guests = [f"guest-{n}.{CANARY}@example.com" for n in range(3)]
        for number, email in enumerate([EMAIL, *guests, guests[0]]):
            hooks.notify("orders/create", order_body(id=number + 1, customer=None, email=email))
        assert len(profiles(hooks, owner)) == 4
        remove_app(hooks)
        work = partial(privacy.shop_redacted, shop_redaction(self.BODY), lambda: 10**6)
        for _ in crashes(hooks.world, work):
            work()
            hooks.world.deliver()
            [profile] = profiles(hooks, owner)
            assert (profile["email"], str(hooks.store.id) in profile["storeIds"]) == (EMAIL, False)
            assert of_profile(hooks, owner, profile["id"], "events") == []
            assert owner.call("GET", "/orders").json["total"] == 0
            stored = repr([vars(row) for row in hooks.world.rows()])
            assert [each for each in guests if each in stored] == []

    def test_reconnected_shop_is_imported_again(
        self, known: Hooks, shopify: Shopify, owner: Someone
    ) -> None:
        at = moment_of(UPDATED)
        assert at is not None
        buyer = ShopCustomer(CUSTOMER, EMAIL, created_at=at, updated_at=at)
        shopify.shop().customers.append(buyer)
        shopify.shop().orders.append(order_node(ORDER, buyer))
        remove_app(known)
        known.notify("shop/redact", self.BODY)
        shopify.connect(owner, known.workspace)
        known.world.deliver()
        assert known.customer().email == EMAIL
        assert known.order() is not None

    def test_ignored_for_reconnected_shop(
        self, known: Hooks, shopify: Shopify, owner: Someone
    ) -> None:
        remove_app(known)
        shopify.connect(owner, known.workspace)
        known.notify("shop/redact", self.BODY)
        assert known.customer().email == EMAIL
        assert known.order() is not None

    @pytest.mark.parametrize("which", [1, 2, 4])
    def test_stops_when_shop_is_reconnected_concurrently(
        self, known: Hooks, shopify: Shopify, owner: Someone, which: int
    ) -> None:
        """The records that it sent by then stay, also if an earlier message comes later."""
        fill(shopify, 2, 2)
        known.notify(
            "orders/create", order_body(id=77, customer=None, email=f"g.{CANARY}@x.example")
        )
        remove_app(known)
        webhook = shop_redaction(self.BODY)

        def comes_back() -> None:
            shopify.connect(owner, known.workspace)
            known.world.deliver()

        with before_the_commit(comes_back, which):
            privacy.shop_redacted(webhook, lambda: 10**6)
        known.world.deliver()
        known.world.advance(seconds=1)
        known.remove_app()
        privacy.shop_redacted(webhook, lambda: 10**6)
        assert all(known.find_customer(n) for n in (1, 2))
        assert all(known.order(n) for n in (1, 2))

    def test_run_out_of_time_is_continued_by_next_run(
        self, known: Hooks, owner: Someone, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Each run does three things, and queues the next run with the position that it reached."""
        monkeypatch.setattr(privacy, "_PAGE", 1)
        put_elsewhere(known, owner)
        for number in range(1, 5):
            email = f"guest-{number}.{CANARY}@example.com"
            known.notify("orders/create", order_body(id=number, customer=None, email=email))
        guest = {"customer": None, "email": EMAIL}
        known.notify("orders/create", order_body(id=5, **guest))
        remove_app(known)
        runs: list[ResumePoint | None] = []

        def work(webhook: Webhook, _remaining: Remaining) -> None:
            left = iter([10**6] * 3)
            runs.append(webhook.resume_point)
            privacy.shop_redacted(webhook, lambda: next(left, 0))

        monkeypatch.setitem(privacy.PRIVACY_TOPICS, "shop/redact", work)
        known.notify("shop/redact", self.BODY)
        assert owner.call("GET", "/orders").json["total"] == 0
        assert [each["email"] for each in profiles(known, owner)] == [EMAIL]
        # Twelve things: six orders, five people, and one who stays and is read again.
        assert runs[0] is None
        assert [each and each.store_id for each in runs[1:]] == [known.store.id] * 3

    @pytest.mark.parametrize("is_erased", [True, False])
    def test_customer_list_changes_between_runs(
        self, hooks: Hooks, owner: Someone, monkeypatch: pytest.MonkeyPatch, is_erased: bool
    ) -> None:
        """A person leaves the part of the list that is done, or moves into it."""
        monkeypatch.setattr(privacy, "_PAGE", 1)
        other = f"/stores/{hooks.world.store(owner)}/customers"
        own = [{"id": n, "email": f"{n}.{CANARY}@example.com", "phone": None} for n in range(1, 5)]

        def puts_elsewhere(person: dict[str, Any], created_at: str, updated_at: str) -> None:
            body = {"email": person["email"], "externalCreatedAt": created_at}
            body["externalUpdatedAt"] = updated_at
            assert owner.call("PUT", f"{other}/{person['id']}", body).status in {200, 201}

        for person in own:
            created_at = f"2026-01-0{person['id']}T00:00:00Z"
            customer = customer_body(**person, created_at=created_at, **consents("subscribed"))
            hooks.notify("customers/create", customer)
            puts_elsewhere(person, "2026-02-01T00:00:00Z", "2026-02-01T00:00:00Z")
            order = order_body(id=person["id"], customer=person, email=person["email"])
            hooks.notify("orders/create", order)
        remove_app(hooks)
        left = iter([10**6] * 2)
        privacy.shop_redacted(shop_redaction(self.BODY), lambda: next(left, 0))
        done = [own[n - 1] for n in range(1, 5) if not hooks.find_customer(n)]
        assert 1 <= len(done) < len(own)
        if is_erased:
            [gone] = [p for p in profiles(hooks, owner) if p["email"] == done[0]["email"]]
            assert owner.call("DELETE", f"/profiles/{gone['id']}").status == 204
        else:
            puts_elsewhere(own[-1], "2025-01-01T00:00:00Z", "2026-02-02T00:00:00Z")
        hooks.world.deliver()
        assert [n for n in range(1, 5) if hooks.find_customer(n)] == []
        assert owner.call("GET", "/orders").json["total"] == 0
        found = {each["email"] for each in profiles(hooks, owner)}
        assert found == {person["email"] for person in own[is_erased:]}
