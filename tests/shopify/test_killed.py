"""Connecting a shop by a run that dies on the way: all of it, or none."""

from collections.abc import Callable
from typing import Any

import pytest

from storepost.scope import WorkspaceScope
from storepost.shopify.claims import find_claim
from storepost.stores.model import StoreStatus
from storepost.stores.repository import StoreRepository
from storepost.workspaces.repository import WorkspaceRepository
from tests.kills import Moment, counted, killed_at
from tests.shopify.shops import SHOP, Shopify, choose_existing, entrusted
from tests.world import Someone, World


@pytest.fixture
def owner(world: World) -> Someone:
    """The owner of a workspace to which the shop is connected."""
    return world.person()


@pytest.fixture
def workspace(world: World, shopify: Shopify, owner: Someone) -> WorkspaceScope:
    """That workspace."""
    scope = world.workspace(owner)
    shopify.connect(owner, scope)
    return scope


def places_of(work: Callable[[], object]) -> list[tuple[int, Moment]]:
    """Where the work can be killed; dying after a read is dying before the next call."""
    calls = counted(work)
    writes = [
        n for n, name in enumerate(calls, 1) if not name.startswith(("Get", "Query", "Batch"))
    ]
    return [
        *((number, Moment.BEFORE) for number in range(1, len(calls) + 1)),
        *((number, Moment.AFTER) for number in writes),
    ]


def count(workspace: WorkspaceScope) -> int:
    found = WorkspaceRepository(workspace).get()
    assert found is not None
    return found.store_count


def active(workspace: WorkspaceScope) -> list[str]:
    stores = StoreRepository(workspace).all()
    return [s.external_id for s in stores if s.status is StoreStatus.ACTIVE]


def test_a_move_is_one_step(
    world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
) -> None:
    """Killed anywhere and repeated, the shop is in one workspace, and one owner is told once."""
    stranger = world.person()
    theirs = world.workspace(stranger)
    link = shopify.link(stranger)

    def move() -> Any:
        return shopify.choose(stranger, link, choose_existing(theirs), key="k")

    bring_back = world.kept()
    move()
    bring_back()
    places = places_of(move)
    assert len(places) > 15
    for number, moment in places:
        bring_back()
        assert killed_at(number, moment, move), (number, moment)
        assert sorted([active(workspace), active(theirs)]) == [[], [SHOP]]
        assert (count(workspace), count(theirs)) == (len(active(workspace)), len(active(theirs)))
        world.advance(minutes=1)  # the lease of the run that died ends
        answer = move()
        assert answer.status == 200, (number, moment, answer.body)
        assert (active(workspace), active(theirs)) == ([], [SHOP])
        assert (count(workspace), count(theirs)) == (0, 1)
        claim = find_claim(SHOP)
        assert claim is not None
        assert claim.workspace == theirs
        assert [email.to for email in world.emails()] == [owner.email], (number, moment)


def test_a_disconnection_is_one_step(
    world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
) -> None:
    """The app is removed from the shop after it; that may be left undone."""

    def end() -> Any:
        return world.call("DELETE", f"/connections/shopify:{SHOP}", token=owner.token, key="k")

    bring_back, held = world.kept(), shopify.shop().installation
    end()
    bring_back()
    shopify.shop().installation = held
    places = places_of(end)
    for number, moment in places:
        bring_back()
        shopify.shop().installation = held
        assert killed_at(number, moment, end), (number, moment)
        assert (find_claim(SHOP) is None) is (active(workspace) == [])
        assert count(workspace) == len(active(workspace))
        world.advance(minutes=1)
        answer = end()
        assert answer.status == 204, (number, moment, answer.body)
        assert active(workspace) == []
        assert entrusted(world) == []
        assert count(workspace) == 0


def test_a_callback_that_died_leaves_a_shop_that_can_begin_again(
    world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
) -> None:
    stranger = world.person()
    world.workspace(stranger)
    shop = shopify.shop()
    begun = shopify.begin(stranger)
    parameters, links = shopify.approved(begun), len(world.rows("link#"))
    bring_back, codes, held = world.kept(), dict(shop.codes), shop.installation

    def again() -> None:
        bring_back()
        shop.codes, shop.installation = dict(codes), held

    shopify.callback(parameters)
    again()
    places = places_of(lambda: shopify.callback(parameters))
    for number, moment in places:
        again()
        assert killed_at(number, moment, lambda: shopify.callback(parameters))
        # The same parameters lead to one link at most, and nothing was connected by any of it.
        assert shopify.callback(parameters).status in {302, 400}
        assert len(world.rows("link#")) - links <= 1
        assert active(workspace) == [SHOP]
        link = shopify.link(stranger)
        assert world.call("GET", f"/connect-links/{link}/preview").status == 200
