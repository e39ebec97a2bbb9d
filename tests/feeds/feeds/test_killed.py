"""Workers that die, messages that come twice, throttling by DynamoDB: the result is the same."""

import random
from collections.abc import Callable
from functools import partial
from typing import Any
from unittest import mock
from uuid import UUID

import pytest
from botocore.client import BaseClient
from botocore.exceptions import ClientError

from local import aws
from local.events import pumps
from storepost.feeds.feeds.messages import FeedImportMessage
from storepost.feeds.feeds.model import FeedImportStatus
from storepost.feeds.feeds.repository import FeedRepository
from storepost.feeds.imports import import_run, row_staging, running, writing
from storepost.platform.messaging.outbox import PARTITION, OutboxItem
from storepost.platform.messaging.tries import RECEIVES, TRIES, NeverEnded
from storepost.platform.persistence.sealing import clear_key_cache
from storepost.values.scope import WorkspaceScope
from tests.catalog.products.state import check, store_of
from tests.feeds.feeds.feed_store import Json, Shop, counts, csv
from tests.feeds.feeds.serving import FeedServer
from tests.harness.call_interruption import (
    Killed,
    Side,
    around_calls,
    before_the_commit,
    killed_at,
)
from tests.harness.crash_points import Shard, crashes, in_shards
from tests.harness.runs import run_worker
from tests.harness.world import BUCKET, World
from tests.lifecycle.workspaces.full_workspace import Home

FIRST = csv(
    *({"id": f"p{n}", "title": f"Title {n}", "price": str(n + 1)} for n in range(7)),
    {"id": "x", "item_group_id": "g", "title": "X", "size": "S"},
    {"id": "y", "item_group_id": "g", "title": "Y", "size": "M"},
)
SECOND = csv(
    *({"id": f"p{n}", "title": f"Title {n}", "price": str(n + 1)} for n in range(3)),
    {"id": "p3", "title": "Other", "price": "4"},
    {"id": "x", "item_group_id": "g", "title": "X", "size": "S"},
    {"id": "new", "title": "New", "price": "9", "sku": "SKU-OWN"},
    {"id": "twice", "title": "Twice", "price": "ask"},
)
COUNTS = counts(rows=7, imported=6, fromFirstRow=1, created=1, products=6, skipped=1, removed=4)


def ready(shop: Shop) -> tuple[Json, Callable[[], None]]:
    """A feed whose second import's message is queued; a function that restores that state."""
    shop.put_product("own", variants=[])
    feed = shop.feed(FIRST)
    shop.server.put("/feed", SECOND)
    clear_key_cache()
    back = shop.world.checkpoint()

    def begin() -> None:
        back()
        assert shop.do("POST", f"/feeds/{feed['id']}/imports").status == 202
        shop.world.deliver_outbox()

    begin()
    return feed, begin


def message(shop: Shop, feed: Json) -> FeedImportMessage:
    """The message of the queue."""
    return FeedImportMessage(shop.workspace.id, UUID(feed["id"]))


def resume(shop: Shop, feed: Json, *, tries: int = 1, milliseconds: int = 300_000) -> None:
    """One run of the worker."""
    run_worker(running.resume, message(shop, feed), tries, milliseconds)


