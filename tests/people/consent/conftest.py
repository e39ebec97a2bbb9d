"""A shop, and a store that listens."""

import pytest

from storepost.people.consent_changes import requests
from tests.harness.world import World
from tests.people.consent.listening_store import HOOK, Listener, Shop, open_shop


@pytest.fixture
def shop(world: World, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """A workspace whose stores may listen on the loopback."""
    monkeypatch.setenv("FEED_ALLOW_HOSTS", HOOK)
    return open_shop(world)


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Listener:
    """What the stores are told, without a network."""
    made = Listener()
    monkeypatch.setattr(requests, "post", made.post)
    return made
