"""Connections, an operation a class; what Shopify leads back with is in `test_callback.py`."""

from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

import pytest
from werkzeug.wrappers import Response

from storepost.accounts.identity.model import KeyScope
from storepost.accounts.workspaces.model import Role
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.catalog.products.in_force import RulesRepository, terms_of
from storepost.connections.connections.model import ConnectionState, state_of
from storepost.connections.connections.service import begin_connection
from storepost.platform.persistence.changes import Changes
from storepost.shopify import app as shopify_app
from storepost.shopify.claims import find_claim
from storepost.shopify.grants import find_grant
from storepost.stores.imports.turns import LatestImportStatus
from storepost.stores.stores.listing import ListedStore
from storepost.stores.stores.model import (
    ConnectionStatus,
    Platform,
    Store,
    StoreLocale,
    StoreStatus,
)
from storepost.stores.stores.repository import StoreRepository
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.scope import WorkspaceScope
from storepost.values.settings import ServiceSettings, settings
from tests.harness.world import BASE_URL, CANARY, Someone, World
from tests.shopify.shops import OTHER, SHOP, Shopify, choose_existing, entrusted

NEW = {"type": "shopify", "shop": SHOP}
KEY = f"shopify:{SHOP}"


@pytest.fixture
def owner(world: World) -> Someone:
    """The owner of a workspace."""
    person = world.person()
    world.workspace(person)
    return person


@pytest.fixture
def workspace(world: World, owner: Someone) -> WorkspaceScope:
    """The owner's workspace."""
    body = world.call("GET", "/me", token=owner.token).json
    return WorkspaceScope(UUID(body["workspaces"][0]["id"]))


def count(workspace: WorkspaceScope) -> int:
    """How many active stores the workspace says that it has."""
    found = WorkspaceRepository(workspace).get()
    assert found is not None
    return found.store_count


def configure(monkeypatch: pytest.MonkeyPatch, **given: Any) -> None:
    """Other settings of the app than the run's own."""
    other: ServiceSettings = replace(settings(), **given)
    monkeypatch.setattr(shopify_app, "settings", lambda: other)


def a_store(workspace: WorkspaceScope) -> Store:
    """A store of the shop, connected."""
    return Store(
        id=new_id(),
        workspace=workspace,
        platform=Platform.SHOPIFY,
        name=f"Shop {CANARY}",
        external_id=SHOP,
        currency="EUR",
        primary_locale="en",
        status=StoreStatus.ACTIVE,
        connection_status=ConnectionStatus.CONNECTED,
        takes_consent=True,
        admin_url="https://admin.example.com/",
        storefront_url=None,
        contact_email=None,
        connected_at=clock.now(),
        locales=(StoreLocale("en", "English", True, "US", "EUR", None),),
    )


def put_store(workspace: WorkspaceScope, **given: Any) -> None:
    """Writes a store of the shop with these values."""
    store, changes = replace(a_store(workspace), **given), Changes()
    StoreRepository(workspace).claim(changes, store)
    StoreRepository(workspace).save(changes, store)
    changes.commit()


