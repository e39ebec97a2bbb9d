"""A reader of products."""

import pytest

from tests.catalog.products.answers import Get
from tests.harness.world import Answer, Someone, World


@pytest.fixture
def get(world: World, owner: Someone) -> Get:
    """Reads as the owner."""

    def ask(path: str, **query: object) -> Answer:
        return world.call("GET", path, token=owner.token, query=query)

    return ask
