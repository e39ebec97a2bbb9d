"""A custom store and its owner, who puts customers."""

import pytest

from tests.harness.world import Someone, World
from tests.people.customers.shop import ADMIN, Shop


@pytest.fixture
def store(world: World, owner: Someone) -> str:
    """A custom store of the workspace."""
    return world.store(owner, name="Shop", adminUrl=ADMIN)


@pytest.fixture
def shop(world: World, owner: Someone, store: str) -> Shop:
    """The store's owner, who puts customers."""
    return Shop(world, owner, store)
