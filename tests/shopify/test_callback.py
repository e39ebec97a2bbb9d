"""Shopify's redirect back: signed, once, in time, and it never connects a shop."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from uuid import UUID

import pytest
from werkzeug.wrappers import Request, Response

from local import aws, gateway
from local.shopify.app import APP
from local.shopify.oauth import signed
from local.shopify.shops import Locale
from storepost.connections.links.repository import find_link
from storepost.platform.persistence.secrets import clear_secret_cache
from storepost.shopify.claims import find_claim
from storepost.shopify.details import ShopDetails
from storepost.shopify.grants import find_grant
from storepost.stores.stores.model import StoreLocale
from storepost.stores.stores.repository import StoreRepository
from storepost.values import links
from storepost.values.scope import WorkspaceScope
from storepost.values.settings import settings
from tests.harness import least_privilege
from tests.harness.call_interruption import before_the_commit
from tests.harness.world import BASE_URL, CANARY, Answer, Someone, World
from tests.shopify.shops import OTHER, SHOP, Shopify, query_of

LINK = re.compile(re.escape(f"{BASE_URL}/pages/connect-link#") + r"([0-9a-f-]{36})")
REFUSED = (400, "oauth_invalid")


@pytest.fixture
def owner(world: World) -> Someone:
    """The owner of a workspace."""
    return world.owner()


type Keep = Callable[[str], None]


@pytest.fixture
def secret() -> Iterator[Keep]:
    """Puts the app's secrets into the parameter store, until the test is over."""

    def keep(value: str) -> None:
        aws.client("ssm").put_parameter(
            Name=settings().shopify_secret_name, Value=value, Type="SecureString", Overwrite=True
        )

    yield keep
    keep(APP.secret)
    clear_secret_cache()


def link_of(answer: Answer) -> UUID:
    """The link in the answer."""
    assert answer.status == 302
    assert answer.body == b""
    found = LINK.fullmatch(str(answer.header("location")))
    assert found
    return UUID(found[1])


