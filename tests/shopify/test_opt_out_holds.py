"""An opt-out holds everywhere: a shop's boxes, and links in emails of a shop that has moved."""

from datetime import timedelta
from functools import partial

import pytest

from local.shopify.customers import Consent, ShopCustomer
from storepost.people.consent.missed_write_backs import MissedWriteBackItem
from storepost.people.consent.owed_opt_outs import OwedOptOutItem
from storepost.people.consent.states import ConsentState
from storepost.sync.records.reading import moment_of
from storepost.values import clock
from tests.harness.crash_points import crashes
from tests.harness.world import BASE_URL, Someone, World
from tests.people.consent.customers_of_stores import change_consent, erase
from tests.people.consent.imports import history_of, profile_of, upserted
from tests.people.consent.listening_store import Shop, hand_over
from tests.people.matching.scenario import ANN
from tests.shopify.hooks import (
    CUSTOMER,
    EMAIL,
    LATER,
    PHONE,
    UPDATED,
    Hooks,
    consents,
    customer_body,
)
from tests.shopify.pulls import pulled
from tests.shopify.shops import SHOP, Shopify
from tests.shopify.test_hooks_of_people import (
    EMAIL_TOPIC,
    SMS_TOPIC,
    email_consent,
    sms_consent,
)


class TestUntickedBoxes:
    """Boxes of a shop that gave `subscribed` last."""

    @pytest.mark.parametrize("at", [LATER, None], ids=["dated", "undated"])
    @pytest.mark.parametrize(
        ("state", "becomes"),
        [
            ("not_subscribed", ConsentState.UNSUBSCRIBED),
            ("redacted", ConsentState.UNSUBSCRIBED),
            ("invalid", ConsentState.SUBSCRIBED),
        ],
    )
    def test_webhook_with_unticked_box_unsubscribes(
        self, hooks: Hooks, state: str, becomes: ConsentState, at: str | None
    ) -> None:
        hooks.notify("customers/create", customer_body(**consents("subscribed")))
        hooks.notify(EMAIL_TOPIC, email_consent(state, at))
        assert hooks.profile().email_consent is becomes
        assert hooks.customer().email_consent is ConsentState.NOT_SUBSCRIBED


class TestUndatedWebhooks:
    """Webhooks about consent without a consent time, such as a merchant's import of a list."""

    @pytest.fixture(params=["email", "sms"])
    def channel(self, request: pytest.FixtureRequest) -> str:
        """The channel that they are about."""
        return str(request.param)

    @pytest.fixture
    def buyer(self, hooks: Hooks, owner: Someone, shopify: Shopify, channel: str) -> ShopCustomer:
        """A customer who unsubscribed here; the shop was told."""
        at = moment_of(UPDATED)
        made = ShopCustomer(CUSTOMER, EMAIL, PHONE)
        made.email_consent, made.sms_consent = (Consent("SUBSCRIBED", at) for _ in range(2))
        shopify.shop(SHOP).customers.append(made)
        hooks.notify("customers/create", customer_body(**consents("subscribed", "subscribed")))
        path = f"/profiles/{hooks.profile().id}/consent/{channel}"
        assert owner.call("PUT", path, {"state": "unsubscribed"}).status == 200
        hooks.world.deliver()
        assert self.state(made, channel) == "UNSUBSCRIBED"
        return made

    def state(self, buyer: ShopCustomer, channel: str) -> str:
        """What the shop has."""
        consent = buyer.email_consent if channel == "email" else buyer.sms_consent
        return consent.marketing_state

    def subscribe(self, hooks: Hooks, buyer: ShopCustomer, channel: str, *, late: bool) -> None:
        """The shop subscribes the customer; its webhook is from before the opt-out if `late`."""
        if not late:
            hooks.world.advance(hours=1)
            setattr(buyer, f"{channel}_consent", Consent("SUBSCRIBED"))
        at = clock.now() - timedelta(hours=1) if late else clock.now()
        if channel == "email":
            hooks.notify(EMAIL_TOPIC, email_consent("subscribed", None), at=at)
        else:
            hooks.notify(SMS_TOPIC, sms_consent("subscribed", None), at=at)

    def test_undated_subscription_after_opt_out_is_corrected(
        self, hooks: Hooks, owner: Someone, buyer: ShopCustomer, channel: str
    ) -> None:
        sent_after = clock.now()
        self.subscribe(hooks, buyer, channel, late=False)
        assert self.state(buyer, channel) == "UNSUBSCRIBED"
        profile = hooks.profile()
        states = {"email": profile.email_consent, "sms": profile.sms_consent}
        assert states.pop(channel) is ConsentState.UNSUBSCRIBED
        assert list(states.values()) == [ConsentState.SUBSCRIBED]
        change = owner.call("GET", f"/profiles/{profile.id}/consent").json["items"][0]
        assert [each["skipReason"] for each in change["writeBacks"]] == ["superseded"]
        assert clock.from_text(change["occurredAt"]) >= sent_after

    def test_late_undated_subscription_is_ignored(
        self, hooks: Hooks, owner: Someone, buyer: ShopCustomer, channel: str
    ) -> None:
        path = f"/profiles/{hooks.profile().id}/consent"
        before = owner.call("GET", path).json
        self.subscribe(hooks, buyer, channel, late=True)
        assert owner.call("GET", path).json == before


