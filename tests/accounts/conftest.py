"""A workspace and its owner."""

import pytest

from storepost.values.scope import WorkspaceScope
from tests.harness.world import Someone, World


@pytest.fixture
def owner(world: World) -> Someone:
    """The owner of a workspace."""
    return world.person("Olive Owner")


@pytest.fixture
def workspace(world: World, owner: Someone) -> WorkspaceScope:
    """The owner's workspace."""
    return world.workspace(owner, "Olive's Shop")