class TestApproved:
    """GET /connections/shopify/callback, used as intended."""

    def test_redirects_to_connect_link_without_connecting(
        self, shopify: Shopify, owner: Someone
    ) -> None:
        before = shopify.begin(owner)
        answer = shopify.callback(shopify.approved(before))
        link = find_link(link_of(answer))
        assert link is not None
        assert link.id.version == 4
        assert (link.shop, link.used_at) == (SHOP, None)
        assert link.details == ShopDetails(
            name=f"Shop {CANARY}",
            currency="EUR",
            contact_email=f"shop.{CANARY}@example.com",
            storefront_url="https://shop.example.com",
            locales=(StoreLocale("en", "English", True, "DE", "EUR", "https://shop.example.com"),),
        )
        assert link.scopes == (
            "write_customers",
            "read_customer_merge",
            "read_orders",
            "read_products",
            "write_discounts",
            "read_locales",
        )
        assert find_claim(SHOP) is None
        assert owner.call("GET", "/stores").json["items"] == []
        assert [row["state"] for row in shopify.connections(owner)] == ["pending"]

    def test_approval_by_stranger_does_not_connect_initiator(
        self, world: World, shopify: Shopify, owner: Someone
    ) -> None:
        """The connection is begun in one workspace, and a stranger approves the app."""
        rows = {row.key for row in world.rows("workspace#")}
        begun = shopify.begin(owner)
        shopify.callback(shopify.approved(begun))
        made = {row.key for row in world.rows("workspace#")} - rows
        assert {sort_key for _, sort_key in made} == {f"install#{SHOP}"}
        assert find_claim(SHOP) is None
        body = owner.call("GET", "/connections").body.decode()
        assert not re.search(r"connect-link|link#", body)

    def test_redirects_to_dashboard_if_configured(
        self, shopify: Shopify, owner: Someone, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        here = replace(settings(), app_url="https://app.example.com")
        monkeypatch.setattr(links, "settings", lambda: here)
        answer = shopify.callback(shopify.approved(shopify.begin(owner)))
        assert str(answer.header("location")).startswith("https://app.example.com/connect-link#")

    def test_tokens_are_requested_once(self, shopify: Shopify, owner: Someone) -> None:
        shopify.link(owner)
        assert shopify.server.requests == [
            "POST /admin/oauth/access_token",
            "POST /admin/api/2026-07/graphql.json",
            "POST /admin/api/2026-07/graphql.json",
        ]
        assert shopify.token_requests() == 1

    def test_tokens_are_stored_encrypted(
        self, world: World, shopify: Shopify, owner: Someone
    ) -> None:
        shopify.link(owner)
        installation, grant = shopify.shop().installation, find_grant(SHOP)
        assert installation is not None
        assert grant is not None
        assert grant.access_token() == installation.access_token
        assert grant.refresh_token() == installation.refresh_token
        stored = [str(row.to_simple_dict()) for row in world.rows()]
        for token in (installation.access_token, installation.refresh_token):
            assert all(token not in text for text in stored)

    def test_unused_tokens_expire_with_link(
        self, world: World, shopify: Shopify, owner: Someone
    ) -> None:
        shopify.link(owner)
        world.advance(minutes=59)
        assert find_grant(SHOP) is not None
        world.advance(minutes=1, seconds=1)
        assert find_grant(SHOP) is None

    @pytest.mark.parametrize("stored", ["{} old", "{}\nold", "  {}  "])
    def test_two_secrets_are_accepted_during_rotation(
        self, shopify: Shopify, owner: Someone, secret: Keep, stored: str
    ) -> None:
        parameters = shopify.approved(shopify.begin(owner))
        secret(stored.format(APP.secret))
        clear_secret_cache()
        assert shopify.callback(parameters).status == 302

    def test_older_secret_verifies_and_newest_requests_tokens(
        self, shopify: Shopify, owner: Someone, secret: Keep
    ) -> None:
        parameters = shopify.approved(shopify.begin(owner))
        secret(f"newest {APP.secret}")
        clear_secret_cache()
        secrets: list[str] = []
        shopify.server.interruptions.append(
            lambda request: secrets.append(request.form["client_secret"])
        )
        # The pretend Shopify knows only the older secret, and issues nothing for the newest.
        assert shopify.callback(parameters).problem() == REFUSED
        assert secrets == ["newest"]

    def test_secret_cache_expires_after_five_minutes(
        self,
        world: World,
        shopify: Shopify,
        owner: Someone,
        secret: Keep,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(least_privilege, "clear_secret_cache", lambda: None)
        clear_secret_cache()
        shopify.begin(owner)  # reads it
        secret("another")
        world.advance(minutes=4, seconds=59)
        assert shopify.callback(shopify.approved(shopify.begin(owner))).status == 302
        world.advance(seconds=1)
        parameters = shopify.approved(shopify.begin(owner))
        assert shopify.callback(parameters).problem() == REFUSED

    def test_without_read_locales_scope_locale_is_english(
        self, shopify: Shopify, owner: Someone
    ) -> None:
        scope = "read_customers,read_orders,read_products"
        link = find_link(UUID(shopify.link(owner, scope=scope)))
        assert link is not None
        assert link.scopes == ("read_customers", "read_orders", "read_products")
        assert [row.locale for row in link.details.locales] == ["en"]
        assert shopify.server.requests.count("POST /admin/api/2026-07/graphql.json") == 1

    def test_published_locales_are_stored_primary_first(
        self, shopify: Shopify, owner: Someone
    ) -> None:
        shop = shopify.shop()
        shop.country_code = "AT"
        shop.locales = (
            Locale("fr", "French"),
            Locale("it", "Italian", published=False),
            Locale("pt-BR", "Portuguese (Brazil)"),
            Locale("de", "German", primary=True),
            Locale("x-klingon-", "No language tag"),
            Locale("FR", "French again"),
        )
        link = find_link(UUID(shopify.link(owner)))
        assert link is not None
        url = "https://shop.example.com"
        assert link.details.locales == (
            StoreLocale("de", "German", True, "AT", "EUR", url),
            StoreLocale("fr", "French", False, "FR", "EUR", None),
            StoreLocale("pt-BR", "Portuguese (Brazil)", False, "BR", "EUR", None),
        )


type Change = Callable[[Shopify, dict[str, str]], dict[str, str]]

ATTACKS: dict[str, Change] = {
    "no signature": lambda _, p: {k: v for k, v in p.items() if k != "hmac"},
    "an empty signature": lambda _, p: {**p, "hmac": ""},
    "another signature": lambda _, p: {**p, "hmac": "0" * 64},
    "a signature with letters beyond ASCII": lambda _, p: {**p, "hmac": "\u00e9" * 64},
    "signed with nothing": lambda _, p: signed(type(APP)(APP.client_id, ""), _unsigned(p)),
    "signed with the client id": lambda _, p: signed(
        type(APP)(APP.client_id, APP.client_id), _unsigned(p)
    ),
    "another shop, the signature kept": lambda _, p: {**p, "shop": OTHER},
    "another shop, signed": lambda s, p: s.forged({**p, "shop": OTHER}),
    "another host for a shop, signed": lambda s, p: s.forged({**p, "shop": "evil.example"}),
    "a shop with a line's end, signed": lambda s, p: s.forged({**p, "shop": f"{SHOP}\n"}),
    "a shop in capitals, signed": lambda s, p: s.forged({**p, "shop": SHOP.upper()}),
    "a parameter more": lambda _, p: {**p, "more": "1"},
    "another code, the signature kept": lambda _, p: {**p, "code": "0" * 32},
    "another code, signed": lambda s, p: s.forged({**p, "code": "0" * 32}),
    "an invented state, signed": lambda s, p: s.forged({**p, "state": "0" * 43}),
    "no state, signed": lambda s, p: s.forged({k: v for k, v in p.items() if k != "state"}),
    "an empty state, signed": lambda s, p: s.forged({**p, "state": ""}),
    "no code, signed": lambda s, p: s.forged({k: v for k, v in p.items() if k != "code"}),
    "no shop, signed": lambda s, p: s.forged({k: v for k, v in p.items() if k != "shop"}),
    "nothing at all": lambda _, __: {},
}


def _unsigned(parameters: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in parameters.items() if name != "hmac"}


def test_browser_gets_a_page_that_says_what_to_do(
    world: World, shopify: Shopify, owner: Someone
) -> None:
    """Whoever approved the app in the shop needn't know what a problem in JSON is."""
    parameters = shopify.approved(shopify.begin(owner))
    world.advance(minutes=11)
    path, browser = "/connections/shopify/callback", {"accept": "text/html,*/*;q=0.8"}
    answer = world.call("GET", path, query=parameters, headers=browser)
    assert answer.status == 400
    assert answer.header("content-type") == "text/html; charset=utf-8"
    assert answer.header("cache-control") == "no-store"
    assert answer.header("referrer-policy") == "no-referrer"
    assert "<h1>The shop isn't connected</h1>" in answer.body.decode()
    assert "Begin the connection again in Storepost" in answer.body.decode()
    assert parameters["code"] not in answer.body.decode()
    assert shopify.callback(parameters).problem() == REFUSED


class TestAttacked:
    """The same operation, used by an attacker."""

    @pytest.mark.parametrize("change", ATTACKS.values(), ids=ATTACKS.keys())
    def test_tampered_parameters_are_refused(
        self, world: World, shopify: Shopify, owner: Someone, change: Change
    ) -> None:
        parameters = shopify.approved(shopify.begin(owner))
        assert shopify.callback(change(shopify, parameters)).problem() == REFUSED
        assert world.rows("link#") == world.rows("shop#") == []

    def test_refused_attempt_does_not_consume_state(self, shopify: Shopify, owner: Someone) -> None:
        parameters = shopify.approved(shopify.begin(owner))
        shopify.callback({**parameters, "hmac": "0" * 64})
        assert shopify.callback(parameters).status == 302

    def test_duplicate_parameter_is_refused(
        self, world: World, shopify: Shopify, owner: Someone
    ) -> None:
        parameters = shopify.approved(shopify.begin(owner))
        for twice in (f"&shop={SHOP}", f"&shop={OTHER}", f"&hmac={parameters['hmac']}"):
            answer = call_raw(world, "/connections/shopify/callback", query_of(parameters) + twice)
            assert answer.problem() == REFUSED
        assert world.rows("link#") == []

    @pytest.mark.parametrize("query", ["%", "a=%ff", "=", "code", "&&", "hmac=%00"])
    def test_malformed_query_is_refused(self, world: World, shopify: Shopify, query: str) -> None:
        assert call_raw(world, "/connections/shopify/callback", query).problem() == REFUSED

    def test_state_is_accepted_once(self, world: World, shopify: Shopify, owner: Someone) -> None:
        parameters = shopify.approved(shopify.begin(owner))
        assert shopify.callback(parameters).status == 302
        assert shopify.callback(parameters).problem() == REFUSED
        assert len(world.rows("link#")) == 1
        assert shopify.token_requests() == 1

    def test_used_state_with_other_code_is_refused(
        self, world: World, shopify: Shopify, owner: Someone
    ) -> None:
        begun = shopify.begin(owner)
        first, second = shopify.approved(begun), shopify.approved(begun)
        assert shopify.callback(first).status == 302
        assert shopify.callback(second).problem() == REFUSED
        assert len(world.rows("link#")) == 1

    def test_state_expires_after_ten_minutes(
        self, world: World, shopify: Shopify, owner: Someone
    ) -> None:
        first, second = shopify.begin(owner), shopify.begin(owner, OTHER)
        world.advance(minutes=9, seconds=59)
        assert shopify.callback(shopify.approved(first)).status == 302
        world.advance(seconds=1)
        assert shopify.callback(shopify.approved(second)).problem() == REFUSED
        assert shopify.token_requests() == 1

    def test_state_of_other_shop_is_refused(
        self, world: World, shopify: Shopify, owner: Someone
    ) -> None:
        """A state of another shop's install can't complete an attacker's own install."""
        attacker = world.owner()
        theirs, victims = shopify.begin(attacker, OTHER), shopify.begin(owner, SHOP)
        mixed = shopify.forged(
            {**shopify.approved(theirs), "state": shopify.approved(victims)["state"]}
        )
        assert shopify.callback(mixed).problem() == REFUSED
        assert world.rows("link#") == []

    def test_missing_scopes_are_refused(
        self, world: World, shopify: Shopify, owner: Someone
    ) -> None:
        for scope in ("", "read_customers,read_orders", "write_orders,write_products"):
            parameters = shopify.approved(shopify.begin(owner), scope=scope)
            answer = shopify.callback(parameters)
            assert answer.problem() == REFUSED
            assert "scopes too: " in answer.json["detail"]
        assert world.rows("link#") == []

    def test_concurrent_callbacks_create_one_link(
        self, world: World, shopify: Shopify, owner: Someone
    ) -> None:
        parameters = shopify.approved(shopify.begin(owner))
        others: list[Answer] = []
        with before_the_commit(lambda: others.append(shopify.callback(parameters))):
            answer = shopify.callback(parameters)
        assert sorted([answer.status, others[0].status]) == [302, 400]
        assert len(world.rows("link#")) == 1
        assert shopify.token_requests() == 1


def call_raw(world: World, path: str, query: str) -> Answer:
    """A request with an unchanged query."""
    response = gateway.handle(gateway.http_event("GET", f"/v1{path}", query=query))
    return Answer(response.status, response.headers, response.body)


class TestShopifyRefuses:
    """Requests that the shop refuses."""

    @pytest.mark.parametrize(
        "answer",
        [
            Response('{"error": "invalid_request"}', status=400),
            Response('{"error": "invalid_client"}', status=401),
            Response('{"error": ["invalid_client"]}', status=400),
            Response('{"error": {"a": 1}}', status=403),
            Response("<html>", status=400),
            Response(status=500),
            Response("{}"),
            Response("[]"),
            Response('{"access_token": "shpat_x", "scope": "read_orders"}'),
            Response(
                '{"access_token": "a", "expires_in": "soon", "refresh_token": "r",'
                ' "refresh_token_expires_in": 1, "scope": ""}'
            ),
        ],
    )
    def test_token_request_fails(
        self, world: World, shopify: Shopify, owner: Someone, answer: Response
    ) -> None:
        parameters = shopify.approved(shopify.begin(owner))
        shopify.answering(answer)
        assert shopify.callback(parameters).problem() == REFUSED
        assert world.rows("link#") == world.rows("shop#") == []
        assert world.rows("oauth#") == []

    @pytest.mark.parametrize(
        "answers",
        [
            [Response(status=500)] * 3,
            [Response(status=403)],
            [Response(status=402)],
            [Response('{"errors": [{"message": "No", "extensions": {"code": "NO"}}]}')],
            [Response('{"data": {}}')],
            [Response('{"data": {"shop": null}}')],
            [Response('{"data": {"shop": {"name": 7, "currencyCode": "EUR"}}}')],
        ],
    )
    def test_shop_details_request_fails(
        self, world: World, shopify: Shopify, owner: Someone, answers: list[Response]
    ) -> None:
        parameters = shopify.approved(shopify.begin(owner))

        def to_the_shop(_request: Request) -> Response | None:
            return None

        shopify.server.interruptions.append(to_the_shop)
        shopify.answering(*answers)
        assert shopify.callback(parameters).problem() == REFUSED
        assert world.rows("link#") == []

    def test_temporary_failure_is_retried(self, shopify: Shopify, owner: Someone) -> None:
        parameters = shopify.approved(shopify.begin(owner))
        shopify.server.interruptions.append(lambda _request: None)
        shopify.answering(Response(status=502))
        assert shopify.callback(parameters).status == 302

    def test_install_cancelled_concurrently_is_refused(
        self, world: World, shopify: Shopify, owner: Someone
    ) -> None:
        parameters = shopify.approved(shopify.begin(owner))

        def cancel(_request: Request) -> None:
            [row] = [r for r in world.rows("workspace#") if r.sk == f"install#{SHOP}"]
            row.delete()

        shopify.server.interruptions.append(cancel)
        assert shopify.callback(parameters).problem() == REFUSED
        assert world.rows("link#") == []


class TestConnectedShop:
    """An approval of a shop that is connected, here or elsewhere."""

    @pytest.fixture
    def workspace(self, owner: Someone) -> WorkspaceScope:
        body = owner.call("GET", "/me").json
        return WorkspaceScope(UUID(body["workspaces"][0]["id"]))

    def test_existing_store_gets_new_tokens(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        """The approval ended the old tokens at Shopify, whatever becomes of the link."""
        store = shopify.connect(owner, workspace)
        stranger = world.owner()
        shopify.link(stranger)
        assert shopify.store(workspace) == store
        assert find_claim(SHOP) is not None
        world.advance(hours=2)  # the link is over
        grant, installation = find_grant(SHOP), shopify.shop().installation
        assert grant is not None
        assert installation is not None
        assert grant.refresh_token() == installation.refresh_token

    def test_new_tokens_are_stored_even_if_scopes_are_missing(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        shopify.connect(owner, workspace)
        stranger = world.owner()
        parameters = shopify.approved(shopify.begin(stranger), scope="read_orders")
        assert shopify.callback(parameters).problem() == REFUSED
        grant, installation = find_grant(SHOP), shopify.shop().installation
        assert grant is not None
        assert installation is not None
        assert grant.access_token() == installation.access_token
        assert StoreRepository(workspace).all() == [shopify.store(workspace)]
