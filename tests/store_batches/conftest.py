"""A store to send batches to."""

import pytest

from tests.store_batches.shop import Shop, open_shop
from tests.world import World


@pytest.fixture
def shop(world: World) -> Shop:
    """A store of a workspace."""
    return open_shop(world)
