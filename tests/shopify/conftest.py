"""A Shopify for each test, in which waiting takes no real time."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest

from local.shopify.shops import Shop
from storepost.shopify import patience
from storepost.stores.stores.model import Store
from storepost.sync.pulls import running
from storepost.values import clock
from storepost.values.scope import WorkspaceScope
from tests.harness.world import Someone, World
from tests.shopify.hooks import Hooks, consents, customer_body, order_body
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


@dataclass(frozen=True)
class Begun:
    """A shop, connected to the owner's workspace and pulled while it was still empty."""

    at: datetime
    owner: Someone
    workspace: WorkspaceScope
    store: Store
    shops: tuple[Shop, ...]
    restore: Callable[[], None]


@pytest.fixture(scope="session")
def begun_earlier() -> list[Begun]:
    """The state in which this process's tests begin: connecting a shop takes 40 requests."""
    return []


@pytest.fixture
def begun(world: World, shopify: Shopify, begun_earlier: list[Begun]) -> Begun:
    """That state again; a new one if its tokens could expire during a test."""
    if begun_earlier and clock.now() - begun_earlier[0].at > timedelta(minutes=20):
        begun_earlier.clear()
    for found in begun_earlier:
        found.restore()
        shopify.server.begin(*deepcopy(found.shops))
        world.know_people(1)
        return found
    at, owner = clock.now(), world.person()
    workspace = world.workspace(owner)
    store = shopify.connect(owner, workspace)
    restore = world.checkpoint()
    shopify.shop().operations.clear()
    shopify.server.requests.clear()
    shops = tuple(deepcopy(list(shopify.server.pretend.shops.values())))
    begun_earlier.append(Begun(at, owner, workspace, store, shops, restore))
    return begun_earlier[0]


@pytest.fixture
def owner(world: World, request: pytest.FixtureRequest) -> Someone:
    """The owner of a workspace, the connected shop's if there is one."""
    if "hooks" not in request.fixturenames:
        return world.person()
    found: Begun = request.getfixturevalue("begun")
    return found.owner


@pytest.fixture
def hooks(world: World, shopify: Shopify, begun: Begun) -> Hooks:
    """The connected shop, which sends webhooks."""
    return Hooks(world, begun.workspace, begun.store, shopify)


@pytest.fixture
def known(hooks: Hooks) -> Hooks:
    """A customer with an order."""
    hooks.notify("customers/create", customer_body(**consents("subscribed", "subscribed")))
    hooks.notify("orders/create", order_body())
    return hooks
