"""A workspace whose endpoints listen."""

import pytest

from storepost.platform.attempts import posting
from tests.harness.receiver import Receiver
from tests.harness.world import World
from tests.webhooks.receiving import HOOK, Hooks


@pytest.fixture
def hooks(world: World, monkeypatch: pytest.MonkeyPatch) -> Hooks:
    """A workspace whose endpoints may listen on the loopback."""
    monkeypatch.setenv("FEED_ALLOW_HOSTS", HOOK)
    owner = world.person("Olive Owner")
    made = Hooks(world, owner, world.workspace(owner, "Olive's Shop"))
    # The workspace's creation isn't sent to endpoints that are created later.
    world.deliver()
    return made


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Receiver:
    """The messages to the endpoints, without a network."""
    made = Receiver()
    monkeypatch.setattr(posting, "post", made.post)
    return made
