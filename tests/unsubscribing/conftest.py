"""The town that every test here begins with."""

import pytest

from tests.people.town import Town
from tests.world import World


@pytest.fixture
def town(world: World) -> Town:
    """A workspace without stores or people."""
    return Town(world)
