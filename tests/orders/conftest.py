"""A custom store and its owner."""

import pytest

from tests.harness.world import Someone, World


@pytest.fixture
def store(world: World, owner: Someone) -> str:
    """A custom store of the owner's workspace, in euros."""
    return world.store(owner, name="Olive's Shop")
