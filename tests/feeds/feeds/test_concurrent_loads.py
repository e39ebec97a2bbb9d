"""Many new products of one import, with concurrent writers and with faults."""

from contextlib import suppress
from functools import partial
from uuid import UUID

import pytest

from local import aws
from local.events.pumps import reader_of
from local.functions import invoke
from storepost.catalog.products.trees import ProductLists
from storepost.feeds.feeds.repository import FeedRepository
from storepost.platform.messaging.outbox import body_of
from storepost.platform.persistence.counted_tree.items import PageItem
from storepost.values.scope import WorkspaceScope
from tests.feeds.feeds.feed_store import Json, Shop
from tests.feeds.feeds.interruptions import message, resume
from tests.feeds.feeds.loads import (
    OWN_TITLES,
    ROWS,
    says,
    small_loads,
    waiting,
)
from tests.feeds.feeds.serving import FeedServer
from tests.harness.call_interruption import (
    Calls,
    Killed,
    Side,
    another_container,
    around_calls,
    before_write,
    counted,
)
from tests.harness.crash_points import Shard, crashes, in_shards
from tests.harness.faults import FakeTime
from tests.harness.throttling import MANY, Throttling, run_until_done
from tests.harness.world import World
from tests.lifecycle.workspaces.full_workspace import Home
from tests.overview.search.test_repairing import Searched


