"""A reader of the guides, and what the local run serves at the addresses in them."""

import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from local.gateway.endpoints import CATALOGUE, CATALOGUE_PATH
from storepost.accounts.identity.model import KeyScope
from storepost.feeds.imports import fetching
from storepost.platform.attempts import posting
from storepost.platform.fetching import Answer, Download, guard
from tests.docs.guide_requests import Reader
from tests.harness.world import World


@dataclass
class Listener:
    """Takes write-backs."""

    received: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    def take(self, _url: str, *, body: bytes, headers: dict[str, str], timeout: float) -> Answer:
        self.received.append((headers, body))
        return Answer(204, {}, b"")


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Listener:
    """The local run's servers; no other address that a guide names leads anywhere."""
    made = Listener()
    monkeypatch.setenv("STOREPOST_LOCAL", "1")
    monkeypatch.setenv("FEED_ALLOW_LOOPBACK", "1")
    monkeypatch.setattr(guard, "resolve", _resolve_nothing)
    monkeypatch.setattr(posting, "post", made.take)
    monkeypatch.setattr(fetching, "download", _catalogue)
    return made


def _resolve_nothing(host: str, _port: int) -> Sequence[str]:
    raise socket.gaierror(socket.EAI_NONAME, host)


@contextmanager
def _catalogue(url: str, **_: object) -> Iterator[Download]:
    assert url == f"http://127.0.0.1:8000{CATALOGUE_PATH}"
    content = CATALOGUE.read_bytes()
    yield Download("application/rss+xml", iter([content]))


@pytest.fixture
def reader(world: World, listener: Listener) -> Reader:
    """The owner of a workspace, with a write key and a session."""
    owner = world.person()
    workspace = world.workspace(owner)
    key = world.api_key(workspace, KeyScope.WRITE, owner)
    return Reader(world, {"STOREPOST_KEY": key, "STOREPOST_SESSION": owner.token})
