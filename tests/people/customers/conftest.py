"""A custom store and who puts customers into it."""

import pytest

from tests.harness.world import Someone, World
from tests.people.customers.shop import ADMIN, Shop


@pytest.fixture
def owner(world: World) -> Someone:
    """The owner of a workspace."""
    person = world.person()
    world.workspace(person)
    return person


@pytest.fixture
def store(world: World, owner: Someone) -> str:
    """A custom store of the workspace."""
    return world.store(owner, name="Shop", adminUrl=ADMIN)


@pytest.fixture
def shop(world: World, owner: Someone, store: str) -> Shop:
    """Whoever puts customers into the store."""
    return Shop(world, owner, store)
