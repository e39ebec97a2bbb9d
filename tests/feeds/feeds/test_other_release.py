"""Files of imports that another release wrote: rows are read anew, no manifest is guessed."""

import json
import sqlite3
from pathlib import Path
from uuid import UUID

import pytest

from local import aws
from storepost.feeds.feeds.messages import FeedImportMessage
from storepost.feeds.feeds.model import Stage
from storepost.feeds.feeds.repository import FeedImportRepository, FeedRepository
from storepost.feeds.imports import import_run, row_staging
from storepost.feeds.imports.file_formats import FORMAT, UnknownFormat
from storepost.platform.persistence.objects import put_object
from storepost.values.settings import settings
from tests.feeds.feeds.feed_store import Json, Shop, counts, csv
from tests.feeds.feeds.interruptions import outcome, resume

SHORT = FeedImportMessage.margin_milliseconds - 1
FIRST = csv(*({"id": f"p{n}", "title": f"Title {n}"} for n in range(4)))
SECOND = csv(*({"id": f"p{n}", "title": f"Other {n}"} for n in range(3)))


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that an import stops between them."""
    monkeypatch.setattr(import_run, "READ_AHEAD", 2)
    monkeypatch.setattr(row_staging, "_BATCH_ROWS", 2)


def begun(shop: Shop) -> Json:
    """A feed whose second import waits for its worker."""
    feed = shop.feed(FIRST)
    shop.server.put("/feed", SECOND)
    assert shop.do("POST", f"/feeds/{feed['id']}/imports").status == 202
    shop.world.deliver_outbox()
    return feed


def stored_names(shop: Shop, part: str) -> list[str]:
    """The names of the objects of a kind."""
    return [name for name in shop.world.objects() if part in name]


def as_of_another_release(name: str, tmp_path: Path) -> None:
    """The object as a release left it whose tables have other columns."""
    path = tmp_path / "other"
    path.write_bytes(b"")
    aws.client("s3").download_file(settings().job_objects, name, str(path))
    with sqlite3.connect(path) as db:
        for (table,) in db.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table'"
        ).fetchall():
            first = db.execute(f"PRAGMA table_info({table})").fetchone()[1]
            db.execute(f"ALTER TABLE {table} RENAME COLUMN {first} TO later")
        db.execute(f"PRAGMA user_version = {FORMAT + 1}")
    db.close()
    put_object(name, path.read_bytes())


def stage(shop: Shop, feed: Json) -> Stage | None:
    """How far the running import is."""
    stored = FeedRepository(shop.workspace).get(UUID(feed["id"]))
    assert stored is not None
    if stored.running is None:
        return None
    running = FeedImportRepository(shop.workspace, stored.id).get(stored.running)
    assert running is not None
    return running.stage


def stop_at(shop: Shop, feed: Json, part: str) -> str:
    """Runs the worker until it has kept an object of a kind."""
    for _ in range(20):
        resume(shop, feed, milliseconds=SHORT)
        if found := stored_names(shop, part):
            return found[0]
    raise AssertionError(json.dumps([*shop.world.objects()]))


def test_staged_rows_of_other_release_are_read_again(shop: Shop, tmp_path: Path) -> None:
    feed = begun(shop)
    as_of_another_release(stop_at(shop, feed, "/rows-"), tmp_path)
    shop.world.deliver()
    resume(shop, feed)
    ended = outcome(shop, feed)
    assert ended["import"]["status"] == "completed"
    assert ended["import"]["counts"] == counts(rows=3, imported=3, products=3, removed=1)
    assert ended["products"]["p0"]["title"] == "Other 0"


def test_manifest_of_other_release_fails_import(shop: Shop, tmp_path: Path) -> None:
    """Taken for none, p3 would stay in the store for good. Once it can be read, all is right."""
    feed = begun(shop)
    [name] = stored_names(shop, "manifests/")
    before = shop.world.objects()[name]
    as_of_another_release(name, tmp_path)
    written = shop.world.objects()[name]
    resume(shop, feed)
    ended = outcome(shop, feed)
    assert (ended["import"]["status"], ended["import"]["error"]) == ("failed", "import_failed")
    assert ended["products"]["p0"]["title"] == "Title 0"
    assert shop.world.objects()[name] == written
    put_object(name, before)
    again = shop.again(feed)
    assert (again["status"], again["counts"]["removed"]) == ("completed", 1)
    assert set(shop.products()) == {"p0", "p1", "p2"}


def test_plan_of_other_release_fails_import(shop: Shop, tmp_path: Path) -> None:
    feed = begun(shop)
    as_of_another_release(stop_at(shop, feed, "/plan"), tmp_path)
    assert stage(shop, feed) is Stage.PLANNED
    shop.world.deliver()
    resume(shop, feed)
    assert stage(shop, feed) is None
    assert outcome(shop, feed)["import"]["status"] == "failed"
    assert shop.again(feed)["status"] == "completed"
    assert set(shop.products()) == {"p0", "p1", "p2"}


def test_deletion_waits_until_manifest_is_readable(shop: Shop, tmp_path: Path) -> None:
    feed = shop.feed(FIRST)
    [name] = stored_names(shop, "manifests/")
    before = shop.world.objects()[name]
    as_of_another_release(name, tmp_path)
    assert shop.do("DELETE", f"/feeds/{feed['id']}").status == 204
    shop.world.deliver_outbox()
    with pytest.raises(UnknownFormat):
        resume(shop, feed)
    assert len(shop.products()) == 4
    put_object(name, before)
    resume(shop, feed)
    assert shop.products() == {}
    assert stored_names(shop, "manifests/") == []