def outcome(shop: Shop, feed: Json) -> dict[str, Any]:
    """The latest import and all products, but for moments and ids."""
    latest = shop.get(f"/feeds/{feed['id']}")["latestImport"]
    products = shop.products()
    moments = {"addedAt", "changedAt", "syncedAt", "updatedAt", "createdAt"}
    return {
        "import": {k: latest[k] for k in ("status", "counts", "error", "format", "bytes")},
        "skipped": shop.skipped(feed, latest["id"]),
        "products": {
            name: {k: v for k, v in product.items() if k not in moments}
            for name, product in products.items()
        },
        "removed": sorted(shop.products(status="removed")),
        "variants": {name: sorted(shop.variants(p)) for name, p in products.items()},
        "manifests": len([name for name in shop.world.objects() if "manifests/" in name]),
    }


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that there are several."""
    monkeypatch.setattr(writing, "READ_AHEAD", 2)
    monkeypatch.setattr(import_run, "READ_AHEAD", 2)
    monkeypatch.setattr(row_staging, "_BATCH_ROWS", 2)


def expected(shop: Shop, feed: Json) -> dict[str, Any]:
    """The result if nothing disturbs the import."""
    resume(shop, feed)
    shop.world.deliver()
    ended = outcome(shop, feed)
    assert ended["import"]["counts"] == COUNTS
    assert ended["removed"] == ["p4", "p5", "p6"]
    return ended


@in_shards(3)
def test_killed_at_any_call(shop: Shop, shard: Shard) -> None:
    feed, begin = ready(shop)
    undisturbed = expected(shop, feed)
    begin()
    found = crashes(shop.world, partial(resume, shop, feed), deliver=False)
    assert len(found.positions) > 40
    for positions in found.shard(shard):
        resume(shop, feed, tries=2)
        shop.world.deliver()
        assert outcome(shop, feed) == undisturbed, positions
        assert shop.world.rows(PARTITION) == []


def test_killed_repeatedly(shop: Shop) -> None:
    """Each run continues after the last one: the import never starts again from the beginning."""
    feed, begin = ready(shop)
    undisturbed = expected(shop, feed)
    begin()
    generator = random.Random(7)
    for _ in range(20):
        killed_at(
            generator.randrange(1, 40),
            Side.AFTER,
            partial(resume, shop, feed, tries=2),
        )
    resume(shop, feed, tries=2)
    shop.world.deliver()
    assert outcome(shop, feed) == undisturbed


def test_duplicate_message(shop: Shop) -> None:
    feed, begin = ready(shop)
    undisturbed = expected(shop, feed)
    begin()
    requests = len(shop.server.requests)
    for _ in range(2):
        resume(shop, feed)
    shop.world.deliver()
    assert outcome(shop, feed) == undisturbed
    assert len(shop.server.requests) == requests + 1


def run_twice(shop: Shop, feed: Json, operation: str, which: int) -> None:
    """Runs the import; a second run executes before the `which`th call of that operation."""
    waiting = [True]

    def step(_number: int, called: str, moment: Side) -> None:
        if called != operation or moment is not Side.BEFORE or not waiting:
            return
        if calls.made.count(operation) == which:
            waiting.clear()
            resume(shop, feed)

    with around_calls(step) as calls:
        resume(shop, feed)
    shop.world.deliver()
    assert waiting == []


@pytest.mark.parametrize("which", range(2, 7))
def test_concurrent_runs(shop: Shop, which: int) -> None:
    """A second run executes before one of the first run's transactions."""
    feed, begin = ready(shop)
    undisturbed = expected(shop, feed)
    begin()
    run_twice(shop, feed, "TransactWriteItems", which)
    assert outcome(shop, feed) == undisturbed


@pytest.mark.parametrize("which", range(1, 6))
def test_next_import_after_concurrent_runs(shop: Shop, which: int) -> None:
    """A second run ends the import before the first one puts one of its files on S3."""
    feed, _ = ready(shop)
    run_twice(shop, feed, "PutObject", which)
    latest = shop.get(f"/feeds/{feed['id']}")["latestImport"]
    assert latest["counts"] == COUNTS
    assert shop.again(feed)["counts"] == {**COUNTS, "created": 0, "removed": 0}


def test_out_of_time_in_every_run(shop: Shop) -> None:
    """Each run does one step and sends the next message."""
    feed, begin = ready(shop)
    undisturbed = expected(shop, feed)
    begin()
    requests = len(shop.server.requests)
    runs = 0
    while runs < 60:
        runs += 1
        resume(shop, feed, milliseconds=FeedImportMessage.margin_milliseconds - 1)
        stored = FeedRepository(shop.workspace).get(UUID(feed["id"]))
        assert stored is not None
        if stored.running is None:
            break
    assert 6 < runs < 60
    assert len(shop.server.requests) == requests + 1
    shop.world.deliver()
    assert outcome(shop, feed) == undisturbed


