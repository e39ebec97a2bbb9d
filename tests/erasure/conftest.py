"""The town that every test here begins with."""

import pytest

from tests.erasure.town import Place
from tests.world import World


@pytest.fixture
def place(world: World) -> Place:
    """A workspace with a store and nobody in it."""
    return Place(world)
