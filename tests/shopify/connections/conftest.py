"""A workspace and its owner."""

from uuid import UUID

import pytest

from storepost.values.scope import WorkspaceScope
from tests.harness.world import Someone, World


@pytest.fixture
def owner(world: World) -> Someone:
    """The owner of a workspace."""
    return world.owner()


@pytest.fixture
def workspace(owner: Someone) -> WorkspaceScope:
    """The owner's workspace."""
    body = owner.call("GET", "/me").json
    return WorkspaceScope(UUID(body["workspaces"][0]["id"]))
