"""The workspace that every test here begins with."""

import pytest

from tests.harness.world import World
from tests.lifecycle.erasures.scenario import Place


@pytest.fixture
def place(world: World) -> Place:
    """A workspace with a store and nobody in it."""
    return Place(world)
