"""A shop's webhooks about itself, and about the app's removal."""

from dataclasses import replace
from datetime import timedelta

import pytest

from local.shopify.shops import Locale
from storepost.shopify.claims import find_claim
from storepost.shopify.grants import find_grant
from storepost.stores.stores.model import ConnectionStatus, StoreStatus
from storepost.sync.webhooks.messages import Webhook
from storepost.sync.webhooks.shop import app_removed
from storepost.values import clock
from storepost.values.scope import WorkspaceScope
from tests.harness.call_interruption import before_the_commit
from tests.harness.world import Someone
from tests.shopify.hooks import SHOP_BODY, Hooks, customer_body
from tests.shopify.pulls import imports_of
from tests.shopify.shops import SHOP, Shopify, choose_existing, connection_is, tokens_of


class TestUninstalled:
    """app/uninstalled."""

    def test_store_is_disconnected(self, hooks: Hooks, shopify: Shopify) -> None:
        before = clock.now()
        hooks.remove_app()
        store = shopify.store(hooks.workspace)
        assert store.status is StoreStatus.DISCONNECTED
        assert store.disconnected_at is not None
        assert before <= store.disconnected_at <= clock.now()
        assert (find_claim(SHOP), find_grant(SHOP)) == (None, None)

    def test_later_webhooks_are_ignored(self, hooks: Hooks) -> None:
        hooks.remove_app()
        hooks.notify("customers/create", customer_body())
        assert hooks.find_customer() is None

    def test_duplicate_webhook(self, hooks: Hooks, shopify: Shopify) -> None:
        for _ in range(2):
            hooks.remove_app()
        assert shopify.store(hooks.workspace).status is StoreStatus.DISCONNECTED

    def test_late_webhook_after_reconnection_is_ignored(
        self, hooks: Hooks, shopify: Shopify, owner: Someone
    ) -> None:
        removed_at = clock.now()
        hooks.remove_app()
        hooks.world.advance(seconds=1)
        shopify.connect(owner, hooks.workspace)
        hooks.notify("app/uninstalled", SHOP_BODY, at=removed_at)
        assert shopify.store(hooks.workspace).is_active

    def test_late_webhook_after_new_approval_is_ignored(
        self, hooks: Hooks, shopify: Shopify
    ) -> None:
        """The shop accepts the new tokens: the store stays until another workspace is chosen."""
        hooks.world.advance(minutes=5)
        removed_at = clock.now()
        hooks.world.advance(minutes=2)
        other = hooks.world.person()
        theirs = hooks.world.workspace(other)
        link = shopify.link(other, SHOP)
        hooks.world.advance(minutes=1)
        for _ in range(2):
            hooks.notify("app/uninstalled", SHOP_BODY, at=removed_at)
        assert shopify.store(hooks.workspace).is_active
        assert shopify.choose(other, link, choose_existing(theirs)).status == 200
        assert shopify.store(hooks.workspace).status is StoreStatus.DISCONNECTED
        hooks.world.advance(days=1)
        grant = find_grant(SHOP)
        assert grant is not None
        assert grant.refresh_token() == tokens_of(shopify.shop()).refresh_token
        assert shopify.store(theirs).is_active

    def test_tokens_of_concurrent_approval_stay_valid_for_an_hour(
        self, hooks: Hooks, shopify: Shopify
    ) -> None:
        """The approval's tokens are stored just before the removal is written, for an hour."""
        hooks.world.advance(minutes=5)
        removed_at, other = clock.now(), hooks.world.person()
        theirs = hooks.world.workspace(other)
        hooks.world.advance(minutes=2)
        links: list[str] = []
        webhook = Webhook(SHOP, "app/uninstalled", removed_at, b"{}")
        shopify.shop().installation = None
        # Three more are the refused refresh: a lease, its end, and the result.
        with before_the_commit(lambda: links.append(shopify.link(other, SHOP)), which=4):
            app_removed(hooks.store, webhook)
        assert shopify.store(hooks.workspace).status is StoreStatus.DISCONNECTED
        restore = hooks.world.checkpoint()
        assert find_grant(SHOP) is not None
        hooks.world.advance(hours=1)
        assert find_grant(SHOP) is None
        restore()
        assert shopify.choose(other, links[0], choose_existing(theirs)).status == 200


