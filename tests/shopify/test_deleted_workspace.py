"""What becomes of a shop whose workspace is deleted."""

import pytest

from tests.shopify.shops import SHOP, Shopify
from tests.workspace_deletions.home import Home
from tests.world import World


@pytest.mark.parametrize("hours", [0, 2])
def test_the_app_leaves_the_shop(world: World, shopify: Shopify, hours: int) -> None:
    """Also by tokens that have to be refreshed first; the shop can be connected anew."""
    home = Home(world)
    shopify.connect(home.owner, home.workspace)
    assert home.delete().status == 202
    assert shopify.shop().installation is not None
    world.advance(hours=hours)
    home.remove()
    assert shopify.shop().installation is None
    assert [row.sk for row in world.rows(f"shop#{SHOP}")] == []
    world.advance(minutes=11)
    home.is_removed()
    again = Home(world)
    shopify.connect(again.owner, again.workspace)
    assert len(again.ids("/stores")) == 2
