"""Connecting a shop by a run that dies: everything is done, or nothing."""

from typing import Any

import pytest

from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.shopify.claims import find_claim
from storepost.stores.stores.model import StoreStatus
from storepost.stores.stores.repository import StoreRepository
from storepost.values.scope import WorkspaceScope
from tests.harness.crash_points import crashes
from tests.harness.world import Someone, World
from tests.shopify.shops import SHOP, Shopify, choose_existing, entrusted


@pytest.fixture
def workspace(world: World, shopify: Shopify, owner: Someone) -> WorkspaceScope:
    """That workspace."""
    scope = world.workspace(owner)
    shopify.connect(owner, scope)
    return scope


def count(workspace: WorkspaceScope) -> int:
    found = WorkspaceRepository(workspace).get()
    assert found is not None
    return found.store_count


def active(workspace: WorkspaceScope) -> list[str]:
    stores = StoreRepository(workspace).all()
    return [s.external_id for s in stores if s.status is StoreStatus.ACTIVE]


def test_move_to_other_workspace_is_atomic(
    world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
) -> None:
    """After any kill and a retry the shop is in one workspace, and one owner got one email."""
    stranger = world.person()
    theirs = world.workspace(stranger)
    link = shopify.link(stranger)

    def move() -> Any:
        return shopify.choose(stranger, link, choose_existing(theirs), key="k")

    found = crashes(world, move, outside=[shopify.server.pretend.shops])
    assert len(found.positions) > 30
    for positions in found:
        assert sorted([active(workspace), active(theirs)]) == [[], [SHOP]]
        assert (count(workspace), count(theirs)) == (len(active(workspace)), len(active(theirs)))
        world.advance(minutes=1)  # the dead run's lease ends
        answer = move()
        assert answer.status == 200, (positions, answer.body)
        assert (active(workspace), active(theirs)) == ([], [SHOP])
        assert (count(workspace), count(theirs)) == (0, 1)
        claim = find_claim(SHOP)
        assert claim is not None
        assert claim.workspace == theirs
        assert [email.to for email in world.emails()] == [owner.email], positions


def test_disconnection_is_atomic(
    world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
) -> None:
    """The app is removed from the shop after it; that step may stay undone."""

    def end() -> Any:
        return owner.call("DELETE", f"/connections/shopify:{SHOP}", key="k")

    for positions in crashes(world, end, outside=[shopify.server.pretend.shops]):
        assert (find_claim(SHOP) is None) is (active(workspace) == [])
        assert count(workspace) == len(active(workspace))
        world.advance(minutes=1)
        answer = end()
        assert answer.status == 204, (positions, answer.body)
        assert active(workspace) == []
        assert entrusted(world) == []
        assert count(workspace) == 0


def test_killed_callback_allows_new_approval(
    world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
) -> None:
    stranger = world.owner()
    begun = shopify.begin(stranger)
    parameters, links = shopify.approved(begun), len(world.rows("link#"))
    outside = [shopify.server.pretend.shops]
    for _ in crashes(world, lambda: shopify.callback(parameters), outside=outside):
        # The same parameters lead to at most one link, and connect nothing.
        assert shopify.callback(parameters).status in {302, 400}
        assert len(world.rows("link#")) - links <= 1
        assert active(workspace) == [SHOP]
        link = shopify.link(stranger)
        assert world.call("GET", f"/connect-links/{link}/preview").status == 200