class TestLinksOfMovedShop:
    """A link works for its workspace, and for the workspaces that have its stores now."""

    def link(self, shop: Shop, email: str) -> str:
        """The path of a link for a new subscriber."""
        person = upserted(shop, email=email)["id"]
        path, token = f"/profiles/{person}", shop.owner.token
        body = {"state": "subscribed"}
        answer = shop.world.call("PUT", f"{path}/consent/email", token=token, json_body=body)
        assert answer.status == 200
        made = shop.world.call("POST", f"{path}/unsubscribe-links", token=token)
        return str(made.json["url"]).removeprefix(BASE_URL)

    def one_click(self, world: World, path: str) -> int:
        """The answer to the one click."""
        form = {"content-type": "application/x-www-form-urlencoded"}
        return world.call("POST", path, headers=form, body=b"List-Unsubscribe=One-Click").status

    @pytest.fixture
    def shops_of_move(self, world: World, shopify: Shopify, owner: Someone) -> tuple[Shop, Shop]:
        """The shop's former and present workspace."""
        before = Shop(world, owner, world.workspace(owner))
        shopify.connect(owner, before.workspace)
        stranger = world.person()
        after = Shop(world, stranger, world.workspace(stranger))
        shopify.connect(stranger, after.workspace)
        return before, after

    @pytest.mark.parametrize("is_known", [True, False])
    def test_link_unsubscribes_in_both_workspaces(
        self, world: World, shops_of_move: tuple[Shop, Shop], is_known: bool
    ) -> None:
        before, after = shops_of_move
        path = self.link(before, ANN)
        if is_known:
            self.link(after, ANN)
        assert self.one_click(world, path) == 200
        assert profile_of(before, ANN)["emailMarketingConsent"] == "unsubscribed"
        assert profile_of(after, ANN)["emailMarketingConsent"] == "unsubscribed"

    def test_link_works_after_erasure_in_former_workspace(
        self, world: World, shops_of_move: tuple[Shop, Shop]
    ) -> None:
        before, after = shops_of_move
        path = self.link(before, ANN)
        self.link(after, ANN)
        person = profile_of(before, ANN)["id"]
        before.owner.call("DELETE", f"/profiles/{person}")
        assert world.call("GET", path).status == 200
        assert self.one_click(world, path) == 200
        assert profile_of(after, ANN)["emailMarketingConsent"] == "unsubscribed"

    def test_link_unsubscribes_an_address_that_the_current_workspace_erased(
        self, world: World, shops_of_move: tuple[Shop, Shop]
    ) -> None:
        before, after = shops_of_move
        path = self.link(before, ANN)
        self.link(after, ANN)
        erase(after, ANN)
        world.deliver()
        assert self.one_click(world, path) == 200
        assert profile_of(before, ANN)["emailMarketingConsent"] == "unsubscribed"
        assert profile_of(after, ANN)["emailMarketingConsent"] == "unsubscribed"

    def test_link_of_current_workspace_does_not_affect_former_one(
        self, world: World, shops_of_move: tuple[Shop, Shop]
    ) -> None:
        """A link of the present workspace changes nothing in the former one."""
        before, after = shops_of_move
        self.link(before, ANN)
        assert self.one_click(world, self.link(after, ANN)) == 200
        assert profile_of(before, ANN)["emailMarketingConsent"] == "subscribed"

    def test_killed_at_any_call(
        self, world: World, shops_of_move: tuple[Shop, Shop], owner: Someone
    ) -> None:
        """A person who follows it again is unsubscribed in both, once."""
        before, after = shops_of_move
        path = self.link(before, ANN)
        self.link(after, ANN)
        found = crashes(world, lambda: self.one_click(world, path))
        assert len(found.positions) > 10
        for positions in found:
            assert self.one_click(world, path) == 200, positions
            for shop in (before, after):
                person = profile_of(shop, ANN)
                assert person["emailMarketingConsent"] == "unsubscribed", positions
                states = [each["state"] for each in history_of(shop, person)]
                assert states == ["unsubscribed", "subscribed"], positions

    def test_killed_while_address_is_unknown_in_current_workspace(
        self, world: World, shops_of_move: tuple[Shop, Shop]
    ) -> None:
        before, after = shops_of_move
        path = self.link(before, ANN)
        found = crashes(world, lambda: self.one_click(world, path))
        for positions in found:
            assert self.one_click(world, path) == 200, positions
            person = profile_of(after, ANN)
            assert person["emailMarketingConsent"] == "unsubscribed", positions
            assert len(history_of(after, person)) == 1, positions