@pytest.fixture(autouse=True, params=OWN_TITLES)
def titles(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """The positions of the feed's titles in their list."""
    small_loads(monkeypatch, request.param)
    return str(request.param)


@in_shards(2)
def test_killed_at_any_call(shop: Shop, shard: Shard) -> None:
    begin = waiting(shop).begin
    resume(shop, begin())
    undisturbed = says(shop)
    feed = begin()
    found = crashes(shop.world, partial(resume, shop, feed), deliver=False)
    for positions in found.shard(shard):
        resume(shop, feed, tries=2)
        assert says(shop) == undisturbed, positions
        latest = shop.get(f"/feeds/{feed['id']}")["latestImport"]
        assert latest["counts"]["created"] == 14, positions


def test_concurrent_writer_before_each_write(shop: Shop) -> None:
    """The store writes one of the feed's products, one of its own, and a third one's new title."""
    begin = waiting(shop).begin
    feed = begin()
    writes = [name for name in counted(lambda: resume(shop, feed)) if "Write" in name]

    def write() -> None:
        shop.put_product("p5")
        shop.put_product("another")
        locales = [{"locale": "de-AT", "title": "b"}]
        shop.put_product("own", updatedAt="2026-11-02T00:00:00Z", locales=locales)

    for number in range(1, len(writes) + 1):
        feed = begin()
        with before_write(number, write):
            resume(shop, feed)
        found = says(shop)
        assert found.keys() == {"own", "another", *(row["id"] for row in ROWS)}, number
        assert all(is_live for is_live, *_ in found.values()), number
        titles = [next(iter(found[name][1].values())).title for name in ("p5", "own", "p4")]
        assert titles == ["Store's p5", "b", ROWS[4]["title"]], number
        latest = shop.get(f"/feeds/{feed['id']}")["latestImport"]
        assert (latest["status"], latest["counts"]["imported"]) == ("completed", 14), number


@pytest.mark.parametrize("number", range(1, 9, 2))
def test_feed_deleted_during_load(shop: Shop, number: int) -> None:
    """What the import wrote is deleted, and it writes nothing more."""
    feed = waiting(shop).begin()

    def delete() -> None:
        assert shop.do("DELETE", f"/feeds/{feed['id']}").status == 204

    with before_write(number, delete):
        resume(shop, feed)
    shop.world.deliver()
    assert {name for name, (is_live, *_) in says(shop).items() if is_live} == {"own"}
    assert FeedRepository(shop.workspace).get(UUID(feed["id"])) is None


@pytest.mark.parametrize("number", range(1, 9, 2))
def test_store_disconnected_during_load(shop: Shop, number: int) -> None:
    """All products that were written by then are listed and counted."""
    feed = waiting(shop).begin()

    def disconnect() -> None:
        assert shop.do("POST", f"/stores/{shop.store_id}/disconnect").status < 300

    with before_write(number, disconnect):
        resume(shop, feed)
    shop.world.deliver()
    says(shop)


@pytest.mark.parametrize("number", range(1, 12, 2))
def test_workspace_deleted_during_load(world: World, server: FeedServer, number: int) -> None:
    """Nothing is left, not even rows that were written before their transaction."""
    home = Home(world)
    shop = Shop(world, server, home.owner, WorkspaceScope(home.workspace.id), home.shop)
    feed = waiting(shop).begin()

    def delete() -> None:
        assert home.delete().status == 202
        home.remove()

    with before_write(number, delete):
        resume(shop, feed)
    home.is_removed()


@pytest.mark.parametrize("number", range(1, 12, 2))
def test_feed_deleted_during_load_leaves_no_orphaned_page(shop: Shop, number: int) -> None:
    """Pages that were written for a transaction that is never sent are deleted."""
    feed = waiting(shop).begin()

    def delete() -> None:
        assert shop.do("DELETE", f"/feeds/{feed['id']}").status == 204

    with before_write(number, delete):
        resume(shop, feed)
    pages = {row.key for row in shop.world.rows() if isinstance(row, PageItem)}
    named = {
        (tree.rows.partition, key)
        for lists in (
            ProductLists(shop.workspace),
            ProductLists(shop.workspace, UUID(shop.store_id)),
        )
        for tree in lists.trees
        for node in tree.rows.everything()[0]
        for key in node.page_keys
    }
    assert pages == named


def test_search_repair_restores_postings_of_load(shop: Shop) -> None:
    """The records of all of the import's products failed; the repair writes their postings."""
    feed = waiting(shop).begin()
    resume(shop, feed)
    searched = Searched(shop.world, shop.owner, shop.workspace, shop.store_id)
    searched.fail_for_good()
    assert shop.get("/products", q="brand")["total"] == 0
    searched.repair()
    assert shop.get("/products", q="brand")["total"] == 14


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("seconds", [None, 46])
def test_throttled_with_lost_responses(
    shop: Shop, fake_time: FakeTime, seed: int, seconds: int | None
) -> None:
    """Three calls in ten are refused; one in ten is carried out and its answer lost.

    Also with runs of a second, which leave the rest to the next message.
    """
    begin = waiting(shop).begin
    resume(shop, begin())
    undisturbed = says(shop)
    feed = begin()
    feeds = FeedRepository(shop.workspace)

    def is_open() -> bool:
        stored = feeds.get(UUID(feed["id"]))
        return stored is not None and (stored.running or stored.queued) is not None

    faults = Throttling(fake_time, seed)
    result = run_until_done(
        faults, "FeedImportQueue", lambda tries: works(shop, feed, tries), is_open, seconds
    )
    assert (result.runs > 1) == (seconds is not None)
    assert faults.share > MANY
    assert says(shop) == undisturbed
    latest = shop.get(f"/feeds/{feed['id']}")["latestImport"]
    assert (latest["status"], latest["counts"]["created"]) == ("completed", 14)


def works(shop: Shop, feed: Json, tries: int) -> bool:
    """Delivers the feed's message to the worker, as its queue does; whether the worker succeeds."""
    record = {
        "messageId": "m",
        "receiptHandle": "handle",
        "body": body_of(message(shop, feed).payload()),
        "attributes": {"ApproximateReceiveCount": str(tries), "MessageGroupId": feed["id"]},
        "messageAttributes": {},
        "eventSource": "aws:sqs",
        "eventSourceARN": aws.queue_arn("FeedImportQueue"),
        "awsRegion": aws.REGION,
    }
    answer = invoke(reader_of("FeedImportQueue"), {"Records": [record]})
    return not answer["batchItemFailures"]


def test_runs_write_plan_that_import_names(shop: Shop) -> None:
    """A second run plans the import before the first one stores its plan, and writes a part.

    Its plan is in another order: to it, the products that the first run found to be new are known.
    """
    shop.put_product("p1")
    begin = waiting(shop).begin
    resume(shop, begin())
    undisturbed = says(shop)
    feed, second = begin(), Calls()

    def until_chunk(_number: int, operation: str, side: Side) -> None:
        if side is Side.AFTER and second.made.count("TransactWriteItems") == 2:
            raise Killed

    def step(_number: int, operation: str, side: Side) -> None:
        nonlocal second
        is_plan = side is Side.BEFORE and calls.made.count("PutObject") == 3
        if is_plan and not second.made:
            with suppress(Killed), another_container(), around_calls(until_chunk) as second:
                resume(shop, feed)

    with around_calls(step) as calls:
        resume(shop, feed)
    assert second.made
    assert says(shop) == undisturbed
    latest = shop.get(f"/feeds/{feed['id']}")["latestImport"]
    assert (latest["status"], latest["counts"]["created"]) == ("completed", 13)