def test_queued_import_starts_in_run_with_time_to_fetch(shop: Shop) -> None:
    feed = shop.create(shop.server.put("/feed", FIRST))
    shop.world.deliver_outbox()
    resume(shop, feed, milliseconds=FeedImportMessage.margin_milliseconds - 1)
    assert shop.get(f"/feeds/{feed['id']}")["latestImport"]["status"] == "running"
    waiting = shop.do("POST", f"/feeds/{feed['id']}/imports").json["id"]
    resume(shop, feed, milliseconds=running.FRESH_MILLISECONDS - 1)
    path = f"/feeds/{feed['id']}/imports"
    assert [row["status"] for row in shop.get(path)["items"]] == ["queued", "completed"]
    shop.world.deliver()
    assert shop.get(f"{path}/{waiting}")["status"] == "completed"


def test_throttled_one_call_in_five(shop: Shop) -> None:
    feed, begin = ready(shop)
    undisturbed = expected(shop, feed)
    begin()
    generator, plain = random.Random(3), BaseClient._make_api_call  # type: ignore[attr-defined]
    throttled = []

    def call(self: Any, operation: str, parameters: Any) -> Any:
        if operation in {"TransactWriteItems", "BatchGetItem"} and generator.random() < 0.2:
            throttled.append(operation)
            raise ClientError({"Error": {"Code": "ThrottlingException"}}, operation)
        return plain(self, operation, parameters)

    with mock.patch.object(BaseClient, "_make_api_call", call):
        for tries in range(1, 40):
            try:
                resume(shop, feed, tries=min(tries, TRIES - 1))
            except Exception:
                continue
            break
    shop.world.deliver()
    assert throttled
    assert outcome(shop, feed) == undisturbed


@pytest.mark.parametrize("tries", [TRIES, RECEIVES])
def test_import_fails_after_all_tries_and_next_one_completes(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, tries: int
) -> None:
    """Half was written; the next import writes the rest and deletes what its file lacks.

    SQS delivers the message once more than its tries only if the last try was killed.
    """
    feed, begin = ready(shop)
    undisturbed = expected(shop, feed)
    begin()
    plain, written = writing.Writer.write, list[object]()

    def write(self: writing.Writer, products: Any, note: Any) -> Any:
        if len(written) == 2:
            raise RuntimeError
        written.append(products)
        return plain(self, products, note)

    with monkeypatch.context() as broken:
        broken.setattr(writing.Writer, "write", write)
        with pytest.raises(RuntimeError):
            resume(shop, feed, tries=1)
        if tries > TRIES:
            broken.undo()
        resume(shop, feed, tries=tries)
    shop.world.deliver()
    failed = shop.get(f"/feeds/{feed['id']}")["latestImport"]
    assert (failed["status"], failed["error"]) == (FeedImportStatus.FAILED, "import_failed")
    again = shop.again(feed)
    assert again["counts"] == {**COUNTS, "created": again["counts"]["created"]}
    now = outcome(shop, feed)
    assert {k: now[k] for k in ("products", "removed", "variants")} == {
        k: undisturbed[k] for k in ("products", "removed", "variants")
    }


