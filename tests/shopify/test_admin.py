"""The Admin client: its requests, its waits, and how it reads answers."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from werkzeug.wrappers import Request, Response

from storepost.platform.fetching import Conversation, FetchFailed, UrlNotAllowed
from storepost.platform.fetching.guard import Failure, UrlRefusal
from storepost.shopify.admin import AdminClient, FixedAccess, StoredAccess, admin_of
from storepost.shopify.documents import APP_UNINSTALL, SHOP_LOCALES
from storepost.shopify.documents import SHOP as SHOP_QUERY
from storepost.shopify.errors import (
    AccessDenied,
    MutationRefused,
    NeedsReauth,
    RequestRefused,
    ShopifyError,
    ShopUnavailable,
    UserError,
)
from storepost.stores.stores.model import ConnectionStatus
from storepost.values.scope import WorkspaceScope
from tests.harness.world import CANARY, World
from tests.shopify.shops import SHOP, Shopify

GRAPHQL = "POST /admin/api/2026-07/graphql.json"


@pytest.fixture
def workspace(world: World, shopify: Shopify) -> WorkspaceScope:
    """A workspace to which the shop is connected."""
    owner = world.person()
    scope = world.workspace(owner)
    shopify.connect(owner, scope)
    shopify.server.requests.clear()
    return scope


@pytest.fixture
def admin(workspace: WorkspaceScope, shopify: Shopify) -> Iterator[AdminClient]:
    """The shop's client."""
    with admin_of(shopify.store(workspace)) as client:
        yield client


def response(body: object, status: int = 200, **headers: str) -> Response:
    """An answer in the place of the shop's."""
    return Response(json.dumps(body), status=status, headers=headers)


def failing(code: str, **more: Any) -> Response:
    """An answer with GraphQL errors, whose message nobody may repeat."""
    return response({"errors": [{"message": CANARY, "extensions": {"code": code}}], **more})


def throttled(requested: float, available: float, rate: float = 100.0) -> Response:
    """Shopify's refusal for lack of points."""
    status = {"maximumAvailable": 2000.0, "currentlyAvailable": available, "restoreRate": rate}
    cost = {"requestedQueryCost": requested, "actualQueryCost": None, "throttleStatus": status}
    return failing("THROTTLED", extensions={"cost": cost})


class TestRequest:
    """The request and the answer."""

    def test_query_returns_data(self, admin: AdminClient, shopify: Shopify) -> None:
        seen: list[Request] = []
        shopify.server.interruptions.append(seen.append)
        assert admin.run(SHOP_QUERY) == {
            "shop": {
                "name": f"Shop {CANARY}",
                "email": f"shop.{CANARY}@example.com",
                "contactEmail": f"shop.{CANARY}@example.com",
                "currencyCode": "EUR",
                "primaryDomain": {"url": "https://shop.example.com"},
                "shopAddress": {"countryCodeV2": "DE"},
            }
        }
        [request] = seen
        installation = shopify.shop().installation
        assert installation is not None
        assert request.headers["x-shopify-access-token"] == installation.access_token
        assert request.headers["content-type"] == "application/json"
        assert request.get_json() == {"query": SHOP_QUERY.text, "variables": {}}

    def test_variables_are_sent(self, admin: AdminClient, shopify: Shopify) -> None:
        seen: list[Any] = []
        shopify.server.interruptions.append(
            lambda request: seen.append(request.get_json()["variables"])
        )
        admin.run(SHOP_QUERY, first=3, document={"query": "x"})
        assert seen == [{"first": 3, "document": {"query": "x"}}]

    def test_token_is_reused_for_all_requests(self, admin: AdminClient, shopify: Shopify) -> None:
        for _ in range(3):
            admin.run(SHOP_LOCALES)
        assert shopify.server.requests == [GRAPHQL] * 3

    def test_store_not_connected_needs_reauth(
        self, workspace: WorkspaceScope, shopify: Shopify
    ) -> None:
        store = shopify.store(workspace)
        for status in (ConnectionStatus.NEEDS_REAUTH, ConnectionStatus.DISCONNECTED):
            with pytest.raises(NeedsReauth):
                admin_of(replace(store, connection_status=status))
        assert shopify.server.requests == []


