"""Who calls in the tests of what holds for every operation."""

import pytest

from storepost.scope import WorkspaceScope
from tests.world import Someone, World


@pytest.fixture
def owner(world: World) -> Someone:
    """Somebody who will own the workspace."""
    return world.person()


@pytest.fixture
def workspace(world: World, owner: Someone) -> WorkspaceScope:
    """The owner's workspace."""
    return world.workspace(owner)


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lost race is run again at once."""
    monkeypatch.setattr("random.uniform", lambda low, high: 0)
