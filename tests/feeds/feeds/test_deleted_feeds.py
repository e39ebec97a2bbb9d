"""Feeds, files and workspaces that are deleted while an import runs, also by a worker that dies."""

from functools import partial
from typing import Any
from unittest import mock
from uuid import UUID

import pytest

from local import aws
from storepost.feeds.feeds.repository import FeedRepository
from storepost.feeds.imports import running, writing
from storepost.platform.messaging.tries import RECEIVES, TRIES, NeverEnded
from storepost.values.scope import WorkspaceScope
from tests.catalog.products.state import check, store_of
from tests.feeds.feeds.feed_store import Shop, csv
from tests.feeds.feeds.interruptions import FIRST, SECOND, expected, lose, outcome, ready, resume
from tests.feeds.feeds.serving import FeedServer
from tests.harness.call_interruption import (
    Side,
    around_calls,
    before_the_commit,
)
from tests.harness.crash_points import crashes
from tests.harness.world import BUCKET, World
from tests.lifecycle.workspaces.full_workspace import Home

pytestmark = pytest.mark.usefixtures("small_chunks")


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
