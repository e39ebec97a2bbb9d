"""The desk that the tests sit at."""

import pytest

from tests.definitions.proposals.proposal_scenario import Desk
from tests.harness.world import World


@pytest.fixture
def desk(world: World) -> Desk:
    """A new one."""
    return Desk(world)
