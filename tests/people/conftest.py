"""The workspace that most tests of people begin with."""

import pytest

from tests.harness.world import World
from tests.people.matching.scenario import Scenario


@pytest.fixture
def scenario(world: World) -> Scenario:
    """A workspace without stores or people."""
    return Scenario(world)
