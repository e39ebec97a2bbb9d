"""Connections: beginning to connect a shop; `test_callback.py` has Shopify's redirect back."""

from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

import pytest

from storepost.connections.connections.service import begin_connection
from storepost.shopify.claims import find_claim
from storepost.stores.stores.model import ConnectionStatus
from storepost.stores.stores.repository import StoreRepository
from storepost.values import clock
from storepost.values.scope import WorkspaceScope
from tests.harness.world import BASE_URL, CANARY, Someone, World
from tests.shopify.connections.stores import KEY, NEW, configure, put_store
from tests.shopify.shops import SHOP, Shopify


class TestCreate:
    """POST /connections."""

    def test_bad_input(self, owner: Someone) -> None:
        def paths(body: object) -> list[str]:
            return owner.call("POST", "/connections", body).error_paths()

        assert paths({}) == ["/type", "/shop"]
        assert paths({"type": "amazon", "shop": SHOP}) == ["/type"]
        assert paths({"type": "shopify", "shop": "a" * 256}) == ["/shop"]
        assert paths({**NEW, "more": 1}) == ["/more"]

    @pytest.mark.parametrize(
        "shop",
        [
            "",
            "canary",
            "https://canary-shop.myshopify.com",
            "canary-shop.myshopify.com/admin",
            "canary-shop.myshopify.com.evil.example",
            "evil.example#.myshopify.com",
            "evil.example/.myshopify.com",
            "user@canary.myshopify.com",
            "canary.shop.myshopify.com",
            "-canary.myshopify.com",
            ".myshopify.com",
            "canary-shop.myshopify.com:443",
            "canary-shop.myshopify.com\n.evil.example",
            "canary_shop.myshopify.com",
            "c\u00e4nary.myshopify.com",
            "127.0.0.1",
            "a" * 64 + ".myshopify.com",
        ],
    )
    def test_invalid_shop_domain_is_refused(self, world: World, owner: Someone, shop: str) -> None:
        answer = owner.call("POST", "/connections", {"type": "shopify", "shop": shop})
        assert answer.problem() == (422, "shop_invalid")
        assert [error["path"] for error in answer.json["errors"]] == ["/shop"]
        assert world.rows("oauth#") == []

    def test_pending_connection_is_created(
        self, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        before = clock.now()
        answer = owner.call(
            "POST", "/connections", {"type": "shopify", "shop": f"  {SHOP.upper()} "}
        )
        body = answer.json
        assert answer.status == 201
        assert body == {
            "key": KEY,
            "type": "shopify",
            "name": "canary-shop",
            "identifier": SHOP,
            "state": "pending",
            "connectedAt": body["connectedAt"],
            "path": body["path"],
            "connectIntentId": body["connectIntentId"],
        }
        assert UUID(body["connectIntentId"]).version == 4
        assert before <= clock.from_text(body["connectedAt"]) <= clock.now()
        address = urlsplit(body["path"])
        assert address.path == f"/shops/{SHOP}/admin/oauth/authorize"
        query = dict(parse_qsl(address.query))
        assert len(query.pop("state")) == 43
        assert query == {
            "client_id": "local-app",
            "scope": (
                "read_customers,write_customers,read_customer_merge,read_orders,read_products,read_discounts,"
                "write_discounts,read_locales"
            ),
            "redirect_uri": f"{BASE_URL}/connections/shopify/callback",
        }
        assert shopify.server.requests == []
        assert find_claim(SHOP) is None
        assert StoreRepository(workspace).all() == []

    def test_path_leads_to_shop_domain_when_deployed(
        self, shopify: Shopify, owner: Someone, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("STOREPOST_LOCAL")
        address = urlsplit(shopify.begin(owner)["path"])
        assert (address.scheme, address.netloc) == ("https", SHOP)
        assert address.path == "/admin/oauth/authorize"

    def test_oauth_state_is_not_stored_in_plain_text(
        self, world: World, shopify: Shopify, owner: Someone
    ) -> None:
        state = dict(parse_qsl(urlsplit(shopify.begin(owner)["path"]).query))["state"]
        assert world.rows("oauth#") != []
        assert all(state not in str(row.to_simple_dict()) for row in world.rows())

    def test_second_request_cancels_first_install(
        self, world: World, shopify: Shopify, owner: Someone
    ) -> None:
        first, second = shopify.begin(owner), shopify.begin(owner)
        assert first["connectIntentId"] != second["connectIntentId"]
        assert [row["connectIntentId"] for row in shopify.connections(owner)] == [
            second["connectIntentId"]
        ]
        assert len(world.rows("oauth#")) == 1
        late = shopify.callback(shopify.approved(first))
        assert late.problem() == (400, "oauth_invalid")
        assert shopify.callback(shopify.approved(second)).status == 302

    def test_concurrent_requests_leave_one_install(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        with world.meanwhile(lambda c: begin_connection(workspace, SHOP, BASE_URL, c)):
            answer = owner.call("POST", "/connections", NEW)
        assert answer.status == 201
        assert len(world.rows("oauth#")) == 1
        [row] = shopify.connections(owner)
        assert row["connectIntentId"] == answer.json["connectIntentId"]

    def test_already_connected_shop_is_refused(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        shopify.connect(owner, workspace)
        assert owner.call("POST", "/connections", NEW).problem() == (409, "already_connected")
        assert world.rows("oauth#") == []

    @pytest.mark.parametrize(
        "status", [ConnectionStatus.NEEDS_REAUTH, ConnectionStatus.DISCONNECTED]
    )
    def test_disconnected_or_needs_reauth_shop_can_be_connected(
        self,
        world: World,
        shopify: Shopify,
        owner: Someone,
        workspace: WorkspaceScope,
        status: ConnectionStatus,
    ) -> None:
        put_store(workspace, connection_status=status)
        body = shopify.begin(owner)
        assert (body["state"], body["name"]) == ("pending", f"Shop {CANARY}")

    def test_shop_of_other_workspace_is_accepted_and_not_disclosed(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        shopify.connect(owner, workspace)
        stranger = world.owner()
        body = shopify.begin(stranger)
        assert (body["state"], body["name"]) == ("pending", "canary-shop")

    def test_missing_client_id_is_refused(
        self, owner: Someone, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        configure(monkeypatch, shopify_client_id="")
        answer = owner.call("POST", "/connections", NEW)
        assert answer.problem() == (409, "shopify_not_configured")
        assert answer.json["detail"].startswith("Ask the operator of this service")
        assert [vars(each).get("missing") for each in caplog.records[:1]] == ["ShopifyClientId"]

    def test_removed_client_id_hides_path_and_refuses_callback(
        self, shopify: Shopify, owner: Someone, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """No request leads to Shopify or returns from it; a begun connection is still shown."""
        begun = shopify.begin(owner)
        parameters = shopify.approved(begun)
        configure(monkeypatch, shopify_client_id="")
        left = {**begun, "path": None}
        assert begun["path"] is not None
        assert owner.call("GET", "/connections").json["items"] == [left]
        assert owner.call("GET", f"/connections/{KEY}").json == left
        assert shopify.callback(parameters).problem() == (409, "shopify_not_configured")

    def test_missing_client_secret_is_refused(
        self, owner: Someone, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        monkeypatch.setenv("SHOPIFY_SECRET_NAME", "/nothing/there")
        configure(monkeypatch, shopify_secret_name="/nothing/there")
        assert owner.call("POST", "/connections", NEW).problem() == (409, "shopify_not_configured")
        assert "ShopifySecretName" in vars(caplog.records[0])["missing"]
