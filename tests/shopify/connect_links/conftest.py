"""A link of a shop, in a workspace, and its owner."""

import pytest

from storepost.values.scope import WorkspaceScope
from tests.harness.world import CANARY, Someone, World
from tests.shopify.shops import Shopify


@pytest.fixture
def workspace(world: World, owner: Someone) -> WorkspaceScope:
    """The owner's workspace."""
    return world.workspace(owner, f"Mine {CANARY}")


@pytest.fixture
def link(shopify: Shopify, owner: Someone, workspace: WorkspaceScope) -> str:
    """A link of a shop that the owner began to connect."""
    return shopify.link(owner)
