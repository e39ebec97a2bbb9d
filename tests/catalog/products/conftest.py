"""A reader of products."""

import pytest

from tests.catalog.products.answers import Get
from tests.harness.world import Answer, Someone


@pytest.fixture
def get(owner: Someone) -> Get:
    """Reads as the owner."""

    def ask(path: str, **query: object) -> Answer:
        return owner.call("GET", path, query=query)

    return ask
