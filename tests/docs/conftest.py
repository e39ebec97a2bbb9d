"""A reader of the guides, and the server of theirs that write-backs are sent to."""

from dataclasses import dataclass, field

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.platform.attempts import posting
from storepost.platform.fetching import Answer, guard
from tests.docs.guide_requests import Reader
from tests.harness.world import World

PUBLIC = "93.184.216.34"


@dataclass
class Listener:
    """Takes write-backs."""

    received: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    def take(self, _url: str, *, body: bytes, headers: dict[str, str], timeout: float) -> Answer:
        self.received.append((headers, body))
        return Answer(204, {}, b"")


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Listener:
    """The server at the guides' address."""
    made = Listener()
    monkeypatch.setattr(guard, "resolve", lambda *_: [PUBLIC])
    monkeypatch.setattr(posting, "post", made.take)
    return made


@pytest.fixture
def reader(world: World, listener: Listener) -> Reader:
    """Somebody with a write key of a workspace of their own, where they are the owner."""
    owner = world.person()
    workspace = world.workspace(owner)
    return Reader(world, {"STOREPOST_KEY": world.api_key(workspace, KeyScope.WRITE, owner)})
