"""A store to send batches to."""

import pytest

from tests.harness.world import World
from tests.sync.batches.batch_store import Shop, open_shop


@pytest.fixture
def shop(world: World) -> Shop:
    """A store of a workspace."""
    return open_shop(world)