class TestScopes:
    """app/scopes_update: the scopes are read from the shop, whatever the webhook says."""

    @pytest.mark.parametrize(
        ("granted", "expected"),
        [
            ("write_customers,read_orders,read_products", (True, True, False)),
            (
                "read_customers,read_orders,read_products,write_discounts",
                (True, False, True),
            ),
            ("write_customers,read_orders", (False, True, False)),
        ],
    )
    def test_permissions_follow_remaining_scopes(
        self, hooks: Hooks, shopify: Shopify, granted: str, expected: tuple[bool, bool, bool]
    ) -> None:
        installation = shopify.shop().installation
        assert installation is not None
        installation.scopes = tuple(granted.split(","))
        hooks.notify("app/scopes_update", {"id": 1, "previous": [], "current": ["read_orders"]})
        store = shopify.store(hooks.workspace)
        is_connected = store.connection_status is ConnectionStatus.CONNECTED
        assert (is_connected, store.takes_consent, store.makes_coupons) == expected
        grant = find_grant(SHOP)
        assert grant is not None
        assert grant.scopes == tuple(granted.split(","))

    def test_store_is_connected_again_with_its_scopes(
        self, hooks: Hooks, shopify: Shopify, owner: Someone
    ) -> None:
        """A shop that withdrew a required scope, and gives it again, needs no new approval."""
        installation = shopify.shop().installation
        assert installation is not None
        complete = installation.scopes
        for scopes, status in (
            (("write_customers", "read_orders"), ConnectionStatus.NEEDS_REAUTH),
            (("write_customers",), ConnectionStatus.NEEDS_REAUTH),
            (complete, ConnectionStatus.CONNECTED),
        ):
            installation.scopes = scopes
            hooks.notify("app/scopes_update", {"previous": [], "current": []})
            assert shopify.store(hooks.workspace).connection_status is status
        assert shopify.connections(owner)[0]["state"] == "connected"
        imports = imports_of(hooks, owner)
        assert [each["requestedBy"] for each in imports] == [None] * 4
        assert {each["status"] for each in imports} == {"completed"}
        store = shopify.store(hooks.workspace)
        assert (store.takes_consent, store.makes_coupons) == (True, True)
        grant = find_grant(SHOP)
        assert grant is not None
        assert grant.scopes == complete

    def test_refused_tokens_stay_refused_whatever_the_scopes(
        self, hooks: Hooks, shopify: Shopify
    ) -> None:
        installation = shopify.shop().installation
        assert installation is not None
        installation.scopes = ("read_orders",)
        hooks.notify("app/scopes_update", {"previous": [], "current": []})
        shopify.shop().installation = None
        hooks.notify("app/scopes_update", {"previous": [], "current": []})
        store = shopify.store(hooks.workspace)
        assert store.connection_status is ConnectionStatus.NEEDS_REAUTH

    def test_ignored_if_store_needs_reauth(self, hooks: Hooks, shopify: Shopify) -> None:
        connection_is(hooks.store, ConnectionStatus.NEEDS_REAUTH)
        hooks.notify("app/scopes_update", {"previous": [], "current": []})
        assert shopify.server.requests == []


