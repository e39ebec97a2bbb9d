"""The town that every test here begins with."""

import pytest

from tests.harness.world import World
from tests.people.matching.scenario import Town


@pytest.fixture
def town(world: World) -> Town:
    """A workspace without stores or people."""
    return Town(world)
