"""What `GET` shows of a running import: each step changes a number."""

from collections.abc import Callable
from itertools import groupby
from pathlib import Path

import pytest

from storepost.feeds.imports import import_run, row_staging, running, writing
from storepost.feeds.imports.fetching import Fetched, fetch_into
from storepost.platform.jobs.runs import Run, run_once
from storepost.platform.persistence.loads import in_flight
from tests.feeds.feeds.feed_store import Json, Shop, csv
from tests.feeds.feeds.interruptions import message
from tests.harness.runs import LONG, run_worker

ROWS, STEP = 9, 3


def feed_of(changed: int) -> str:
    """A feed of which so many rows have another price."""
    prices = ["2" if number < changed else "1" for number in range(ROWS)]
    return csv(*({"id": f"p{n}", "title": f"Title {n}", "price": p} for n, p in enumerate(prices)))


@pytest.fixture(autouse=True)
def _small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also no pause between two updates of the progress, and nothing in flight at a read."""
    monkeypatch.setattr(in_flight, "CALLS_IN_FLIGHT", 1)
    monkeypatch.setattr(writing, "READ_AHEAD", STEP)
    monkeypatch.setattr(import_run, "READ_AHEAD", STEP)
    monkeypatch.setattr(row_staging, "_BATCH_ROWS", STEP)
    monkeypatch.setattr(import_run, "PROGRESS_SECONDS", 0)


def shown(shop: Shop, feed: Json) -> list[tuple[int, int, int]]:
    """What a read shows whenever the worker checks its time, without repetitions."""
    seen: list[tuple[int, int, int]] = []

    def look() -> int:
        counts = shop.get(f"/feeds/{feed['id']}")["latestImport"]["counts"]
        seen.append((counts["rows"], counts["imported"], counts["products"]))
        return LONG

    run_once(running.resume, Run(message(shop, feed), 1, look))
    look()
    return [each for each, _ in groupby(seen)]


def test_first_import_shows_progress_of_each_step(shop: Shop) -> None:
    feed = shop.create(shop.server.put("/feed", feed_of(0)))
    shop.world.deliver_outbox()
    read, written = [(3, 0, 0), (6, 0, 0), (9, 0, 0)], [(9, 9, 3), (9, 9, 6), (9, 9, 9)]
    assert shown(shop, feed) == [*read, (9, 9, 0), *written]
    latest = shop.get(f"/feeds/{feed['id']}")["latestImport"]
    assert latest["status"] == "completed"


def test_fetched_bytes_are_shown_during_download(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = feed_of(0)
    feed = shop.create(shop.server.put("/feed", content))
    shop.world.deliver_outbox()
    seen: list[int | None] = []

    def look() -> None:
        seen.append(shop.get(f"/feeds/{feed['id']}")["latestImport"]["bytes"])

    def fetch(path: Path, url: str, note: Callable[[int], None]) -> Fetched:
        look()
        for got in (10, 20):
            note(got)
            look()
        return fetch_into(path, url, note)

    monkeypatch.setattr(import_run, "fetch_into", fetch)
    run_worker(running.resume, message(shop, feed))
    look()
    assert seen == [None, 10, 20, len(content)]


def test_import_of_changes_shows_progress_of_each_step(shop: Shop) -> None:
    feed = shop.feed(feed_of(0))
    shop.server.put("/feed", feed_of(ROWS))
    assert shop.do("POST", f"/feeds/{feed['id']}/imports").status == 202
    shop.world.deliver_outbox()
    assert shown(shop, feed)[-4:] == [(9, 9, 0), (9, 9, 3), (9, 9, 6), (9, 9, 9)]


def test_progress_is_written_every_few_seconds_at_most(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each update is a write, and a million rows are read in a thousand steps."""
    monkeypatch.setattr(import_run, "PROGRESS_SECONDS", 1000)
    feed = shop.create(shop.server.put("/feed", feed_of(0)))
    shop.world.deliver_outbox()
    assert shown(shop, feed) == [(0, 0, 0), (9, 9, 0), (9, 9, 3), (9, 9, 6), (9, 9, 9)]