class TestThrottled:
    """The shop's bucket."""

    def test_waits_until_cost_is_restored(self, admin: AdminClient, shopify: Shopify) -> None:
        shopify.answering(throttled(requested=700, available=100))
        assert "shop" in admin.run(SHOP_QUERY)
        assert shopify.naps == [pytest.approx(6.0, abs=0.5)]
        assert len(shopify.server.requests) == 2

    def test_waits_before_bucket_is_exceeded(
        self, workspace: WorkspaceScope, shopify: Shopify
    ) -> None:
        """The last answer said what is left: a client that reads it never gets THROTTLED."""
        bucket = shopify.shop().bucket
        bucket.maximum = bucket.available = 10.0
        bucket.restored_a_second = 1.0
        refused: list[bool] = []
        plain = bucket.try_spend

        def watched(points: float) -> bool:
            taken = plain(points)
            refused.append(not taken)
            return taken

        bucket.try_spend = watched  # type: ignore[method-assign]
        with admin_of(shopify.store(workspace), patience_seconds=60) as admin:
            for _ in range(15):
                admin.run(SHOP_QUERY)
        assert len(refused) == 15
        assert not any(refused)
        assert shopify.naps

    def test_waits_when_other_clients_drained_bucket(
        self, admin: AdminClient, shopify: Shopify
    ) -> None:
        bucket = shopify.shop().bucket
        bucket.available, bucket.restored_a_second = 0.0, 2.0
        assert "shop" in admin.run(SHOP_QUERY)
        # The request costs three points.
        assert shopify.naps == [pytest.approx(1.5, abs=0.5)]

    def test_gives_up_after_patience_seconds(
        self, workspace: WorkspaceScope, shopify: Shopify
    ) -> None:
        shopify.answering(*[throttled(requested=700, available=0)] * 9)
        with (
            admin_of(shopify.store(workspace), patience_seconds=20) as admin,
            pytest.raises(ShopUnavailable, match="throttling"),
        ):
            admin.run(SHOP_QUERY)
        assert sum(shopify.naps) <= 20
        assert len(shopify.server.requests) == 3

    def test_patience_is_shared_by_all_requests(
        self, workspace: WorkspaceScope, shopify: Shopify
    ) -> None:
        with admin_of(shopify.store(workspace), patience_seconds=10) as admin:
            shopify.answering(throttled(requested=700, available=0))
            admin.run(SHOP_QUERY)
            shopify.answering(throttled(requested=400, available=0))
            with pytest.raises(ShopUnavailable):
                admin.run(SHOP_QUERY)
        assert len(shopify.naps) == 1

    def test_throttled_mutation_is_retried(self, admin: AdminClient, shopify: Shopify) -> None:
        shopify.answering(throttled(requested=10, available=0))
        assert admin.run(APP_UNINSTALL) == {"appUninstall": {"userErrors": []}}
        assert shopify.shop().installation is None

    def test_throttled_with_available_points_waits_one_second(
        self, admin: AdminClient, shopify: Shopify
    ) -> None:
        shopify.answering(throttled(requested=10, available=2000), failing("THROTTLED"))
        admin.run(SHOP_QUERY)
        assert shopify.naps == [1.0, 1.0]

    def test_http_429_waits_retry_after_or_one_second(
        self, admin: AdminClient, shopify: Shopify
    ) -> None:
        shopify.answering(
            response({}, 429, **{"Retry-After": "2.5"}),
            response({}, 429),
            response({}, 429, **{"Retry-After": "tomorrow"}),
            response({}, 429, **{"Retry-After": "-1"}),
        )
        admin.run(APP_UNINSTALL)
        assert shopify.naps == [2.5, 1.0, 1.0, 1.0]

    def test_retry_after_beyond_patience_fails_immediately(
        self, admin: AdminClient, shopify: Shopify
    ) -> None:
        shopify.answering(response({}, 429, **{"Retry-After": "3600"}))
        with pytest.raises(ShopUnavailable):
            admin.run(SHOP_QUERY)
        assert shopify.naps == []

    def test_cost_above_bucket_maximum_is_refused(
        self, admin: AdminClient, shopify: Shopify
    ) -> None:
        shopify.answering(throttled(requested=2001, available=2000))
        with pytest.raises(RequestRefused, match="costs more"):
            admin.run(SHOP_QUERY)
        assert shopify.naps == []


