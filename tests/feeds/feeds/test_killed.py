"""Workers that die, messages that come twice, throttling by DynamoDB: the result is the same."""

import random
from functools import partial
from typing import Any
from unittest import mock
from uuid import UUID

import pytest
from botocore.client import BaseClient
from botocore.exceptions import ClientError

from local.events import pumps
from storepost.feeds.feeds.messages import FeedImportMessage
from storepost.feeds.feeds.model import FeedImportStatus
from storepost.feeds.feeds.repository import FeedRepository
from storepost.feeds.imports import running, writing
from storepost.platform.messaging.outbox import PARTITION, OutboxItem
from storepost.platform.messaging.tries import RECEIVES, TRIES
from tests.feeds.feeds.feed_store import Json, Shop, counts
from tests.feeds.feeds.interruptions import (
    COUNTS,
    FIRST,
    expected,
    lose,
    message,
    outcome,
    ready,
    resume,
)
from tests.harness.call_interruption import (
    Killed,
    Side,
    around_calls,
    killed_at,
)
from tests.harness.crash_points import Shard, crashes, in_shards

pytestmark = pytest.mark.usefixtures("small_chunks")


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
