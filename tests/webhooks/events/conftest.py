"""A workspace whose stream is observed."""

import pytest

from tests.harness.world import World
from tests.shopify.conftest import shopify, shopify_server
from tests.webhooks.events.shop import Shop

__all__ = ["shop", "shopify", "shopify_server"]


@pytest.fixture
def shop(world: World) -> Shop:
    """The workspace before any event, with empty queues."""
    owner = world.person()
    workspace = world.workspace(owner)
    return Shop(world, owner, workspace, world.store(owner)).delivered()
