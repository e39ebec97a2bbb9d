"""A shop whose workspace is deleted."""

import pytest

from storepost.shopify.claims import ShopStoreItem
from tests.harness.world import World
from tests.lifecycle.workspaces.full_workspace import Home
from tests.shopify.shops import SHOP, Shopify


@pytest.mark.parametrize("hours", [0, 2])
def test_app_is_removed_from_shop(world: World, shopify: Shopify, hours: int) -> None:
    """Also if its tokens must be refreshed first; the shop can be connected again."""
    home = Home(world)
    shopify.connect(home.owner, home.workspace)
    assert home.delete().status == 202
    assert shopify.shop().installation is not None
    world.advance(hours=hours)
    home.remove()
    assert shopify.shop().installation is None
    left = {type(row) for row in world.rows(f"shop#{SHOP}")}
    assert left <= {ShopStoreItem}
    world.advance(minutes=11)
    home.is_removed()
    assert world.rows(f"shop#{SHOP}") == []
    again = Home(world)
    shopify.connect(again.owner, again.workspace)
    assert len(again.ids("/stores")) == 2
