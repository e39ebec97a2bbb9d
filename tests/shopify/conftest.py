"""A Shopify for each test, in which nobody really waits."""

from collections.abc import Iterator

import pytest

from storepost.shopify import patience
from storepost.sync.pulls import running
from tests.harness.world import Someone, World
from tests.shopify.hooks import Hooks
from tests.shopify.shops import Shopify, ShopifyServer, canary_shops, running_server


@pytest.fixture(scope="session")
def shopify_server() -> Iterator[ShopifyServer]:
    """One socket for the whole run."""
    with running_server() as server:
        yield server


@pytest.fixture
def shopify(
    world: World, shopify_server: ShopifyServer, monkeypatch: pytest.MonkeyPatch
) -> Shopify:
    """Two shops; waiting moves the service's time."""
    shopify_server.begin(*canary_shops())
    monkeypatch.setenv("FEED_ALLOW_HOSTS", shopify_server.host)
    monkeypatch.setenv("SHOPIFY_STAND_IN", shopify_server.url)
    made = Shopify(world, shopify_server)

    def nap(seconds: float) -> None:
        made.naps.append(seconds)
        world.advance(seconds=seconds)

    monkeypatch.setattr(patience, "sleep", nap)
    monkeypatch.setattr(running, "sleep", lambda _seconds: None)
    return made


@pytest.fixture
def owner(world: World) -> Someone:
    """The owner of a workspace."""
    return world.person()


@pytest.fixture
def hooks(world: World, shopify: Shopify, owner: Someone) -> Hooks:
    """The shop, connected to the owner's workspace and pulled while it was still empty."""
    workspace = world.workspace(owner)
    store = shopify.connect(owner, workspace)
    world.deliver()
    shopify.shop().operations.clear()
    shopify.server.requests.clear()
    return Hooks(world, workspace, store, shopify)