class TestDetails:
    """locales/… and shop/update."""

    @pytest.mark.parametrize(
        "topic", ["locales/create", "locales/update", "locales/destroy", "shop/update"]
    )
    def test_details_are_read_from_shop(
        self, hooks: Hooks, shopify: Shopify, owner: Someone, topic: str
    ) -> None:
        shop = shopify.shop()
        shop.name, shop.locales = (
            "Renamed",
            (
                Locale("en", "English"),
                Locale("fr", "French", primary=True),
            ),
        )
        hooks.notify(topic, SHOP_BODY if topic == "shop/update" else {"locale": "fr"})
        store = shopify.store(hooks.workspace)
        assert (store.name, store.primary_locale) == ("Renamed", "fr")
        assert [row.locale for row in store.locales] == ["fr", "en"]
        codes = owner.call("GET", "/locales").json["items"]
        assert {row["code"] for row in codes} == {"fr", "en"}

    def test_currency_is_not_changed(self, hooks: Hooks, shopify: Shopify) -> None:
        shopify.shop().currency_code = "USD"
        hooks.notify("shop/update", SHOP_BODY)
        assert shopify.store(hooks.workspace).currency == "EUR"

    @pytest.mark.parametrize(("tag", "country"), [("es-419", "US"), ("es", "US"), ("es-ES", "ES")])
    def test_primary_locale_without_a_country_has_the_shops(
        self, hooks: Hooks, shopify: Shopify, tag: str, country: str
    ) -> None:
        shop = shopify.shop()
        shop.country_code, shop.locales = "US", (Locale(tag, "Spanish", primary=True),)
        hooks.notify("locales/update", {"locale": tag})
        [locale] = shopify.store(hooks.workspace).locales
        assert (locale.locale, locale.country) == (tag, country)

    def test_without_read_locales_scope_locales_stay_unchanged(
        self, hooks: Hooks, shopify: Shopify, owner: Someone
    ) -> None:
        """No answer names another language, so it also stays when the shop is connected again."""
        shop = shopify.shop()
        shop.locales = (Locale("de", "German", primary=True), Locale("fr", "French"))
        hooks.notify("locales/update", {"locale": "fr", "published": True})
        before = shopify.store(hooks.workspace)
        assert shop.installation is not None
        scopes = "read_customers,read_orders,read_products"
        shop.installation.scopes = tuple(scopes.split(","))
        hooks.notify("app/scopes_update", {"previous": [], "current": []})
        shop.name, shop.url = "Renamed", "https://renamed.example.com"
        hooks.notify("shop/update", SHOP_BODY)
        store = shopify.store(hooks.workspace)
        german, french = before.locales
        expected = (replace(german, url=shop.url), french)
        assert (store.name, store.primary_locale, store.locales) == ("Renamed", "de", expected)
        hooks.remove_app()
        hooks.world.advance(seconds=1)
        shop.currency_code = "USD"
        link = shopify.link(owner, scope=scopes)
        assert shopify.choose(owner, link, choose_existing(hooks.workspace)).status == 200
        again = shopify.store(hooks.workspace)
        assert (again.primary_locale, again.currency) == ("de", "USD")
        assert again.locales == tuple(replace(row, currency="USD") for row in expected)

    def test_unchanged_details_leave_store_unchanged(self, hooks: Hooks, shopify: Shopify) -> None:
        before = shopify.store(hooks.workspace)
        hooks.notify("shop/update", SHOP_BODY)
        assert shopify.store(hooks.workspace) == before


def test_webhook_reaches_current_workspace_only(hooks: Hooks, shopify: Shopify) -> None:
    """A webhook reaches the workspace that has the shop now, and no other one."""
    stranger = hooks.world.person()
    theirs: WorkspaceScope = hooks.world.workspace(stranger)
    hooks.world.advance(seconds=1)
    shopify.connect(stranger, theirs)
    late = clock.now() - timedelta(minutes=1)
    hooks.notify("app/uninstalled", SHOP_BODY, at=late)
    assert shopify.store(theirs).is_active
    hooks.notify("customers/create", customer_body(email_marketing_consent={"state": "pending"}))
    assert hooks.find_customer() is None
    assert Hooks(hooks.world, theirs, shopify.store(theirs), shopify).find_customer() is not None
