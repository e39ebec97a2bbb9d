"""Connect links: the preview, and the link with its workspaces."""

from typing import Any
from uuid import uuid4

import pytest

from storepost.accounts.workspaces.model import Role
from storepost.values.scope import WorkspaceScope
from tests.harness.world import CANARY, Someone, World
from tests.shopify.connect_links.links import STORE, summary
from tests.shopify.shops import OTHER, SHOP, Shopify, choose_existing


class TestPreview:
    """GET /connect-links/{id}/preview."""

    def preview(self, world: World, link: str) -> Any:
        return world.call("GET", f"/connect-links/{link}/preview")

    def test_no_sign_in_required(self, world: World, link: str) -> None:
        answer = self.preview(world, link)
        assert (answer.status, answer.json) == (200, {"store": STORE, "platform": "shopify"})

    def test_bad_input(self, world: World) -> None:
        assert self.preview(world, "seven").error_paths() == ["path.id"]

    def test_unknown(self, world: World) -> None:
        assert self.preview(world, str(uuid4())).problem() == (404, "not_found")

    def test_link_expires_after_one_hour(self, world: World, link: str) -> None:
        world.advance(minutes=59, seconds=59)
        assert self.preview(world, link).status == 200
        world.advance(seconds=1)
        assert self.preview(world, link).problem() == (410, "link_expired")
        world.advance(days=29)
        assert self.preview(world, link).problem() == (410, "link_expired")

    def test_used_link_can_be_previewed(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope, link: str
    ) -> None:
        assert shopify.choose(owner, link, choose_existing(workspace)).status == 200
        assert self.preview(world, link).status == 200


class TestGet:
    """GET /connect-links/{id}."""

    def get(self, someone: Someone, link: str) -> Any:
        return someone.call("GET", f"/connect-links/{link}")

    def test_initiator_sees_requesting_workspace(
        self, owner: Someone, workspace: WorkspaceScope, link: str
    ) -> None:
        assert self.get(owner, link).json == {
            "store": STORE,
            "myWorkspaces": [summary(owner, workspace)],
            "requestedWorkspaceIds": [str(workspace.id)],
            "previousWorkspace": None,
            "twoFactorWorkspaces": [],
        }

    def test_requesting_workspace_is_hidden_from_others(self, world: World, link: str) -> None:
        stranger = world.person()
        assert self.get(stranger, link).json == {
            "store": STORE,
            "myWorkspaces": [],
            "requestedWorkspaceIds": [],
            "previousWorkspace": None,
            "twoFactorWorkspaces": [],
        }

    def test_no_active_workspace_required(
        self, world: World, owner: Someone, workspace: WorkspaceScope, link: str
    ) -> None:
        world.activate(owner, None)
        assert len(self.get(owner, link).json["myWorkspaces"]) == 1

    def test_lists_workspaces_of_owner_or_admin(
        self, world: World, shopify: Shopify, link: str
    ) -> None:
        someone, boss = world.person(), world.person()
        managed, plain = world.workspace(boss), world.workspace(boss)
        world.join(someone, plain, Role.MEMBER)
        world.join(someone, managed, Role.ADMIN)
        own = world.workspace(someone)
        shopify.begin(someone, OTHER)  # the workspace waits for another shop
        body = self.get(someone, link).json
        offered = {row["id"]: row["role"] for row in body["myWorkspaces"]}
        assert offered == {str(managed.id): "admin", str(own.id): "owner"}
        assert body["requestedWorkspaceIds"] == []

    def test_expired_install_is_not_a_requesting_workspace(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        someone = world.owner()
        shopify.begin(owner)
        world.advance(minutes=10)
        link = shopify.link(someone)
        assert self.get(owner, link).json["requestedWorkspaceIds"] == []

    def test_lists_workspaces_that_require_two_factor(
        self, world: World, owner: Someone, workspace: WorkspaceScope, link: str
    ) -> None:
        strict = world.workspace(owner, f"Strict {CANARY}")
        world.require_two_factor(strict)
        body = self.get(owner, link).json
        assert {row["id"] for row in body["myWorkspaces"]} == {str(strict.id), str(workspace.id)}
        named = [{"id": str(strict.id), "name": f"Strict {CANARY}"}]
        assert body["twoFactorWorkspaces"] == named
        world.turn_two_factor_on(owner)
        assert self.get(owner, link).json["twoFactorWorkspaces"] == []

    @pytest.mark.parametrize("role", [Role.MEMBER, Role.ADMIN])
    def test_previous_workspace_is_shown_to_members_only(
        self,
        world: World,
        shopify: Shopify,
        owner: Someone,
        workspace: WorkspaceScope,
        role: Role,
    ) -> None:
        shopify.connect(owner, workspace)
        someone = world.owner()
        link = shopify.link(someone)
        assert self.get(someone, link).json["previousWorkspace"] is None
        world.join(someone, workspace, role)
        previous = self.get(someone, link).json["previousWorkspace"]
        assert previous == {"id": str(workspace.id), "name": f"Mine {CANARY}"}
        owner.call("DELETE", f"/connections/shopify:{SHOP}")
        assert self.get(someone, link).json["previousWorkspace"] is None

    def test_used_or_expired_link_is_refused(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope, link: str
    ) -> None:
        other = shopify.link(owner, OTHER)
        assert shopify.choose(owner, link, choose_existing(workspace)).status == 200
        assert self.get(owner, link).problem() == (409, "link_used")
        world.advance(hours=1)
        assert self.get(owner, link).problem() == (409, "link_used")
        assert self.get(owner, other).problem() == (410, "link_expired")
