"""A shop, and a store that listens."""

import pytest

from storepost.platform.attempts import posting
from tests.harness.receiver import Receiver
from tests.harness.world import World
from tests.people.consent.listening_store import HOOK, Shop, open_shop


@pytest.fixture
def shop(world: World, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """A workspace whose stores may listen on the loopback."""
    monkeypatch.setenv("FEED_ALLOW_HOSTS", HOOK)
    return open_shop(world)


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Receiver:
    """The messages to the stores, without a network."""
    made = Receiver()
    monkeypatch.setattr(posting, "post", made.post)
    return made