class TestTemporaryFailure:
    """Failures that are temporary."""

    @pytest.mark.parametrize(
        "answer",
        [
            response({}, 500),
            response({}, 502),
            response({}, 503),
            failing("INTERNAL_SERVER_ERROR"),
            failing("TIMEOUT"),
        ],
    )
    def test_query_is_tried_three_times(
        self, admin: AdminClient, shopify: Shopify, answer: Response
    ) -> None:
        shopify.answering(answer, answer)
        assert "shop" in admin.run(SHOP_QUERY)
        shopify.answering(answer, answer, answer)
        with pytest.raises(ShopUnavailable):
            admin.run(SHOP_QUERY)
        assert len(shopify.server.requests) == 6

    def test_retry_after_is_honoured(self, admin: AdminClient, shopify: Shopify) -> None:
        shopify.answering(response({}, 503, **{"Retry-After": "7"}))
        admin.run(SHOP_QUERY)
        assert shopify.naps == [7.0]

    @pytest.mark.parametrize("answer", [response({}, 500), failing("INTERNAL_SERVER_ERROR")])
    def test_mutation_is_not_retried(
        self, admin: AdminClient, shopify: Shopify, answer: Response
    ) -> None:
        """The shop may have carried it out."""
        shopify.answering(answer)
        with pytest.raises(ShopUnavailable):
            admin.run(APP_UNINSTALL)
        assert shopify.server.requests == [GRAPHQL]

    def test_unreachable_shop_retries_queries_only(
        self, admin: AdminClient, shopify: Shopify, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tries: list[str] = []

        def unreachable(*_: object, **__: object) -> None:
            tries.append("one")
            raise FetchFailed(Failure.UNREACHABLE)

        monkeypatch.setattr(Conversation, "post", unreachable)
        with pytest.raises(ShopUnavailable, match="the connection failed"):
            admin.run(SHOP_QUERY)
        assert len(tries) == 3
        with pytest.raises(ShopUnavailable):
            admin.run(APP_UNINSTALL)
        assert len(tries) == 4

    def test_shop_at_private_address_is_unavailable(
        self, admin: AdminClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refused(*_: object, **__: object) -> None:
            raise UrlNotAllowed(UrlRefusal.NOT_PUBLIC)

        monkeypatch.setattr(Conversation, "post", refused)
        with pytest.raises(ShopUnavailable, match="isn't public"):
            admin.run(SHOP_QUERY)

    @pytest.mark.parametrize("body", ["", "<html>", "[]", "7", "null", '"text"'])
    def test_malformed_response_is_unavailable(
        self, admin: AdminClient, shopify: Shopify, body: str
    ) -> None:
        shopify.answering(Response(body))
        with pytest.raises(ShopUnavailable):
            admin.run(SHOP_QUERY)


class TestPermanentFailure:
    """Failures that no retry changes."""

    @pytest.mark.parametrize(
        ("answer", "error"),
        [
            (response({}, 402), ShopUnavailable),
            (response({}, 404), ShopUnavailable),
            (response({}, 423), ShopUnavailable),
            (response({}, 430), ShopUnavailable),
            (failing("SHOP_INACTIVE"), ShopUnavailable),
            (response({}, 403), AccessDenied),
            (failing("ACCESS_DENIED"), AccessDenied),
            (response({}, 301), RequestRefused),
            (response({}, 400), RequestRefused),
            (response({}, 422), RequestRefused),
            (failing("MAX_COST_EXCEEDED"), RequestRefused),
            (response({"errors": [{"message": CANARY}]}), RequestRefused),
            (response({"errors": CANARY}), RequestRefused),
            (response({"errors": [CANARY, {"extensions": CANARY}]}), RequestRefused),
        ],
    )
    def test_error_is_classified_and_not_retried(
        self, admin: AdminClient, shopify: Shopify, answer: Response, error: type[ShopifyError]
    ) -> None:
        shopify.answering(answer)
        with pytest.raises(ShopifyError) as refused:
            admin.run(SHOP_QUERY)
        assert type(refused.value) is error
        assert CANARY not in str(refused.value)  # a message may repeat somebody's data
        assert shopify.server.requests == [GRAPHQL]
        assert shopify.naps == []

    def test_missing_scope_is_access_denied(self, admin: AdminClient, shopify: Shopify) -> None:
        installation = shopify.shop().installation
        assert installation is not None
        installation.scopes = ("read_orders",)
        with pytest.raises(AccessDenied):
            admin.run(SHOP_LOCALES)

    def test_user_errors_raise_mutation_refused(self, admin: AdminClient, shopify: Shopify) -> None:
        errors = [
            {"field": ["input", "id"], "message": f"No {CANARY}", "code": "NOT_FOUND"},
            {"field": None, "message": "And more"},
        ]
        shopify.answering(response({"data": {"customerUpdate": {"userErrors": errors}}}))
        with pytest.raises(MutationRefused, match="NOT_FOUND, without a code") as refused:
            admin.run(APP_UNINSTALL)
        assert refused.value.errors == (
            UserError(f"No {CANARY}", ("input", "id"), "NOT_FOUND"),
            UserError("And more"),
        )
        assert CANARY not in str(refused.value)  # which may be logged

    def test_user_errors_field_with_other_name(self, admin: AdminClient, shopify: Shopify) -> None:
        errors = [{"message": "No"}]
        shopify.answering(response({"data": {"a": {"customerUserErrors": errors}, "b": None}}))
        with pytest.raises(MutationRefused):
            admin.run(APP_UNINSTALL)


class TestToken:
    """A token that the shop refuses."""

    def test_refused_token_is_refreshed_once(self, admin: AdminClient, shopify: Shopify) -> None:
        installation = shopify.shop().installation
        assert installation is not None
        installation.access_token = "shpat_another"  # the stored token is refused from now on
        assert "shop" in admin.run(SHOP_QUERY)
        assert shopify.server.requests == [GRAPHQL, "POST /admin/oauth/access_token", GRAPHQL]

    def test_removed_app_needs_reauth(
        self, admin: AdminClient, shopify: Shopify, workspace: WorkspaceScope
    ) -> None:
        shopify.shop().installation = None
        with pytest.raises(NeedsReauth):
            admin.run(SHOP_QUERY)
        assert shopify.store(workspace).connection_status is ConnectionStatus.NEEDS_REAUTH
        assert shopify.server.requests == [GRAPHQL, "POST /admin/oauth/access_token"]

    def test_refused_new_token_is_unavailable_instead_of_reauth(
        self, admin: AdminClient, shopify: Shopify, workspace: WorkspaceScope
    ) -> None:
        """The shop has issued a token, so the app is still approved there."""
        shopify.answering(response({}, 401))
        shopify.server.interruptions.append(lambda _request: None)
        shopify.answering(response({}, 401))
        with pytest.raises(ShopUnavailable):
            admin.run(SHOP_QUERY)
        assert shopify.store(workspace).connection_status is ConnectionStatus.CONNECTED

    def test_token_refreshed_by_other_client_is_reused(
        self, workspace: WorkspaceScope, shopify: Shopify
    ) -> None:
        with admin_of(shopify.store(workspace)) as first, admin_of(shopify.store(workspace)) as two:
            first.run(SHOP_QUERY)
            two.run(SHOP_QUERY)
            installation = shopify.shop().installation
            assert installation is not None
            installation.access_token = "shpat_another"
            first.run(SHOP_QUERY)
            two.run(SHOP_QUERY)
        assert shopify.token_requests() == 1

    def test_fixed_token_is_not_refreshed(
        self, workspace: WorkspaceScope, shopify: Shopify
    ) -> None:
        installation = shopify.shop().installation
        assert installation is not None
        with AdminClient(SHOP, FixedAccess(installation.access_token)) as admin:
            assert "shop" in admin.run(SHOP_QUERY)
            installation.access_token = "shpat_another"
            with pytest.raises(ShopUnavailable):
                admin.run(SHOP_QUERY)
        assert shopify.token_requests() == 0

    def test_no_stored_token_needs_reauth(self, shopify: Shopify) -> None:
        with AdminClient(SHOP, StoredAccess(SHOP)) as admin, pytest.raises(NeedsReauth):
            admin.run(SHOP_QUERY)
        assert shopify.server.requests == []


@pytest.mark.parametrize(
    "shop",
    [
        "evil.example",
        "",
        "a.myshopify.com\n",
        "a.myshopify.com/..",
        "a.b.myshopify.com",
        "127.0.0.1",
    ],
)
def test_only_myshopify_domains_are_accepted(shop: str) -> None:
    with pytest.raises(ValueError, match="not a shop's"):
        AdminClient(shop, FixedAccess("token"))