class TestCreate:
    """POST /connections."""

    def test_who_may_not(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        key = world.api_key(workspace, KeyScope.WRITE, owner)
        answer = world.call("POST", "/connections", token=key, json_body=NEW)
        assert answer.problem() == (403, "sign_in_required")
        member = world.member(workspace, Role.MEMBER)
        answer = world.call("POST", "/connections", token=member.token, json_body=NEW)
        assert answer.problem() == (403, "role")
        nobody = world.person()
        answer = world.call("POST", "/connections", token=nobody.token, json_body=NEW)
        assert answer.problem() == (409, "no_active_workspace")
        world.require_two_factor(workspace)
        answer = world.call("POST", "/connections", token=owner.token, json_body=NEW)
        assert answer.problem() == (403, "two_factor_required")

    def test_bad_input(self, world: World, owner: Someone) -> None:
        def paths(body: object) -> list[str]:
            return world.call(
                "POST", "/connections", token=owner.token, json_body=body
            ).error_paths()

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
    def test_what_is_no_shop(self, world: World, owner: Someone, shop: str) -> None:
        body = {"type": "shopify", "shop": shop}
        answer = world.call("POST", "/connections", token=owner.token, json_body=body)
        assert answer.problem() == (422, "shop_invalid")
        assert [error["path"] for error in answer.json["errors"]] == ["/shop"]
        assert world.rows("oauth#") == []

    def test_a_pending_connection(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        before = clock.now()
        answer = world.call(
            "POST",
            "/connections",
            token=owner.token,
            json_body={"type": "shopify", "shop": f"  {SHOP.upper()} "},
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
        asked = dict(parse_qsl(address.query))
        assert len(asked.pop("state")) == 43
        assert asked == {
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

    def test_deployed_it_leads_to_the_shop_itself(
        self, shopify: Shopify, owner: Someone, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("STOREPOST_LOCAL")
        address = urlsplit(shopify.begin(owner)["path"])
        assert (address.scheme, address.netloc) == ("https", SHOP)
        assert address.path == "/admin/oauth/authorize"

    def test_the_state_is_not_stored_as_it_is(
        self, world: World, shopify: Shopify, owner: Someone
    ) -> None:
        state = dict(parse_qsl(urlsplit(shopify.begin(owner)["path"]).query))["state"]
        assert world.rows("oauth#") != []
        assert all(state not in str(row.to_simple_dict()) for row in world.rows())

    def test_beginning_again_ends_the_one_before(
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

    def test_two_at_once_leave_one(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        with world.meanwhile(lambda c: begin_connection(workspace, SHOP, BASE_URL, c)):
            answer = world.call("POST", "/connections", token=owner.token, json_body=NEW)
        assert answer.status == 201
        assert len(world.rows("oauth#")) == 1
        [row] = shopify.connections(owner)
        assert row["connectIntentId"] == answer.json["connectIntentId"]

    def test_a_retry_begins_nothing_new(
        self, world: World, shopify: Shopify, owner: Someone
    ) -> None:
        answers = [
            world.call("POST", "/connections", token=owner.token, json_body=NEW, key="k")
            for _ in range(2)
        ]
        assert answers[0].body == answers[1].body
        assert answers[1].header("idempotency-replayed") == "true"
        assert len(world.rows("oauth#")) == 1

    def test_connected_already(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        shopify.connect(owner, workspace)
        answer = world.call("POST", "/connections", token=owner.token, json_body=NEW)
        assert answer.problem() == (409, "already_connected")
        assert world.rows("oauth#") == []

    @pytest.mark.parametrize(
        "status", [ConnectionStatus.NEEDS_REAUTH, ConnectionStatus.DISCONNECTED]
    )
    def test_again_where_it_no_longer_works(
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

    def test_elsewhere_is_no_hindrance_and_not_told(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        shopify.connect(owner, workspace)
        stranger = world.person()
        world.workspace(stranger)
        body = shopify.begin(stranger)
        assert (body["state"], body["name"]) == ("pending", "canary-shop")

    def test_without_an_app(
        self,
        world: World,
        owner: Someone,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        configure(monkeypatch, shopify_client_id="")
        answer = world.call("POST", "/connections", token=owner.token, json_body=NEW)
        assert answer.problem() == (409, "shopify_not_configured")
        assert answer.json["detail"].startswith("Ask whoever runs this service")
        assert [vars(each).get("missing") for each in caplog.records[:1]] == ["ShopifyClientId"]

    def test_without_an_app_any_more(
        self, world: World, shopify: Shopify, owner: Someone, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Nobody is led to Shopify, nor can come back from there; what was begun is still shown."""
        begun = shopify.begin(owner)
        parameters = shopify.approved(begun)
        configure(monkeypatch, shopify_client_id="")
        left = {**begun, "path": None}
        assert begun["path"] is not None
        assert world.call("GET", "/connections", token=owner.token).json["items"] == [left]
        assert world.call("GET", f"/connections/{KEY}", token=owner.token).json == left
        assert shopify.callback(parameters).problem() == (409, "shopify_not_configured")

    def test_without_its_secret(
        self,
        world: World,
        owner: Someone,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        monkeypatch.setenv("SHOPIFY_SECRET_NAME", "/nothing/there")
        configure(monkeypatch, shopify_secret_name="/nothing/there")
        answer = world.call("POST", "/connections", token=owner.token, json_body=NEW)
        assert answer.problem() == (409, "shopify_not_configured")
        assert "ShopifySecretName" in vars(caplog.records[0])["missing"]


class TestStates:
    """How a store's connection is doing: the first that holds."""

    @pytest.mark.parametrize(
        ("given", "imports", "state"),
        [
            ({}, LatestImportStatus.NONE, ConnectionState.CONNECTED),
            ({}, LatestImportStatus.COMPLETED, ConnectionState.CONNECTED),
            ({}, LatestImportStatus.QUEUED, ConnectionState.IMPORTING),
            ({}, LatestImportStatus.RUNNING, ConnectionState.IMPORTING),
            ({}, LatestImportStatus.FAILED, ConnectionState.NEEDS_ATTENTION),
            (
                {"connection_status": ConnectionStatus.NEEDS_REAUTH},
                LatestImportStatus.RUNNING,
                ConnectionState.NEEDS_ATTENTION,
            ),
            (
                {
                    "status": StoreStatus.DISCONNECTED,
                    "connection_status": ConnectionStatus.DISCONNECTED,
                },
                LatestImportStatus.FAILED,
                ConnectionState.DISCONNECTED,
            ),
        ],
    )
    def test_of_a_store(
        self,
        workspace: WorkspaceScope,
        given: dict[str, Any],
        imports: LatestImportStatus,
        state: ConnectionState,
    ) -> None:
        store = replace(a_store(workspace), **given)
        assert state_of(ListedStore(store, imports)) is state


class TestList:
    """GET /connections."""

    def test_bad_input(self, world: World, owner: Someone) -> None:
        query = {"type": "amazon", "state": "gone", "page": 0, "pageSize": 7}
        answer = world.call("GET", "/connections", token=owner.token, query=query)
        assert answer.error_paths() == ["query.type", "query.state", "query.page", "query.pageSize"]

    def test_none(self, world: World, owner: Someone) -> None:
        world.store(owner)  # a custom one is no connection
        answer = world.call("GET", "/connections", token=owner.token)
        assert answer.json == {"items": [], "total": 0, "page": 1, "pageSize": 25}

    def test_anybody_of_the_workspace_may_look(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        begun = shopify.begin(owner)
        key = world.api_key(workspace, KeyScope.READ)
        member = world.member(workspace)
        for token in (key, member.token):
            assert world.call("GET", "/connections", token=token).json["items"] == [begun]

    def test_another_workspaces_are_invisible(
        self, world: World, shopify: Shopify, owner: Someone
    ) -> None:
        shopify.begin(owner)
        stranger = world.person()
        world.workspace(stranger)
        assert shopify.connections(stranger) == []

    def test_a_connected_one(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        store = shopify.connect(owner, workspace)
        world.deliver()
        assert shopify.connections(owner) == [
            {
                "key": KEY,
                "type": "shopify",
                "name": f"Shop {CANARY}",
                "identifier": SHOP,
                "state": "connected",
                "connectedAt": clock.to_text(store.connected_at),
                "path": None,
                "connectIntentId": None,
            }
        ]

    def test_newest_first_by_page_and_state(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        shopify.connect(owner, workspace)
        world.advance(minutes=1)
        shopify.begin(owner, OTHER)
        assert [row["identifier"] for row in shopify.connections(owner)] == [OTHER, SHOP]
        for states, shops in (
            ("pending", [OTHER]),
            ("importing", [SHOP]),
            ("importing,pending", [OTHER, SHOP]),
            ("disconnected,connected,needs_attention", []),
        ):
            found = shopify.connections(owner, state=states, type="shopify")
            assert [row["identifier"] for row in found] == shops
        page = world.call(
            "GET", "/connections", token=owner.token, query={"page": 2, "pageSize": 10}
        )
        assert page.json == {"items": [], "total": 2, "page": 2, "pageSize": 10}

    def test_one_that_waits_for_approval_again_is_pending(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        put_store(workspace, connection_status=ConnectionStatus.NEEDS_REAUTH)
        assert [row["state"] for row in shopify.connections(owner)] == ["needs_attention"]
        begun = shopify.begin(owner)
        assert shopify.connections(owner) == [begun]

    def test_an_install_ends_with_its_ten_minutes(
        self, world: World, shopify: Shopify, owner: Someone
    ) -> None:
        begun = shopify.begin(owner)
        world.advance(minutes=9, seconds=59)
        assert shopify.connections(owner) == [begun]
        world.advance(seconds=1)
        assert shopify.connections(owner) == []

    def test_once_approved_it_waits_for_the_choice_and_tells_no_address(
        self, world: World, shopify: Shopify, owner: Someone
    ) -> None:
        """Whoever began it must not get at the link: that is for whoever approved."""
        begun = shopify.begin(owner)
        link = urlsplit(str(shopify.callback(shopify.approved(begun)).header("location"))).fragment
        assert shopify.connections(owner) == [{**begun, "path": None}]
        told = world.call("GET", "/connections", token=owner.token).body.decode()
        assert link not in told
        world.advance(minutes=59, seconds=59)
        assert len(shopify.connections(owner)) == 1
        world.advance(seconds=1)
        assert shopify.connections(owner) == []


class TestGet:
    """GET /connections/{key}."""

    def test_pending_and_connected(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        begun = shopify.begin(owner)
        for path in (f"/connections/{KEY}", f"/connections/shopify%3A{SHOP}"):
            assert world.call("GET", path, token=owner.token).json == begun
        shopify.connect(owner, workspace)
        for state in ("importing", "connected"):
            body = world.call("GET", f"/connections/{KEY}", token=owner.token).json
            assert [body] == shopify.connections(owner)
            assert body["state"] == state
            world.deliver()

    @pytest.mark.parametrize(
        "key",
        [
            f"shopify:{OTHER}",
            SHOP,
            "shopify",
            "shopify:",
            f"custom:{SHOP}",
            "0190f0b1-0000-7000-8000-000000000000",
        ],
    )
    def test_unknown(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope, key: str
    ) -> None:
        shopify.connect(owner, workspace)
        answer = world.call("GET", f"/connections/{key}", token=owner.token)
        assert answer.problem() == (404, "not_found")

    def test_another_workspaces(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        shopify.connect(owner, workspace)
        stranger = world.person()
        world.workspace(stranger)
        answer = world.call("GET", f"/connections/{KEY}", token=stranger.token)
        assert answer.problem() == (404, "not_found")


class TestDelete:
    """DELETE /connections/{key}."""

    def delete(self, world: World, someone: Someone, **more: Any) -> Any:
        return world.call("DELETE", f"/connections/{KEY}", token=someone.token, **more)

    def test_who_may_not(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        shopify.begin(owner)
        key = world.api_key(workspace, KeyScope.WRITE, owner)
        answer = world.call("DELETE", f"/connections/{KEY}", token=key)
        assert answer.problem() == (403, "sign_in_required")
        assert self.delete(world, world.member(workspace)).problem() == (403, "role")
        assert len(shopify.connections(owner)) == 1

    def test_bad_input(self, world: World, owner: Someone) -> None:
        answer = self.delete(world, owner, key="")
        assert answer.error_paths() == ["header.idempotency-key"]

    def test_unknown(self, world: World, owner: Someone) -> None:
        assert self.delete(world, owner).problem() == (404, "not_found")

    def test_cancels_what_is_pending(self, world: World, shopify: Shopify, owner: Someone) -> None:
        begun = shopify.begin(owner)
        assert self.delete(world, owner).status == 204
        assert shopify.connections(owner) == []
        assert world.rows("oauth#") == []
        late = shopify.callback(shopify.approved(begun))
        assert late.problem() == (400, "oauth_invalid")
        assert world.rows("link#") == []
        assert find_grant(SHOP) is None

    def test_a_pending_one_again_leaves_the_store_alone(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        put_store(workspace, connection_status=ConnectionStatus.NEEDS_REAUTH)
        shopify.begin(owner)
        assert self.delete(world, owner).status == 204
        assert [row["state"] for row in shopify.connections(owner)] == ["needs_attention"]

    def test_disconnects_the_store_and_removes_the_app(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        store = shopify.connect(owner, workspace)
        assert count(workspace) == 1
        assert self.delete(world, owner).status == 204
        after = shopify.store(workspace)
        assert after.disconnected_at is not None
        assert after == replace(
            store,
            disconnected_at=after.disconnected_at,
            status=StoreStatus.DISCONNECTED,
            connection_status=ConnectionStatus.DISCONNECTED,
        )
        assert count(workspace) == 0
        assert entrusted(world) == []
        assert shopify.shop().installation is None
        [row] = shopify.connections(owner)
        assert (row["state"], row["path"], row["connectIntentId"]) == ("disconnected", None, None)
        locales = world.call("GET", "/locales", token=owner.token).json["items"]
        assert [(row["code"], row["origin"]) for row in locales] == [("en", "manual")]

    def test_deleting_again_changes_nothing(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        shopify.connect(owner, workspace)
        assert self.delete(world, owner).status == 204
        before = shopify.connections(owner)
        assert self.delete(world, owner).status == 204
        assert shopify.connections(owner) == before
        assert count(workspace) == 0

    def test_a_retry_gets_the_first_answer(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        shopify.connect(owner, workspace)
        assert self.delete(world, owner, key="k").status == 204
        again = self.delete(world, owner, key="k")
        assert (again.status, again.header("idempotency-replayed")) == (204, "true")
        assert count(workspace) == 0

    @pytest.mark.parametrize("hours", [0, 2])
    def test_with_a_token_that_has_ended_too(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope, hours: int
    ) -> None:
        shopify.connect(owner, workspace)
        world.advance(hours=hours)
        assert self.delete(world, owner).status == 204
        assert shopify.shop().installation is None
        assert shopify.token_requests() == (2 if hours else 1)

    @pytest.mark.parametrize(
        "answer",
        [
            Response(status=503),
            Response("no json"),
            Response('{"errors": "gone"}', status=401),
            Response('{"data": {"appUninstall": {"userErrors": [{"message": "Not installed"}]}}}'),
        ],
    )
    def test_is_done_although_the_app_could_not_be_removed(
        self,
        world: World,
        shopify: Shopify,
        owner: Someone,
        workspace: WorkspaceScope,
        answer: Response,
    ) -> None:
        shopify.connect(owner, workspace)
        shopify.answering(answer)
        assert self.delete(world, owner).status == 204
        assert shopify.store(workspace).status is StoreStatus.DISCONNECTED
        assert entrusted(world) == []

    def test_connecting_again_keeps_the_id(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        store = shopify.connect(owner, workspace)
        self.delete(world, owner)
        world.advance(minutes=1)
        again = shopify.connect(owner, workspace)
        assert again == replace(store, connected_at=again.connected_at)
        assert again.connected_at > store.connected_at
        assert count(workspace) == 1
        assert RulesRepository(again).marked().changes == 0

    def test_connecting_again_in_another_currency(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        """No product is written any more by what the shop said before, nor any preview applied."""
        store = shopify.connect(owner, workspace)
        self.delete(world, owner)
        shopify.shop().currency_code = "USD"
        again = shopify.connect(owner, workspace)
        assert (store.currency, again.currency) == ("EUR", "USD")
        assert len(RulesRepository(again).marked().each) == 8
        assert RulesRepository(store).get().terms == terms_of(again)


class TestStoreDisconnect:
    """POST /stores/{id}/disconnect, of a shop's store."""

    def test_does_the_same(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        store = shopify.connect(owner, workspace)
        path = f"/stores/{store.id}/disconnect"
        world.advance(hours=2)
        assert world.call("POST", path, token=owner.token).status == 200
        assert entrusted(world) == []
        assert shopify.shop().installation is None
        assert [row["state"] for row in shopify.connections(owner)] == ["disconnected"]
        answer = world.call("POST", path, token=owner.token)
        assert answer.problem() == (409, "store_disconnected")

    def test_where_the_deployment_has_no_app_any_more(
        self,
        world: World,
        shopify: Shopify,
        owner: Someone,
        workspace: WorkspaceScope,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """Tokens that ended can't be refreshed: the shop keeps the app, and is let go."""
        store = shopify.connect(owner, workspace)
        world.advance(hours=2)
        configure(monkeypatch, shopify_client_id="")
        answer = world.call("POST", f"/stores/{store.id}/disconnect", token=owner.token)
        assert answer.status == 200
        assert shopify.store(workspace).status is StoreStatus.DISCONNECTED
        assert entrusted(world) == []
        assert shopify.shop().installation is not None

    def test_what_its_platform_keeps_is_not_written_here(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        store = shopify.connect(owner, workspace)
        answer = world.call(
            "PATCH", f"/stores/{store.id}", token=owner.token, json_body={"name": "Other"}
        )
        assert answer.problem() == (409, "store_managed_by_platform")

    def test_a_link_to_a_shop_that_was_disconnected_since_has_ended(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        shopify.connect(owner, workspace)
        stranger = world.person()
        theirs = world.workspace(stranger)
        link = shopify.link(stranger)
        world.call("DELETE", f"/connections/{KEY}", token=owner.token)
        answer = shopify.choose(stranger, link, choose_existing(theirs))
        assert answer.problem() == (410, "link_expired")
        assert entrusted(world) == []
