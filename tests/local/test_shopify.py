"""The pretend Shopify: the behaviour on which our code depends, as Shopify's own."""

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from werkzeug.exceptions import MethodNotAllowed, NotFound
from werkzeug.test import EnvironBuilder
from werkzeug.wrappers import Request, Response

from local.shopify.admin import answer
from local.shopify.app import APP
from local.shopify.bucket import Bucket
from local.shopify.oauth import Refused, approve, exchange, signed
from local.shopify.shops import Installation, Shop, demo_shops
from local.shopify.web import PretendShopify
from tests.harness.world import World

NAME = "a.myshopify.com"
REQUESTED = {
    "client_id": APP.client_id,
    "scope": "read_orders,read_customers,write_customers,write_discounts",
    "redirect_uri": "https://api.example.com/v1/callback",
    "state": "s",
}


@pytest.fixture
def shop() -> Shop:
    return Shop(NAME, "A", "a@example.com")


def form(**overrides: str) -> dict[str, str]:
    return {"client_id": APP.client_id, "client_secret": APP.secret, **overrides}


def code_of(shop: Shop) -> str:
    return dict(parse_qsl(urlsplit(approve(APP, shop, REQUESTED)).query))["code"]


def installed(shop: Shop) -> Installation:
    exchange(APP, shop, form(code=code_of(shop), expiring="1"))
    assert shop.installation is not None
    return shop.installation


class TestApproval:
    def test_signature_equals_the_documented_example(self) -> None:
        """The example of Shopify's own documentation."""
        app = type(APP)("x", "hush")
        parameters = {
            "code": "0907a61c0c8d55e99db179b68161bc00",
            "shop": "some-shop.myshopify.com",
            "state": "0.6784241404160823",
            "timestamp": "1337178173",
        }
        assert signed(app, parameters)["hmac"] == (
            "700e2dadb827fcc8609e9d5ce208b2e9cdaab9df07390d2cbca10d7c328fc4bf"
        )

    def test_redirects_back_with_the_state(self, shop: Shop) -> None:
        address, _, query = approve(APP, shop, REQUESTED).partition("?")
        assert address == REQUESTED["redirect_uri"]
        parameters = dict(parse_qsl(query))
        assert (parameters["shop"], parameters["state"]) == (NAME, "s")
        assert set(parameters) == {"code", "hmac", "host", "shop", "state", "timestamp"}

    def test_unknown_app_is_refused(self, shop: Shop) -> None:
        with pytest.raises(Refused, match="application_cannot_be_found"):
            approve(APP, shop, {**REQUESTED, "client_id": "x"})


class TestTokens:
    def test_code_is_exchanged_once(self, shop: Shop) -> None:
        code = code_of(shop)
        body = exchange(APP, shop, form(code=code, expiring="1"))
        assert body["expires_in"] == 3600
        assert body["refresh_token_expires_in"] == 90 * 24 * 3600
        # The scope to write customers includes reading them, which isn't listed as well.
        assert body["scope"] == "read_orders,write_customers,write_discounts"
        with pytest.raises(Refused, match="invalid_request"):
            exchange(APP, shop, form(code=code, expiring="1"))

    @pytest.mark.parametrize(
        ("overrides", "error"),
        [
            ({"client_id": "x"}, "application_cannot_be_found"),
            ({"client_secret": "x"}, "invalid_client"),
            ({"code": "x"}, "invalid_request"),
            ({"expiring": "0"}, "invalid_request"),
            ({"grant_type": "refresh_token", "refresh_token": "x"}, "invalid_grant"),
        ],
    )
    def test_invalid_exchange_is_refused(
        self, shop: Shop, overrides: dict[str, str], error: str
    ) -> None:
        fields = {"code": code_of(shop), "expiring": "1", **overrides}
        with pytest.raises(Refused, match=error):
            exchange(APP, shop, form(**fields))

    def test_refresh_invalidates_the_previous_access_token(self, shop: Shop) -> None:
        installation = installed(shop)
        old = installation.access_token
        exchange(
            APP, shop, form(grant_type="refresh_token", refresh_token=installation.refresh_token)
        )
        assert not installation.takes(old)
        assert installation.takes(installation.access_token)

    def test_refresh_token_works_until_the_next_one_is_used(self, shop: Shop) -> None:
        def refresh(token: str) -> None:
            exchange(APP, shop, form(grant_type="refresh_token", refresh_token=token))

        installation = installed(shop)
        first = installation.refresh_token
        refresh(first)
        lost = installation.refresh_token
        refresh(first)  # the first answer got lost
        second = installation.refresh_token
        with pytest.raises(Refused):
            refresh(lost)
        refresh(second)
        with pytest.raises(Refused):
            refresh(first)

    def test_new_approval_invalidates_previous_tokens(self, shop: Shop) -> None:
        installation = installed(shop)
        access, refresh = installation.access_token, installation.refresh_token
        installation = installed(shop)
        assert not installation.takes(access)
        assert not installation.refreshes(refresh)

    def test_tokens_expire(self, world: World, shop: Shop) -> None:
        installation = installed(shop)
        world.advance(minutes=59)
        assert installation.takes(installation.access_token)
        world.advance(minutes=1)
        assert not installation.takes(installation.access_token)
        world.advance(days=89, hours=22)
        assert installation.refreshes(installation.refresh_token)
        world.advance(hours=1)
        assert not installation.refreshes(installation.refresh_token)


