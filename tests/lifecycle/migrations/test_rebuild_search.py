"""The rebuild of a workspace's postings: killed, run twice, throttled, and while rows change."""

import json
from datetime import timedelta
from uuid import UUID, uuid4

import boto3
import pytest

from local import aws
from local.events.pumps import pump_queue
from storepost.accounts.workspaces.repository import WorkspaceItem, workspace_key
from storepost.feeds.feeds.keys import feed_key
from storepost.feeds.feeds.rows import FeedItem
from storepost.lifecycle.migrations import walking
from storepost.lifecycle.migrations.search import MIGRATION
from storepost.lifecycle.migrations.walking import walks_of
from storepost.overview.search.sources import SOURCES
from storepost.platform.jobs.runs import Run
from storepost.platform.migrations import running
from storepost.platform.migrations.keys import REBUILD_SEARCH
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Item, find
from storepost.platform.postings.entries import SearchKind
from storepost.platform.postings.rows import PostingItem
from storepost.values import clock
from storepost.values.scope import WorkspaceScope
from tests.catalog.products.sample import product, variant
from tests.concurrency.people import customer
from tests.harness.call_interruption import at_call, counted
from tests.harness.crash_points import Shard, crashes, in_shards
from tests.harness.faults import THROTTLED, faults, refusal
from tests.harness.world import CANARY, Someone, World
from tests.lifecycle.migrations.searched import Searched
from tests.lifecycle.workspaces.full_workspace import Home

QUEUE = "MigrationQueue"
FEED = UUID("0192f0a0-0000-7000-8000-000000000009")
PEOPLE = 3


class Shop(Searched):
    """A workspace with a store, some people and a product."""

    def __init__(self, world: World, owner: Someone) -> None:
        super().__init__(world, world.workspace(owner))
        self.owner, self.store = owner, world.store(owner)

    def call(self, method: str, path: str, body: object = None) -> int:
        """The status of a request of the owner's about the store."""
        path = f"/stores/{self.store}/{path}"
        return self.owner.call(method, path, body).status

    def put_person(self, number: int, name: str, second: int) -> None:
        """A customer of the store, updated at a second."""
        body = {**customer(f"{number}.{CANARY}@example.com"), "firstName": name}
        body["externalUpdatedAt"] = f"2026-02-01T00:00:{second:02}.000Z"
        assert self.call("PUT", f"customers/c-{number}", body) in {200, 201}

    def put_product(self, updated_at: str = "2026-03-01T10:30:00.250Z") -> None:
        """A product with an SKU."""
        body = product(variants=[variant(sku="SKU 4711")], updatedAt=updated_at)
        assert self.call("PUT", "products/p-1", body) in {200, 201}


