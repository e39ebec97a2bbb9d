"""A shop with feeds, and the server that they are on."""

from collections.abc import Iterator

import pytest

from storepost.feeds.imports import import_run, row_staging, writing
from tests.feeds.feeds.feed_store import Shop, open_shop
from tests.feeds.feeds.serving import FeedServer
from tests.harness.world import World


@pytest.fixture(scope="session")
def running_server() -> Iterator[FeedServer]:
    """One server for all tests."""
    server = FeedServer()
    yield server
    server.close()


@pytest.fixture
def server(running_server: FeedServer, monkeypatch: pytest.MonkeyPatch) -> FeedServer:
    """The server, empty, and reachable as in the local run."""
    monkeypatch.setenv("STOREPOST_LOCAL", "1")
    monkeypatch.setenv("FEED_ALLOW_HOSTS", running_server.host)
    running_server.pages.clear()
    running_server.requests.clear()
    return running_server


@pytest.fixture
def shop(world: World, server: FeedServer) -> Shop:
    """A store without products."""
    return open_shop(world, server)


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes several chunks of a small file."""
    monkeypatch.setattr(writing, "READ_AHEAD", 2)
    monkeypatch.setattr(import_run, "READ_AHEAD", 2)
    monkeypatch.setattr(row_staging, "_BATCH_ROWS", 2)
