"""The pretend Shopify: what it does where ours would notice if Shopify didn't."""

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
ASKED = {
    "client_id": APP.client_id,
    "scope": "read_orders,read_customers,write_customers,write_discounts",
    "redirect_uri": "https://api.example.com/v1/callback",
    "state": "s",
}


@pytest.fixture
def shop() -> Shop:
    return Shop(NAME, "A", "a@example.com")


def form(**given: str) -> dict[str, str]:
    return {"client_id": APP.client_id, "client_secret": APP.secret, **given}


def code_of(shop: Shop) -> str:
    return dict(parse_qsl(urlsplit(approve(APP, shop, ASKED)).query))["code"]


def installed(shop: Shop) -> Installation:
    exchange(APP, shop, form(code=code_of(shop), expiring="1"))
    assert shop.installation is not None
    return shop.installation


class TestApproval:
    def test_the_documented_signature(self) -> None:
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

    def test_leads_back_with_what_was_given(self, shop: Shop) -> None:
        address, _, query = approve(APP, shop, ASKED).partition("?")
        assert address == ASKED["redirect_uri"]
        told = dict(parse_qsl(query))
        assert (told["shop"], told["state"]) == (NAME, "s")
        assert set(told) == {"code", "hmac", "host", "shop", "state", "timestamp"}

    def test_of_another_app(self, shop: Shop) -> None:
        with pytest.raises(Refused, match="application_cannot_be_found"):
            approve(APP, shop, {**ASKED, "client_id": "x"})


class TestTokens:
    def test_for_a_code_once(self, shop: Shop) -> None:
        code = code_of(shop)
        told = exchange(APP, shop, form(code=code, expiring="1"))
        assert told["expires_in"] == 3600
        assert told["refresh_token_expires_in"] == 90 * 24 * 3600
        # To write customers brings to read them, which isn't told as well.
        assert told["scope"] == "read_orders,write_customers,write_discounts"
        with pytest.raises(Refused, match="invalid_request"):
            exchange(APP, shop, form(code=code, expiring="1"))

    @pytest.mark.parametrize(
        ("given", "error"),
        [
            ({"client_id": "x"}, "application_cannot_be_found"),
            ({"client_secret": "x"}, "invalid_client"),
            ({"code": "x"}, "invalid_request"),
            ({"expiring": "0"}, "invalid_request"),
            ({"grant_type": "refresh_token", "refresh_token": "x"}, "invalid_grant"),
        ],
    )
    def test_refused(self, shop: Shop, given: dict[str, str], error: str) -> None:
        asked = {"code": code_of(shop), "expiring": "1", **given}
        with pytest.raises(Refused, match=error):
            exchange(APP, shop, form(**asked))

    def test_a_refresh_ends_the_access_token_before(self, shop: Shop) -> None:
        held = installed(shop)
        old = held.access_token
        exchange(APP, shop, form(grant_type="refresh_token", refresh_token=held.refresh_token))
        assert not held.takes(old)
        assert held.takes(held.access_token)

    def test_a_refresh_token_works_until_its_successor_is_used(self, shop: Shop) -> None:
        def refresh(token: str) -> None:
            exchange(APP, shop, form(grant_type="refresh_token", refresh_token=token))

        held = installed(shop)
        first = held.refresh_token
        refresh(first)
        lost = held.refresh_token
        refresh(first)  # the answer before got lost
        second = held.refresh_token
        with pytest.raises(Refused):
            refresh(lost)
        refresh(second)
        with pytest.raises(Refused):
            refresh(first)

    def test_a_new_approval_ends_all_before(self, shop: Shop) -> None:
        held = installed(shop)
        access, refresh = held.access_token, held.refresh_token
        held = installed(shop)
        assert not held.takes(access)
        assert not held.refreshes(refresh)

    def test_time_ends_them(self, world: World, shop: Shop) -> None:
        held = installed(shop)
        world.advance(minutes=59)
        assert held.takes(held.access_token)
        world.advance(minutes=1)
        assert not held.takes(held.access_token)
        world.advance(days=89, hours=22)
        assert held.refreshes(held.refresh_token)
        world.advance(hours=1)
        assert not held.refreshes(held.refresh_token)


class TestAdmin:
    def ask(self, shop: Shop, query: str, **variables: object) -> dict[str, Any]:
        installed(shop)
        return answer(shop, {"query": query, "variables": variables})

    def test_costs_are_told_and_taken(self, shop: Shop) -> None:
        told = self.ask(shop, "query Q { shop { name primaryDomain { url } } }")
        assert told == {
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
        told = self.ask(shop, query)
        assert told["errors"] == [{"message": "Throttled", "extensions": {"code": "THROTTLED"}}]
        assert "data" not in told
        world.advance(seconds=1)
        assert "data" in self.ask(shop, query)

    @pytest.mark.parametrize(
        "query", ["{", "query Q { weather }", "", "query Q { shop { name(a: 1) } }"]
    )
    def test_what_it_does_not_know(self, shop: Shop, query: str) -> None:
        told = self.ask(shop, query)
        assert told["errors"]
        assert "data" not in told

    def test_a_scope_that_is_missing(self, shop: Shop) -> None:
        told = self.ask(shop, "query Q { shopLocales { locale } }")
        assert [error["extensions"] for error in told["errors"]] == [{"code": "ACCESS_DENIED"}]

    def test_locales(self, shop: Shop) -> None:
        installed(shop).scopes = ("read_locales",)
        query = "query Q($p: Boolean) { shopLocales(published: $p) { locale primary published } }"
        told = answer(shop, {"query": query, "variables": {"p": True}})
        rows = [{"locale": "en", "primary": True, "published": True}]
        assert told["data"] == {"shopLocales": rows}


class TestAddresses:
    def serve(self, method: str, shop: str, path: str) -> Response:
        pretend = PretendShopify(APP, demo_shops())
        request = Request(EnvironBuilder(method=method, path=f"/{path}").get_environ())
        return pretend.answer(request, shop, path)

    def test_unknown(self) -> None:
        with pytest.raises(NotFound):
            self.serve("GET", "nobody.myshopify.com", "admin")
        with pytest.raises(NotFound):
            self.serve("GET", demo_shops()[0].domain, "admin/weather")
        with pytest.raises(NotFound):
            self.serve("POST", demo_shops()[0].domain, "admin/api/2020-01/graphql.json")
        with pytest.raises(MethodNotAllowed):
            self.serve("GET", demo_shops()[0].domain, "admin/oauth/access_token")

    def test_without_a_token(self) -> None:
        told = self.serve("POST", demo_shops()[0].domain, "admin/api/2026-07/graphql.json")
        assert told.status_code == 401

    def test_its_admin(self) -> None:
        told = self.serve("GET", demo_shops()[0].domain, "admin")
        assert told.get_data(as_text=True) == "Birch & Loom on Shopify: the app isn't installed.\n"

    def test_an_approval_of_nothing(self) -> None:
        told = self.serve("POST", demo_shops()[0].domain, "admin/oauth/authorize")
        assert (told.status_code, told.get_json()) == (
            400,
            {"error": "application_cannot_be_found"},
        )
