"""Connections: their states, the list, one of them."""

from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import pytest

from storepost.connections.connections.model import ConnectionState, state_of
from storepost.platform.persistence.item import Item, Key, find
from storepost.shopify import installs
from storepost.stores.imports.turns import LatestImportStatus
from storepost.stores.stores.listing import ListedStore
from storepost.stores.stores.model import ConnectionStatus, StoreStatus
from storepost.values import clock
from storepost.values.scope import WorkspaceScope
from tests.harness.world import CANARY, Someone, World
from tests.shopify.connections.stores import KEY, a_store, put_store
from tests.shopify.shops import OTHER, SHOP, Shopify


class TestStates:
    """The state of a store's connection: the first that applies."""

    @pytest.mark.parametrize(
        ("overrides", "imports", "state"),
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
    def test_state_follows_store_and_latest_import(
        self,
        workspace: WorkspaceScope,
        overrides: dict[str, Any],
        imports: LatestImportStatus,
        state: ConnectionState,
    ) -> None:
        store = replace(a_store(workspace), **overrides)
        assert state_of(ListedStore(store, imports)) is state


class TestList:
    """GET /connections."""

    def test_no_connections(self, world: World, owner: Someone) -> None:
        world.store(owner)  # a custom one is no connection
        answer = owner.call("GET", "/connections")
        assert answer.json == {"items": [], "total": 0, "page": 1, "pageSize": 25}

    def test_other_workspaces_connections_are_not_listed(
        self, world: World, shopify: Shopify, owner: Someone
    ) -> None:
        shopify.begin(owner)
        stranger = world.owner()
        assert shopify.connections(stranger) == []

    def test_connected_shop(
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

    def test_newest_first_with_page_and_state_filter(
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
        page = owner.call("GET", "/connections", query={"page": 2, "pageSize": 10})
        assert page.json == {"items": [], "total": 2, "page": 2, "pageSize": 10}

    def test_needs_reauth_shop_is_pending_during_new_install(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        put_store(workspace, connection_status=ConnectionStatus.NEEDS_REAUTH)
        assert [row["state"] for row in shopify.connections(owner)] == ["needs_attention"]
        begun = shopify.begin(owner)
        assert shopify.connections(owner) == [begun]

    def test_install_expires_after_ten_minutes(
        self, world: World, shopify: Shopify, owner: Someone
    ) -> None:
        begun = shopify.begin(owner)
        world.advance(minutes=9, seconds=59)
        assert shopify.connections(owner) == [begun]
        world.advance(seconds=1)
        assert shopify.connections(owner) == []

    def test_approved_install_stays_pending_without_path_or_link(
        self, world: World, shopify: Shopify, owner: Someone
    ) -> None:
        """The person who began it must not see the link: it is for the person who approved."""
        begun = shopify.begin(owner)
        link = urlsplit(str(shopify.callback(shopify.approved(begun)).header("location"))).fragment
        assert shopify.connections(owner) == [{**begun, "path": None}]
        body = owner.call("GET", "/connections").body.decode()
        assert link not in body
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
            assert owner.call("GET", path).json == begun
        shopify.connect(owner, workspace)
        for state in ("importing", "connected"):
            body = owner.call("GET", f"/connections/{KEY}").json
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
        self, shopify: Shopify, owner: Someone, workspace: WorkspaceScope, key: str
    ) -> None:
        shopify.connect(owner, workspace)
        assert owner.call("GET", f"/connections/{key}").problem() == (404, "not_found")

    @pytest.mark.parametrize("method", ["GET", "DELETE"])
    @pytest.mark.parametrize("shop", ["a" * 1_100, f"{'ä' * 600}.myshopify.com"])
    def test_name_that_no_shop_can_have_is_looked_up_nowhere(
        self, owner: Someone, monkeypatch: pytest.MonkeyPatch, method: str, shop: str
    ) -> None:
        sort_keys = list[str]()

        def read(model: type[Item], key: Key) -> Item | None:
            sort_keys.append(key[1])
            return find(model, key)

        monkeypatch.setattr(installs, "find", read)
        answer = owner.call(method, f"/connections/shopify:{shop}")
        assert answer.problem() == (404, "not_found")
        # DynamoDB refuses the read of a longer sort key, which moto doesn't.
        assert [key for key in sort_keys if len(key.encode()) > 1024] == []
