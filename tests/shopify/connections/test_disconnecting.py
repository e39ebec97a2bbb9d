"""Connections: ending a connection, and disconnecting its store."""

from dataclasses import replace
from typing import Any

import pytest
from werkzeug.wrappers import Response

from storepost.catalog.products.in_force import RulesRepository, terms_of
from storepost.shopify.grants import find_grant
from storepost.stores.stores.model import ConnectionStatus, StoreStatus
from storepost.values.scope import WorkspaceScope
from tests.harness.world import Someone, World
from tests.shopify.connections.stores import KEY, configure, count, put_store
from tests.shopify.shops import SHOP, Shopify, choose_existing, entrusted


class TestDelete:
    """DELETE /connections/{key}."""

    def delete(self, someone: Someone, **more: Any) -> Any:
        return someone.call("DELETE", f"/connections/{KEY}", **more)

    def test_bad_input(self, owner: Someone) -> None:
        assert self.delete(owner, key="").error_paths() == ["header.idempotency-key"]

    def test_unknown(self, owner: Someone) -> None:
        assert self.delete(owner).problem() == (404, "not_found")

    def test_pending_install_is_cancelled(
        self, world: World, shopify: Shopify, owner: Someone
    ) -> None:
        begun = shopify.begin(owner)
        assert self.delete(owner).status == 204
        assert shopify.connections(owner) == []
        assert world.rows("oauth#") == []
        late = shopify.callback(shopify.approved(begun))
        assert late.problem() == (400, "oauth_invalid")
        assert world.rows("link#") == []
        assert find_grant(SHOP) is None

    def test_cancelling_new_install_leaves_store_unchanged(
        self, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        put_store(workspace, connection_status=ConnectionStatus.NEEDS_REAUTH)
        shopify.begin(owner)
        assert self.delete(owner).status == 204
        assert [row["state"] for row in shopify.connections(owner)] == ["needs_attention"]

    def test_disconnects_the_store_and_removes_the_app(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        store = shopify.connect(owner, workspace)
        assert count(workspace) == 1
        assert self.delete(owner).status == 204
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
        locales = owner.call("GET", "/locales").json["items"]
        assert [(row["code"], row["origin"]) for row in locales] == [("en", "manual")]

    def test_deleting_again_changes_nothing(
        self, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        shopify.connect(owner, workspace)
        assert self.delete(owner).status == 204
        before = shopify.connections(owner)
        assert self.delete(owner).status == 204
        assert shopify.connections(owner) == before
        assert count(workspace) == 0

    @pytest.mark.parametrize("hours", [0, 2])
    def test_expired_token_is_refreshed_to_remove_app(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope, hours: int
    ) -> None:
        shopify.connect(owner, workspace)
        world.advance(hours=hours)
        assert self.delete(owner).status == 204
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
    def test_store_is_disconnected_when_app_removal_fails(
        self,
        world: World,
        shopify: Shopify,
        owner: Someone,
        workspace: WorkspaceScope,
        answer: Response,
    ) -> None:
        shopify.connect(owner, workspace)
        shopify.answering(answer)
        assert self.delete(owner).status == 204
        assert shopify.store(workspace).status is StoreStatus.DISCONNECTED
        assert entrusted(world) == []

    def test_reconnecting_reuses_store_id(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        store = shopify.connect(owner, workspace)
        self.delete(owner)
        world.advance(minutes=1)
        again = shopify.connect(owner, workspace)
        assert again == replace(store, connected_at=again.connected_at)
        assert again.connected_at > store.connected_at
        assert count(workspace) == 1
        assert RulesRepository(again).marked().changes == 0

    def test_reconnecting_with_other_currency_updates_product_rules(
        self, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        """No product follows the shop's former currency any more, and no preview is applied."""
        store = shopify.connect(owner, workspace)
        self.delete(owner)
        shopify.shop().currency_code = "USD"
        again = shopify.connect(owner, workspace)
        assert (store.currency, again.currency) == ("EUR", "USD")
        assert len(RulesRepository(again).marked().each) == 8
        assert RulesRepository(store).get().terms == terms_of(again)


class TestStoreDisconnect:
    """POST /stores/{id}/disconnect, of a shop's store."""

    def test_store_is_disconnected_and_app_removed(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        store = shopify.connect(owner, workspace)
        path = f"/stores/{store.id}/disconnect"
        world.advance(hours=2)
        assert owner.call("POST", path).status == 200
        assert entrusted(world) == []
        assert shopify.shop().installation is None
        assert [row["state"] for row in shopify.connections(owner)] == ["disconnected"]
        assert owner.call("POST", path).problem() == (409, "store_disconnected")

    def test_missing_client_id_disconnects_without_removing_app(
        self,
        world: World,
        shopify: Shopify,
        owner: Someone,
        workspace: WorkspaceScope,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """Expired tokens can't be refreshed: the shop keeps the app, and is released."""
        store = shopify.connect(owner, workspace)
        world.advance(hours=2)
        configure(monkeypatch, shopify_client_id="")
        assert owner.call("POST", f"/stores/{store.id}/disconnect").status == 200
        assert shopify.store(workspace).status is StoreStatus.DISCONNECTED
        assert entrusted(world) == []
        assert shopify.shop().installation is not None

    def test_renaming_shopify_store_is_refused(
        self, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        store = shopify.connect(owner, workspace)
        answer = owner.call("PATCH", f"/stores/{store.id}", {"name": "Other"})
        assert answer.problem() == (409, "store_managed_by_platform")

    def test_disconnecting_expires_open_connect_links(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        shopify.connect(owner, workspace)
        stranger = world.person()
        theirs = world.workspace(stranger)
        link = shopify.link(stranger)
        owner.call("DELETE", f"/connections/{KEY}")
        answer = shopify.choose(stranger, link, choose_existing(theirs))
        assert answer.problem() == (410, "link_expired")
        assert entrusted(world) == []
