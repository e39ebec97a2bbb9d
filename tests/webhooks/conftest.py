"""A workspace whose endpoints listen."""

import pytest

from storepost.webhooks.deliveries import requests
from tests.harness.world import World
from tests.webhooks.receiving import HOOK, Hooks, Receiver


@pytest.fixture
def hooks(world: World, monkeypatch: pytest.MonkeyPatch) -> Hooks:
    """A workspace whose endpoints may listen on the loopback."""
    monkeypatch.setenv("FEED_ALLOW_HOSTS", HOOK)
    owner = world.person("Olive Owner")
    return Hooks(world, owner, world.workspace(owner, "Olive's Shop"))


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Receiver:
    """What the endpoints are sent, without a network."""
    made = Receiver()
    monkeypatch.setattr(requests, "post", made.post)
    return made
