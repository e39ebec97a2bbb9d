"""The shop that every test here begins with."""

import pytest

from tests.coupons.coupon_store import Shop
from tests.harness.world import World
from tests.shopify.conftest import shopify, shopify_server


@pytest.fixture
def shop(world: World) -> Shop:
    """A workspace with a custom store and nobody in it."""
    return Shop(world)


__all__ = ["shop", "shopify", "shopify_server"]
