"""The connected shop that every test here begins with."""

import pytest

from tests.coupons.shopify.on_shopify import OnShopify
from tests.harness.world import World
from tests.shopify.shops import Shopify


@pytest.fixture
def shop(world: World, shopify: Shopify) -> OnShopify:
    """The shop that every test here begins with."""
    return OnShopify(world, shopify)
