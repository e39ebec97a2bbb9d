"""Callers for the tests of what holds for every operation."""

import pytest

from storepost.values.scope import WorkspaceScope
from tests.harness.world import Someone, World


@pytest.fixture
def owner(world: World) -> Someone:
    """A person who will own the workspace."""
    return world.person()


@pytest.fixture
def workspace(world: World, owner: Someone) -> WorkspaceScope:
    """The owner's workspace."""
    return world.workspace(owner)