@pytest.mark.parametrize("body", [FIRST, "id,title,price\n"])
def test_next_import_gets_all_its_tries(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    """The message's last try ends the first import, completed or failed."""
    feed = shop.create(shop.server.put("/feed", body))
    with monkeypatch.context() as broken:
        broken.setattr(running, "FeedImportRun", mock.Mock(side_effect=RuntimeError))
        with pytest.raises(RuntimeError):
            resume(shop, feed)
    waiting = shop.do("POST", f"/feeds/{feed['id']}/imports").json["id"]
    lose(shop)
    resume(shop, feed, tries=TRIES)
    path = f"/feeds/{feed['id']}/imports"
    ended = "completed" if body == FIRST else "failed"
    assert [row["status"] for row in shop.get(path)["items"]] == ["queued", ended]
    [sent] = shop.world.rows(PARTITION)
    assert isinstance(sent, OutboxItem)
    assert [FeedImportMessage.of(each.body) for each in sent.messages] == [message(shop, feed)]
    shop.server.put("/feed", FIRST)
    shop.world.deliver()
    assert shop.get(f"{path}/{waiting}")["status"] == "completed"


def test_begun_writing_goes_on_though_store_was_disconnected(shop: Shop) -> None:
    """A run that isn't killed doesn't notice either: no import ends with half of its products."""
    feed, begin = ready(shop)
    undisturbed = expected(shop, feed)
    begin()

    def after_first_chunk(_number: int, operation: str, side: Side) -> None:
        if side is Side.AFTER and calls.made.count("TransactWriteItems") == 5:
            raise Killed

    with pytest.raises(Killed), around_calls(after_first_chunk) as calls:
        resume(shop, feed)
    assert shop.do("POST", f"/stores/{shop.store_id}/disconnect").status == 200
    resume(shop, feed, tries=2)
    shop.world.deliver()
    assert outcome(shop, feed) == undisturbed


def test_feed_deleted_during_import(shop: Shop) -> None:
    """The run writes nothing more, and what it wrote is deleted."""
    feed, _ = ready(shop)

    def step(_number: int, operation: str, moment: Side) -> None:
        if operation != "TransactWriteItems" or moment is not Side.BEFORE or not waiting:
            return
        if calls.made.count(operation) == 5:
            waiting.clear()
            assert shop.do("DELETE", f"/feeds/{feed['id']}").status == 204

    waiting = [True]
    with around_calls(step) as calls:
        resume(shop, feed)
    shop.world.deliver()
    assert waiting == []
    assert set(shop.products()) == {"own"}
    assert FeedRepository(shop.workspace).get(UUID(feed["id"])) is None


def test_late_run_leaves_no_manifest_of_deleted_feed(shop: Shop) -> None:
    """Another run has deleted the feed with all rows before this one puts its first manifest."""
    feed = shop.create(shop.server.put("/feed", FIRST))
    shop.world.deliver_outbox()

    def step(_number: int, operation: str, side: Side) -> None:
        is_put = (operation, side) == ("PutObject", Side.BEFORE)
        if waiting and is_put and calls.made.count(operation) == 2:
            waiting.clear()
            assert shop.do("DELETE", f"/feeds/{feed['id']}").status == 204
            resume(shop, feed)

    waiting = [True]
    with around_calls(step) as calls:
        resume(shop, feed)
    assert waiting == []
    assert [name for name in shop.world.objects() if name.startswith("manifests/")] == []


def test_skipped_rows_end_with_workspace(world: World, server: FeedServer) -> None:
    """The workspace is deleted just before an import stores the rows that it skipped."""
    home = Home(world)
    shop = Shop(world, server, home.owner, WorkspaceScope(home.workspace.id), home.shop)
    feed = shop.create(server.put("/feed", SECOND))
    world.deliver_outbox()

    def delete() -> None:
        assert home.delete().status == 202
        home.remove()

    with before_the_commit(delete, which=3):
        resume(shop, feed)
    home.is_removed()


def test_deletion_killed_at_any_call(shop: Shop) -> None:
    feed = shop.feed(FIRST)
    shop.do("DELETE", f"/feeds/{feed['id']}")
    shop.world.deliver_outbox()
    for positions in crashes(shop.world, partial(resume, shop, feed), deliver=False):
        resume(shop, feed, tries=2)
        shop.world.deliver()
        assert shop.products() == {}, positions
        assert [row for row in shop.world.rows() if "feed" in row.sk or "feed" in row.pk] == []


def lose(shop: Shop) -> None:
    """Deletes the messages that are queued."""
    for row in shop.world.rows(PARTITION):
        row.delete()
    shop.world.lose_stream()


def test_import_that_no_try_started_has_failed(shop: Shop) -> None:
    """Each try was killed before it began the import; the next import writes everything."""
    feed = shop.create(shop.server.put("/feed", FIRST))
    lose(shop)
    resume(shop, feed, tries=RECEIVES)
    latest = shop.get(f"/feeds/{feed['id']}")["latestImport"]
    assert latest == {
        **feed["latestImport"],
        "status": "failed",
        "error": "import_failed",
        "completedAt": latest["completedAt"],
    }
    listed = f"/feeds/{feed['id']}/imports"
    assert [shop.get(listed, status=s)["total"] for s in ("queued", "failed")] == [0, 1]
    assert shop.world.rows(PARTITION) == []
    assert shop.again(feed)["counts"] == counts(
        rows=9, imported=9, variantOnly=1, fromFirstRow=1, created=8, products=8
    )


@pytest.mark.parametrize("trigger", ["by hand", "by a change", "by the schedule"])
def test_requesting_queued_import_sends_message_again(shop: Shop, trigger: str) -> None:
    """The first message may be in the dead-letter queue; if not, it finds nothing to do."""
    feed = shop.create(shop.server.put("/feed", FIRST))
    if trigger == "by the schedule":
        shop.world.advance(hours=7)
    lose(shop)
    shop.world.deliver()
    assert shop.get(f"/feeds/{feed['id']}")["latestImport"] == feed["latestImport"]
    if trigger == "by hand":
        answer = shop.do("POST", f"/feeds/{feed['id']}/imports")
        assert (answer.status, answer.json["id"]) == (200, feed["latestImport"]["id"])
    elif trigger == "by a change":
        answer = shop.do("PATCH", f"/feeds/{feed['id']}", {"locale": "de"})
        assert answer.json["latestImport"]["id"] == feed["latestImport"]["id"]
    else:
        pumps.run_schedule("feed_schedule")
    assert len(shop.world.rows(PARTITION)) == 1
    shop.world.deliver()
    resume(shop, feed)
    latest = shop.get(f"/feeds/{feed['id']}")["latestImport"]
    assert (latest["id"], latest["status"]) == (feed["latestImport"]["id"], "completed")
    assert len(shop.server.requests) == 1


def test_failed_deletion_goes_to_dead_letters(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing would show the failure, so the message goes to the dead-letter queue.

    It may be redriven.
    """
    feed = shop.feed(FIRST)
    shop.do("DELETE", f"/feeds/{feed['id']}")
    lose(shop)
    with pytest.raises(NeverEnded):
        resume(shop, feed, tries=RECEIVES)
    with monkeypatch.context() as broken:
        broken.setattr(running, "delete_feed_contents", mock.Mock(side_effect=RuntimeError))
        with pytest.raises(RuntimeError):
            resume(shop, feed, tries=TRIES)
    assert len(shop.products()) == 8
    resume(shop, feed)
    assert shop.products() == {}
    resume(shop, feed, tries=RECEIVES)


@pytest.mark.parametrize("chunks_written", [0, 1, 2])
def test_missing_files_fail_import_and_next_one_completes(shop: Shop, chunks_written: int) -> None:
    """A run keeps its files on its disk: the next run misses them.

    What was written stays complete, and the next import knows of it: it deletes what its file
    lacks, also of the products that the failed import wrote.
    """
    feed, begin = ready(shop)
    begin()
    written = list[int]()

    def stop_after(self: writing.Writer, products: Any, note: Any) -> Any:
        if len(written) == chunks_written:
            raise RuntimeError
        written.append(len(products))
        return plain(self, products, note)

    plain = writing.Writer.write
    with mock.patch.object(writing.Writer, "write", stop_after), pytest.raises(RuntimeError):
        resume(shop, feed)
    s3 = aws.client("s3")
    for name in shop.world.objects():
        if name.startswith("feeds/"):
            s3.delete_object(Bucket=BUCKET, Key=name)
    resume(shop, feed, tries=2)
    shop.world.deliver()
    latest = shop.get(f"/feeds/{feed['id']}")["latestImport"]
    assert (latest["status"], latest["error"]) == ("failed", "import_failed")
    check(shop.world, store_of(shop.world, shop.store_id))
    third = csv({"id": "p0", "title": "Title 0", "price": "1"})
    again = shop.again(feed, third)
    assert again["status"] == "completed"
    assert set(shop.products()) == {"own", "p0"}
    check(shop.world, store_of(shop.world, shop.store_id))


def test_file_deleted_while_chunk_is_written_is_not_needed(shop: Shop) -> None:
    feed, begin = ready(shop)
    undisturbed = expected(shop, feed)
    begin()

    def delete(_number: int, operation: str, side: Side) -> None:
        if (operation, side) == ("TransactWriteItems", Side.BEFORE) and calls.made.count(
            operation
        ) == 4:
            for name in [each for each in shop.world.objects() if each.startswith("feeds/")]:
                aws.client("s3").delete_object(Bucket=BUCKET, Key=name)
                gone.append(name)

    gone = list[str]()
    with around_calls(delete) as calls:
        resume(shop, feed)
    shop.world.deliver()
    assert gone
    assert outcome(shop, feed) == undisturbed