@pytest.fixture
def shop(world: World, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """Its postings are exact, and its lists have pages of two."""
    monkeypatch.setattr(walking, "PAGE", 2)
    made = Shop(world, world.person())
    for number in range(PEOPLE):
        made.put_person(number, f"Before{number}", 0)
    made.put_product()
    world.deliver()
    assert made.postings == made.exact != {}
    return made


def send(workspace: WorkspaceScope, run: int = 1, name: str = REBUILD_SEARCH) -> None:
    """Puts a message into the worker's queue."""
    body = {"workspaceId": str(workspace.id), "name": name, "run": run}
    boto3.client("sqs").send_message(QueueUrl=aws.queue_url(QUEUE), MessageBody=json.dumps(body))


class TestRebuild:
    def test_postings_of_all_kinds_are_rebuilt(self, world: World) -> None:
        """Each kind of row, in a workspace that has all of them."""
        home = Home(world)
        home.fill()
        FeedItem(
            *feed_key(home.workspace, FEED),
            id=FEED,
            store_id=UUID(home.shop),
            name="Catalogue",
            url="https://feeds.example.com/all.csv",
            mode="enrich",
            mapping={},
            created_at=clock.now(),
            next_import_at=clock.now() + timedelta(days=1),
            counts={},
        ).save()
        world.deliver()
        searched = Searched(world, home.workspace)
        assert searched.postings == searched.exact
        assert {row.pk.rpartition("#")[2] for row in searched.rows} == set(SearchKind)
        searched.lose(of=1)
        send(home.workspace)
        world.deliver()
        assert searched.postings == searched.exact
        assert searched.is_done

    def test_each_searched_kind_is_walked(self) -> None:
        assert {walk.kind for walk in walks_of(SOURCES)} == SOURCES.keys()
        with pytest.raises(KeyError, match="PostingItem"):
            walks_of([PostingItem])

    def test_step_names_are_stable(self) -> None:
        """Cursors contain the names: a renamed step would start again from its beginning."""
        walks = "profile suppression suppression-lifted coupon order product product-removed feed"
        kinds = "profile order product coupon feed store suppression"
        assert [step.name for step in MIGRATION.steps] == [
            *(f"write {each}" for each in f"{walks} store".split()),
            *(f"check {each}" for each in kinds.split()),
        ]

    def test_other_workspaces_postings_are_unchanged(self, shop: Shop) -> None:
        shop.lose()
        before = shop.postings
        stranger = Searched(shop.world, shop.world.workspace(shop.world.person()))
        stranger.work()
        assert stranger.is_done
        assert shop.postings == before

    def test_migration_row_has_progress_counts(self, shop: Shop) -> None:
        shop.lose()
        stale = len(shop.postings.keys() - shop.exact.keys())
        shop.work()
        row = shop.row
        assert row is not None
        assert row.counts["profile rows"] == PEOPLE
        assert row.counts["product rows"] == 1
        assert row.counts["postings removed"] == stale
        assert row.counts["postings written"] == row.counts["postings checked"] - stale
        assert row.counts["postings written"] == len(shop.exact)
        assert row.started_at <= row.updated_at <= row.done_at


class TestRuns:
    def test_run_out_of_time_does_one_page(self, shop: Shop) -> None:
        shop.lose()
        send(shop.workspace)
        runs, seen = 0, set[tuple[str, str]]()
        with pytest.MonkeyPatch.context() as short:
            short.setattr(Run, "is_over", lambda _run: True)
            while not shop.is_done:
                assert pump_queue(QUEUE) == 1
                shop.world.deliver_outbox()
                row = shop.row
                assert row is not None
                seen.add((row.step, row.after))
                runs += 1
        assert runs > len(MIGRATION.steps)
        assert len(seen) >= len(MIGRATION.steps)
        assert shop.postings == shop.exact

    def test_second_start_continues(self, shop: Shop) -> None:
        """A run whose message is among the dead letters makes no progress."""
        shop.work(milliseconds=0)
        before = shop.row
        assert before is not None
        assert not shop.is_done
        shop.lose()
        shop.work()
        after = shop.row
        assert after is not None
        assert (after.run, after.started_at) == (1, before.started_at)
        assert after.counts["profile rows"] == PEOPLE
        assert shop.is_done

    def test_duplicate_message_does_nothing(self, shop: Shop) -> None:
        """It comes after the end of its run, or of a later one."""
        shop.work()
        shop.work(run=2)
        before = shop.row
        assert before is not None
        for late in (1, 2):
            shop.lose()
            stored = shop.postings
            shop.work(run=late)
            assert shop.postings == stored
        after = shop.row
        assert after is not None
        assert (after.run, after.version, after.done_at) == (2, before.version, before.done_at)

    def test_new_run_starts_once_last_one_is_done(self, shop: Shop) -> None:
        shop.work()
        shop.lose()
        shop.work(run=2)
        assert shop.postings == shop.exact
        row = shop.row
        assert row is not None
        assert row.counts["profile rows"] == PEOPLE

    def test_one_of_two_concurrent_workers_continues(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A message comes twice; the second worker does a page before the first notes its own.

        The first worker ends, and no row is counted twice.
        """
        shop.lose()
        plain, inner = running._advance, list[int]()

        def advance(*arguments: object) -> None:
            if not inner:
                inner.append(1)
                shop.work(milliseconds=0)
            plain(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(running, "_advance", advance)
        shop.work()
        assert not shop.is_done
        row = shop.row
        assert row is not None
        assert row.counts["profile rows"] == 2
        shop.work()
        assert shop.postings == shop.exact
        row = shop.row
        assert row is not None
        assert row.counts["profile rows"] == PEOPLE

    def test_unknown_step_restarts_migration(self, shop: Shop) -> None:
        shop.work(milliseconds=0)
        row = shop.row
        assert row is not None
        row.step, row.after = "write later", "k"
        row.save()
        shop.lose()
        shop.work()
        assert shop.postings == shop.exact

    @pytest.mark.parametrize("is_there", [True, False])
    def test_deleted_workspace_is_not_migrated(self, shop: Shop, is_there: bool) -> None:
        if is_there:
            row = find(WorkspaceItem, workspace_key(shop.workspace))
            assert row is not None
            row.update([WorkspaceItem.ended_at.set(clock.now())])
        else:
            Item(*workspace_key(shop.workspace)).delete()
        shop.work()
        assert shop.row is None

    def test_run_ends_when_workspace_is_deleted(self, shop: Shop) -> None:
        shop.work(milliseconds=0)
        row = shop.row
        assert row is not None
        Item(*row.key).delete()
        Item(*workspace_key(shop.workspace)).delete()
        shop.work()
        assert shop.row is None

    def test_unknown_migration_is_ignored(self, shop: Shop) -> None:
        send(shop.workspace, name="later")
        send(WorkspaceScope(uuid4()))
        shop.world.deliver()
        assert shop.world.queue_depth(QUEUE) == 0
        assert shop.row is None


class TestFaults:
    @in_shards(3)
    def test_killed_before_and_after_every_call(self, shop: Shop, shard: Shard) -> None:
        """One person was renamed and one deleted; the stream hasn't delivered that yet."""
        shop.lose()
        shop.put_person(0, "After", 1)
        assert shop.call("DELETE", "customers/c-1") == 204
        killed = 0
        found = crashes(shop.world, shop.work, deliver=False)
        for _ in found.shard(shard):
            killed += 1
            shop.work()
            shop.world.deliver()
            assert shop.is_done
            assert shop.postings == shop.exact
            row = shop.row
            assert row is not None
            assert row.counts["profile rows"] >= PEOPLE - 1
        assert killed > 5

    @pytest.mark.parametrize("operation", ["BatchWriteItem", "BatchGetItem", "TransactWriteItems"])
    def test_throttled(self, shop: Shop, operation: str) -> None:
        shop.lose()
        with faults(refusal(THROTTLED[0]), operation, times=3) as met:
            shop.work()
        assert met.met == 3
        assert shop.postings == shop.exact

    @in_shards(3)
    def test_profile_changes_at_any_call(self, shop: Shop, shard: Shard) -> None:
        """A person gets another name, and the stream delivers that at once or in the end."""
        shop.lose()
        back = shop.world.checkpoint()
        calls = len(counted(shop.work))
        for number in range(1 + shard.number, calls + 1, 3 * shard.of):
            back()
            at_once = number % 2 == 0

            def change(number: int = number, *, at_once: bool = at_once) -> None:
                shop.put_person(number % PEOPLE, f"After{number}", 1)
                if at_once:
                    shop.world.deliver_outbox()

            with at_call(number, change):
                shop.work()
            shop.world.deliver()
            assert shop.postings == shop.exact, number

    def test_product_restored_between_steps_of_its_lists_is_found(self, shop: Shop) -> None:
        """Its SKU is found again, though neither list had the product when the step read it."""
        assert shop.call("DELETE", "products/p-1") == 204
        shop.world.deliver()
        for row in shop.rows:
            row.delete()

        def work(step: int) -> None:
            MIGRATION.steps[step].work(shop.workspace, "", Changes())

        names = [step.name for step in MIGRATION.steps]
        work(names.index("write product"))
        shop.world.advance(seconds=5)
        shop.put_product(clock.to_text(clock.now()))
        work(names.index("write product-removed"))
        shop.world.deliver()
        of_products = {key for key in shop.exact if key[0].endswith("#product")}
        assert of_products <= shop.postings.keys()
        assert any(sk.startswith("=") for _, sk in of_products)