class TestAdminApi:
    def ask(self, shop: Shop, query: str, **variables: object) -> dict[str, Any]:
        installed(shop)
        return answer(shop, {"query": query, "variables": variables})

    def test_query_cost_is_returned_and_charged(self, shop: Shop) -> None:
        body = self.ask(shop, "query Q { shop { name primaryDomain { url } } }")
        assert body == {
            "data": {"shop": {"name": "A", "primaryDomain": {"url": "https://shop.example.com"}}},
            "extensions": {
                "cost": {
                    "requestedQueryCost": 2.0,
                    "actualQueryCost": 2.0,
                    "throttleStatus": {
                        "maximumAvailable": 2000.0,
                        "currentlyAvailable": 1998.0,
                        "restoreRate": 100.0,
                    },
                }
            },
        }

    def test_throttled(self, world: World, shop: Shop) -> None:
        shop.bucket = Bucket(maximum=10, restored_a_second=1, available=1)
        query = "query Q { shop { name primaryDomain { url } } }"
        body = self.ask(shop, query)
        assert body["errors"] == [{"message": "Throttled", "extensions": {"code": "THROTTLED"}}]
        assert "data" not in body
        world.advance(seconds=1)
        assert "data" in self.ask(shop, query)

    @pytest.mark.parametrize(
        "query", ["{", "query Q { weather }", "", "query Q { shop { name(a: 1) } }"]
    )
    def test_unknown_query_is_an_error(self, shop: Shop, query: str) -> None:
        body = self.ask(shop, query)
        assert body["errors"]
        assert "data" not in body

    def test_missing_scope_is_access_denied(self, shop: Shop) -> None:
        body = self.ask(shop, "query Q { shopLocales { locale } }")
        assert [error["extensions"] for error in body["errors"]] == [{"code": "ACCESS_DENIED"}]

    def test_locales(self, shop: Shop) -> None:
        installed(shop).scopes = ("read_locales",)
        query = "query Q($p: Boolean) { shopLocales(published: $p) { locale primary published } }"
        body = answer(shop, {"query": query, "variables": {"p": True}})
        rows = [{"locale": "en", "primary": True, "published": True}]
        assert body["data"] == {"shopLocales": rows}


class TestRoutes:
    def serve(self, method: str, shop: str, path: str) -> Response:
        pretend = PretendShopify(APP, demo_shops())
        request = Request(EnvironBuilder(method=method, path=f"/{path}").get_environ())
        return pretend.answer(request, shop, path)

    def test_unknown_path_is_404(self) -> None:
        with pytest.raises(NotFound):
            self.serve("GET", "nobody.myshopify.com", "admin")
        with pytest.raises(NotFound):
            self.serve("GET", demo_shops()[0].domain, "admin/weather")
        with pytest.raises(NotFound):
            self.serve("POST", demo_shops()[0].domain, "admin/api/2020-01/graphql.json")
        with pytest.raises(MethodNotAllowed):
            self.serve("GET", demo_shops()[0].domain, "admin/oauth/access_token")

    def test_missing_token_is_401(self) -> None:
        response = self.serve("POST", demo_shops()[0].domain, "admin/api/2026-07/graphql.json")
        assert response.status_code == 401

    def test_admin_page(self) -> None:
        response = self.serve("GET", demo_shops()[0].domain, "admin")
        assert (
            response.get_data(as_text=True) == "Birch & Loom on Shopify: the app isn't installed.\n"
        )

    def test_approval_without_parameters_is_refused(self) -> None:
        response = self.serve("POST", demo_shops()[0].domain, "admin/oauth/authorize")
        assert (response.status_code, response.get_json()) == (
            400,
            {"error": "application_cannot_be_found"},
        )