class TestPulledBoxes:
    """Boxes that a pull finds unticked after the shop gave `subscribed`."""

    @pytest.fixture
    def buyer(self, hooks: Hooks, owner: Someone, shopify: Shopify) -> ShopCustomer:
        """A subscribed customer, imported by a pull."""
        at = moment_of(UPDATED)
        assert at is not None
        made = ShopCustomer(CUSTOMER, EMAIL, PHONE, created_at=at, updated_at=at)
        made.email_consent, made.sms_consent = (Consent("SUBSCRIBED", at) for _ in range(2))
        shopify.shop(SHOP).customers.append(made)
        pulled(hooks, owner)
        assert self.consent(hooks, "email") is ConsentState.SUBSCRIBED
        assert self.consent(hooks, "sms") is ConsentState.SUBSCRIBED
        return made

    def consent(self, hooks: Hooks, channel: str) -> ConsentState:
        """What the profile shows."""
        profile = hooks.profile()
        return profile.email_consent if channel == "email" else profile.sms_consent

    @pytest.mark.parametrize("is_dated", [True, False])
    @pytest.mark.parametrize(
        ("channel", "state", "becomes"),
        [
            ("email", "NOT_SUBSCRIBED", ConsentState.UNSUBSCRIBED),
            ("email", "INVALID", ConsentState.SUBSCRIBED),
            ("sms", "NOT_SUBSCRIBED", ConsentState.UNSUBSCRIBED),
            # An email address of the Admin API has no such state.
            ("sms", "REDACTED", ConsentState.UNSUBSCRIBED),
        ],
    )
    def test_unticked_box_unsubscribes_only_that_channel(
        self,
        hooks: Hooks,
        owner: Someone,
        buyer: ShopCustomer,
        channel: str,
        state: str,
        becomes: ConsentState,
        is_dated: bool,
    ) -> None:
        at = moment_of(LATER)
        assert at is not None
        buyer.updated_at = at
        setattr(buyer, f"{channel}_consent", Consent(state, at if is_dated else None))
        pulled(hooks, owner)
        assert self.consent(hooks, channel) is becomes
        other = "sms" if channel == "email" else "email"
        assert self.consent(hooks, other) is ConsentState.SUBSCRIBED

    def test_repeated_pull_records_no_change(
        self, hooks: Hooks, owner: Someone, buyer: ShopCustomer
    ) -> None:
        path = f"/profiles/{hooks.profile().id}/consent"
        before = owner.call("GET", path).json
        pulled(hooks, owner)
        assert owner.call("GET", path).json == before

    def test_pulled_subscription_of_unsubscribed_person_is_corrected(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        """The shop has a person who unsubscribed before: it is sent the opt-out."""
        shop = Shop(hooks.world, owner, hooks.workspace)
        upserted(shop, email=EMAIL)
        change_consent(shop, EMAIL, "unsubscribed")
        at = moment_of(UPDATED)
        assert at is not None
        made = ShopCustomer(CUSTOMER, EMAIL, created_at=at, updated_at=at)
        made.email_consent = Consent("SUBSCRIBED", at)
        shopify.shop(SHOP).customers.append(made)
        pulled(hooks, owner)
        assert made.email_consent.marketing_state == "UNSUBSCRIBED"
        assert hooks.profile().email_consent is ConsentState.UNSUBSCRIBED
        assert hooks.customer().email_consent is ConsentState.UNSUBSCRIBED


class TestPermissionRestored:
    """A shop that withdrew the permission is sent the missed opt-outs once it grants it again."""

    def grant(self, hooks: Hooks, shopify: Shopify, *scopes: str) -> None:
        """The shop grants exactly these scopes."""
        installation = shopify.shop().installation
        assert installation is not None
        installation.scopes = scopes
        hooks.notify("app/scopes_update", {"previous": [], "current": []})

    @pytest.mark.parametrize("state", ["unsubscribed", "subscribed"])
    def test_only_unsubscriptions_are_written_back(
        self, hooks: Hooks, owner: Someone, shopify: Shopify, state: str
    ) -> None:
        made = ShopCustomer(CUSTOMER, EMAIL, PHONE)
        made.email_consent = Consent("PENDING", moment_of(UPDATED))
        shopify.shop(SHOP).customers.append(made)
        hooks.notify("customers/create", customer_body(**consents("pending")))
        others = ("read_orders", "read_products", "write_discounts")
        self.grant(hooks, shopify, "read_customers", *others)
        change_consent(Shop(hooks.world, owner, hooks.workspace), EMAIL, state)
        hooks.world.deliver()
        assert made.email_consent.marketing_state == "PENDING"
        self.grant(hooks, shopify, "write_customers", *others)
        hooks.world.deliver()
        expected = {"unsubscribed": "UNSUBSCRIBED", "subscribed": "PENDING"}[state]
        assert made.email_consent.marketing_state == expected

    def test_shop_that_still_lacks_a_scope_is_sent_nothing(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        made = ShopCustomer(CUSTOMER, EMAIL, PHONE)
        made.email_consent = Consent("PENDING", moment_of(UPDATED))
        shopify.shop(SHOP).customers.append(made)
        hooks.notify("customers/create", customer_body(**consents("pending")))
        self.grant(hooks, shopify, "read_customers", "read_orders", "read_products")
        change_consent(Shop(hooks.world, owner, hooks.workspace), EMAIL, "unsubscribed")
        hooks.world.deliver()
        for scopes, expected in (
            (("write_customers", "read_orders"), ("skipped", "permission_missing")),
            (("write_customers", "read_orders", "read_products"), ("written", None)),
        ):
            self.grant(hooks, shopify, *scopes)
            hooks.world.deliver()
            row, *_ = owner.call("GET", "/write-backs").json["items"]
            assert (row["writeBack"]["status"], row["writeBack"]["skipReason"]) == expected
        assert made.email_consent.marketing_state == "UNSUBSCRIBED"

    @pytest.mark.parametrize("is_erased", [False, True])
    def test_late_webhooks_about_the_permission_send_the_opt_out(
        self, hooks: Hooks, owner: Someone, shopify: Shopify, is_erased: bool
    ) -> None:
        """Both arrive after the permission was granted again: the store never lacked it here."""
        made = ShopCustomer(CUSTOMER, EMAIL, PHONE)
        made.email_consent = Consent("SUBSCRIBED", moment_of(UPDATED))
        shopify.shop(SHOP).customers.append(made)
        hooks.notify("customers/create", customer_body(**consents("subscribed")))
        installation = shopify.shop().installation
        assert installation is not None
        granted = installation.scopes
        installation.scopes = ("read_customers", "read_orders", "read_products")
        shop = Shop(hooks.world, owner, hooks.workspace)
        change_consent(shop, EMAIL, "unsubscribed")
        if is_erased:
            erase(shop, EMAIL)
        hooks.world.deliver()
        assert made.email_consent.marketing_state == "SUBSCRIBED"
        installation.scopes = granted
        for _ in range(2):
            hooks.notify("app/scopes_update", {"previous": [], "current": []})
        assert made.email_consent.marketing_state == "UNSUBSCRIBED"


class TestOwedOptOut:
    """A shop that lacks an opt-out is sent it after an erasure, if its address is the same."""

    @pytest.fixture
    def buyer(self, hooks: Hooks, shopify: Shopify) -> ShopCustomer:
        """A customer whom the shop has as subscribed."""
        at = moment_of(UPDATED)
        made = ShopCustomer(CUSTOMER, EMAIL, PHONE)
        made.email_consent = Consent("SUBSCRIBED", at)
        shopify.shop(SHOP).customers.append(made)
        hooks.notify("customers/create", customer_body(**consents("subscribed")))
        return made

    def erase_with_a_no(self, hooks: Hooks, owner: Someone) -> None:
        """The person opts out and is erased before the shop is sent that."""
        shop = Shop(hooks.world, owner, hooks.workspace)
        change_consent(shop, EMAIL, "unsubscribed")
        erase(shop, EMAIL)

    def check_forgotten(self, hooks: Hooks) -> None:
        """Nothing is kept for the shop."""
        kinds = (OwedOptOutItem, MissedWriteBackItem)
        assert not [row for row in hooks.world.rows() if isinstance(row, kinds)]

    def test_opt_out_is_written_after_erasure(
        self, hooks: Hooks, owner: Someone, buyer: ShopCustomer
    ) -> None:
        self.erase_with_a_no(hooks, owner)
        hooks.world.deliver()
        assert buyer.email_consent.marketing_state == "UNSUBSCRIBED"
        assert buyer.sms_consent == Consent()
        self.check_forgotten(hooks)

    def test_changed_address_is_not_unsubscribed(
        self, hooks: Hooks, owner: Someone, buyer: ShopCustomer
    ) -> None:
        buyer.email = f"another.{EMAIL}"
        self.erase_with_a_no(hooks, owner)
        hooks.world.deliver()
        assert buyer.email_consent.marketing_state == "SUBSCRIBED"
        self.check_forgotten(hooks)

    def test_customer_deleted_in_shop(
        self, hooks: Hooks, owner: Someone, buyer: ShopCustomer, shopify: Shopify
    ) -> None:
        shopify.shop(SHOP).customers.remove(buyer)
        self.erase_with_a_no(hooks, owner)
        hooks.world.deliver()
        self.check_forgotten(hooks)

    def test_permission_granted_again_sends_the_opt_out(
        self, hooks: Hooks, owner: Someone, buyer: ShopCustomer, shopify: Shopify
    ) -> None:
        """It refuses the opt-out before its webhook says that it withdrew the permission."""
        installation = shopify.shop().installation
        assert installation is not None
        granted = installation.scopes
        installation.scopes = ("read_customers", "read_orders", "read_products")
        self.erase_with_a_no(hooks, owner)
        hooks.world.deliver()
        assert buyer.email_consent.marketing_state == "SUBSCRIBED"
        hooks.notify("app/scopes_update", {"previous": [], "current": []})
        installation.scopes = granted
        hooks.notify("app/scopes_update", {"previous": [], "current": []})
        hooks.world.deliver()
        assert buyer.email_consent.marketing_state == "UNSUBSCRIBED"
        self.check_forgotten(hooks)

    def test_killed_at_any_call(
        self, hooks: Hooks, owner: Someone, buyer: ShopCustomer, shopify: Shopify
    ) -> None:
        shop = Shop(hooks.world, owner, hooks.workspace)
        change_consent(shop, EMAIL, "unsubscribed")
        hooks.world.deliver_outbox()
        erase(shop, EMAIL)
        [message] = shop.queued()
        outside = shopify.shop(SHOP).customers
        found = crashes(hooks.world, partial(hand_over, message), outside=[outside], deliver=False)
        assert len(found.positions) > 6
        for positions in found:
            assert hand_over(message, 2), positions
            assert outside[0].email_consent.marketing_state == "UNSUBSCRIBED", positions
            hooks.world.deliver()
            self.check_forgotten(hooks)
