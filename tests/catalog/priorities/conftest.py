"""The store and the feed that every test of priorities begins with."""

import pytest

from storepost.catalog.products.writing import ProductSource
from tests.catalog.priorities.place import Place
from tests.catalog.products.sample import eur
from tests.catalog.products.source_layers import feed, says, write_layers
from tests.harness.world import Someone, World


@pytest.fixture
def place(world: World, owner: Someone, store: str) -> Place:
    """A store with three products."""
    return Place(world, owner, store)


@pytest.fixture
def product_source(place: Place) -> ProductSource:
    """A feed with other values for two of the store's products, and one product of its own."""
    place.put("p-1")
    place.put("p-2", link=None)
    place.put("p-3")
    found = feed(place.value, "Prices")
    write_layers(
        found,
        says("p-1", None, {"v-1": {"price": eur(1)}}, title="Feed tea"),
        says("p-2", "en", link="https://feed.example.com", custom={"grade": "B"}),
        says("f-1", title="Only here"),
    )
    return found
