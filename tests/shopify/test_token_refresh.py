"""The schedule that refreshes the tokens of quiet shops."""

from datetime import timedelta
from typing import Any

import pytest
from werkzeug.wrappers import Response

from local.events.pumps import run_schedule
from storepost.shopify import claims, tokens, upkeep
from storepost.shopify.claims import find_claim
from storepost.shopify.grants import Grant, find_grant
from storepost.shopify.patience import Patience
from storepost.stores.stores.model import ConnectionStatus
from storepost.values import clock
from storepost.values.scope import WorkspaceScope
from tests.harness.crash_points import crashes
from tests.harness.world import Someone, World
from tests.shopify.shops import OTHER, SHOP, Shopify, tokens_of


@pytest.fixture
def workspace(world: World, shopify: Shopify, owner: Someone) -> WorkspaceScope:
    """That workspace."""
    scope = world.workspace(owner)
    shopify.connect(owner, scope)
    shopify.server.requests.clear()
    return scope


def run() -> int:
    """Runs the schedule; how many shops it handled."""
    return int(run_schedule("shop_tokens")["shops"])


def due_rows(world: World) -> list[Any]:
    return world.rows("due#shop_tokens#")


@pytest.mark.usefixtures("workspace")
class TestQuietShop:
    """A shop without requests."""

    def test_not_refreshed_for_thirty_days(self, world: World, shopify: Shopify) -> None:
        world.advance(days=29, hours=23)
        assert run() == 0
        assert shopify.server.requests == []

    def test_tokens_stay_valid_for_years(
        self, world: World, shopify: Shopify, workspace: WorkspaceScope
    ) -> None:
        for _ in range(12):
            world.advance(days=30, seconds=1)
            assert run() == 1
            assert run() == 0
            assert len(due_rows(world)) == 1
        assert shopify.token_requests() == 12
        assert shopify.store(workspace).connection_status is ConnectionStatus.CONNECTED
        grant = find_grant(SHOP)
        assert grant is not None
        assert grant.refresh_token() == tokens_of(shopify.shop()).refresh_token

    def test_removed_app_needs_reauth(
        self, world: World, shopify: Shopify, workspace: WorkspaceScope
    ) -> None:
        shopify.shop().installation = None
        world.advance(days=30, seconds=1)
        assert run() == 1
        assert shopify.store(workspace).connection_status is ConnectionStatus.NEEDS_REAUTH
        assert run() == 0

    def test_run_handles_limited_number_of_shops(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(upkeep, "MAX_OF_A_SHARD", 0)
        world.advance(days=30, seconds=1)
        assert run() == 0
        monkeypatch.setattr(upkeep, "MAX_OF_A_SHARD", 1)
        assert run() == 1

    def test_moved_shop_is_due_once(self, world: World, shopify: Shopify) -> None:
        stranger = world.person()
        theirs = world.workspace(stranger)
        shopify.connect(stranger, theirs)
        assert len(due_rows(world)) == 1
        world.advance(days=30, minutes=1)
        assert run() == 1
        claim = find_claim(SHOP)
        assert claim is not None
        assert claim.workspace == theirs

    def test_disconnected_shop_is_not_due(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        world.advance(days=30, minutes=1)
        run()
        token, _ = world.sign_in(owner.id, workspace)  # the session before has ended
        assert world.call("DELETE", f"/connections/shopify:{SHOP}", token=token).status == 204
        assert due_rows(world) == []

    def test_due_row_without_claim_is_deleted(self, world: World, shopify: Shopify) -> None:
        for row in world.rows(f"shop#{SHOP}"):
            row.delete()
        world.advance(days=30, minutes=1)
        assert run() == 1
        assert due_rows(world) == []

    def test_killed_at_any_call(self, world: World, shopify: Shopify) -> None:
        world.advance(days=30, minutes=1)
        for _ in crashes(world, run, outside=[shopify.server.pretend.shops]):
            world.advance(minutes=1)
            run()
            assert run() == 0
            assert len(due_rows(world)) == 1
            grant = find_grant(SHOP)
            assert grant is not None
            assert grant.refresh_token() == tokens_of(shopify.shop()).refresh_token


def test_unexpected_failure_does_not_block_other_shops(
    world: World, shopify: Shopify, owner: Someone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For example, a shop's tokens can't be unsealed: it is put off like one that can't answer."""
    monkeypatch.setattr(claims, "SHARDS", 1)
    monkeypatch.setattr(upkeep, "SHARDS", 1)
    workspace, plain = world.workspace(owner), tokens.usable_grant
    for shop in (SHOP, OTHER):
        shopify.connect(owner, workspace, shop)
        world.advance(seconds=1)
    shopify.server.requests.clear()
    world.advance(days=30, minutes=1)
    failed_at = clock.now()

    def usable_grant(shop: str, patience: Patience) -> Grant:
        if shop == SHOP:
            raise ZeroDivisionError
        return plain(shop, patience)

    with monkeypatch.context() as broken:
        broken.setattr(upkeep, "usable_grant", usable_grant)
        assert [run() for _ in range(2)] == [1, 0]
    assert shopify.token_requests() == 1
    claim = find_claim(SHOP)
    assert claim is not None
    assert timedelta(days=1) <= claim.upkeep_at - failed_at < timedelta(days=1, hours=7)
    world.advance(days=1, hours=7)
    assert run() == 1
    assert shopify.token_requests() == 2
    assert len(due_rows(world)) == 2


def test_unavailable_shop_does_not_block_other_shops(
    world: World, shopify: Shopify, owner: Someone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are tried a day later, each at its own time, and never dropped."""
    monkeypatch.setattr(claims, "SHARDS", 1)
    monkeypatch.setattr(upkeep, "SHARDS", 1)
    monkeypatch.setattr(upkeep, "MAX_OF_A_SHARD", 1)
    workspace = world.workspace(owner)
    for shop in (SHOP, OTHER):
        shopify.connect(owner, workspace, shop)
        world.advance(seconds=1)
    shopify.server.requests.clear()
    world.advance(days=30, minutes=1)
    failed_at = clock.now()
    shopify.answering(Response(status=503))
    assert [run() for _ in range(3)] == [0, 1, 0]
    assert shopify.token_requests() == 2
    claim = find_claim(SHOP)
    assert claim is not None
    assert timedelta(days=1) <= claim.upkeep_at - failed_at < timedelta(days=1, hours=7)
    assert claims.upkeep_key(SHOP, claim.upkeep_at) in {row.key for row in due_rows(world)}
    world.advance(days=1, hours=7)
    assert [run() for _ in range(2)] == [1, 0]
    assert shopify.token_requests() == 3
    assert len(due_rows(world)) == 2
