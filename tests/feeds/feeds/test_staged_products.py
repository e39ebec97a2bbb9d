"""Rows that a load has staged and no list has yet: nobody sees them, and none is lost."""

import random
import threading
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from uuid import UUID

import pytest

from storepost.catalog.products.contents import read_contents
from storepost.catalog.products.model import product_id
from storepost.catalog.products.repository import ProductRepository
from storepost.catalog.products.rows import ProductItem
from storepost.catalog.products.staged import staged_in
from storepost.catalog.products.staging import Staging
from storepost.catalog.products.trees import ProductLists
from storepost.catalog.products.writing import ProductSource, tombstone_layer
from storepost.overview.search.showing import results_of
from storepost.platform.persistence.changes import commit_anew
from storepost.platform.persistence.item import Key, Raw
from storepost.platform.persistence.loads.row_writes import insert_rows
from storepost.platform.postings.entries import SearchKind
from storepost.values import clock
from storepost.values.scope import WorkspaceScope
from tests.catalog.products.source_layers import feed as add_feed
from tests.catalog.products.source_layers import says as source_product
from tests.catalog.products.source_layers import write_layers
from tests.catalog.products.state import check, store_of
from tests.feeds.feeds.feed_store import Json, Shop, csv
from tests.feeds.feeds.interruptions import resume
from tests.feeds.feeds.loads import OWN_TITLES, ROWS, kinds, says, small_loads, waiting
from tests.feeds.feeds.serving import FeedServer
from tests.harness.call_interruption import Killed, Side, around_calls, before_write, counted
from tests.harness.world import World
from tests.lifecycle.workspaces.full_workspace import Home
from tests.platform.counted_tree.lists import counted_later

NAMES = [row["id"] for row in ROWS]


@pytest.fixture(autouse=True, params=OWN_TITLES)
def titles(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """The positions of the feed's titles in their list."""
    small_loads(monkeypatch, request.param)
    return str(request.param)


def expect_whole(shop: Shop) -> set[str]:
    """Expects that every read finds the products that lists have, and no others; their names."""
    workspace, store = shop.workspace, UUID(shop.store_id)
    ids = {product_id(store, name): name for name in ["own", "another", *NAMES]}
    listed = {entry.id for entry in ProductLists(workspace).by_added.rows.everything()[1]}
    for tree in (ProductLists(workspace).by_title, ProductLists(workspace, store).by_changed):
        assert {entry.id for entry in tree.rows.everything()[1]} == listed
    removed = {entry.id for entry in ProductLists(workspace).removed.rows.everything()[1]}
    there = listed | removed
    assert {each.id for each in ProductRepository(workspace).get_many(ids)} == there
    assert {each for each in ids if ProductRepository(workspace).get(each)} == there
    assert read_contents(workspace, ids, ()).keys() == listed
    named = [(SearchKind.PRODUCT, each) for each in ids]
    assert {each for _, each in results_of(workspace, named)} == there
    return {ids[each] for each in listed}


def test_product_exists_as_soon_as_it_is_listed(shop: Shop, titles: str) -> None:
    """Reads by id, name, search and feeds find it, before and after each call of the import."""
    feed = waiting(shop).begin()
    seen, staged, is_reading = list[int](), list[int](), False

    def read(_number: int, operation: str, _side: Side) -> None:
        nonlocal is_reading
        if is_reading or "Get" in operation or "Query" in operation:
            return
        is_reading = True
        seen.append(len(expect_whole(shop)))
        staged.append(len(unlisted(shop)))
        is_reading = False

    with around_calls(read):
        resume(shop, feed)
    assert max(staged) == {"between": 5, "appended": 10}[titles]
    assert (staged[-1], seen[0], seen[-1]) == (0, 1, 15)
    assert seen == sorted(seen)


def unlisted(shop: Shop) -> set[str]:
    """The names of staged rows that aren't products yet."""
    rows = [row for row in shop.world.rows() if isinstance(row, ProductItem) and staged_in(row)]
    there = {each.id for each in ProductRepository(shop.workspace).get_many(r.id for r in rows)}
    return {row.external_id for row in rows if row.id not in there}


class Others:
    """Writers of products during a load, and the result to expect."""

    def __init__(self, shop: Shop, chance: random.Random) -> None:
        """No writer has written yet."""
        self.shop = shop
        self.chance = chance
        self.store = store_of(shop.world, shop.store_id)
        self.other = add_feed(self.store, "Other")
        self.sources: dict[str, set[UUID]] = {name: set() for name in NAMES}
        self.own = ProductSource(self.store, self.store.id)

    def act(self) -> None:
        """Performs one of the possible writes, on any of the products."""
        name = self.chance.choice(NAMES)
        self.chance.choice([self.put, self.put, self.take_back, self.write_layers, self.rule])(name)

    def put(self, name: str) -> None:
        """The store puts the product, updated now."""
        self.shop.put_product(name, updatedAt=clock.to_text(clock.now()))
        self.sources[name].add(self.own.source)

    def take_back(self, name: str) -> None:
        """The store's webhook deletes the product, whether it is stored or not."""
        commit_anew(lambda unit: tombstone_layer(unit, self.own, name, clock.now()))
        self.sources[name].discard(self.own.source)

    def write_layers(self, name: str) -> None:
        """Another feed writes the product."""
        write_layers(self.other, source_product(name, title=f"Other {name}"))
        self.sources[name].add(self.other.source)

    def rule(self, _name: str) -> None:
        """Puts other rules in force."""
        add_feed(self.store, "One more")

    def expect(self, feed: Json) -> None:
        """Expects that each product exists once, with the values of all its sources."""
        check(self.shop.world, self.store)
        imported = ProductSource(self.store, UUID(feed["id"])).source
        ids = [product_id(self.store.id, name) for name in NAMES]
        found = ProductRepository(self.shop.workspace).get_many(ids)
        live = {p.external_id: {k for k, m in p.layers.items() if m.is_live} for p in found}
        assert live == {name: {imported, *sources} for name, sources in self.sources.items()}
        assert expect_whole(self.shop) == {"own", *NAMES}


@pytest.mark.parametrize("seed", range(6))
def test_concurrent_writers_at_any_call(shop: Shop, seed: int) -> None:
    """Store, feed, deletions and rules write before calls of the load, which may also be killed."""
    chance = random.Random(seed)
    feed = waiting(shop).begin()
    others = Others(shop, chance)
    is_acting, runs = False, 0

    def step(_number: int, operation: str, side: Side) -> None:
        nonlocal is_acting
        if is_acting or operation.startswith(("Get", "Query", "Put", "Delete")):
            return
        is_acting = True
        if chance.random() < 0.15:
            with counted_later() if chance.random() < 0.5 else nullcontext():
                others.act()
        if side is Side.AFTER and chance.random() < 0.03:
            is_acting = False
            raise Killed
        is_acting = False

    ended = False
    while not ended:
        runs += 1
        with suppress(Killed), around_calls(step):
            resume(shop, feed, tries=min(runs, 2))
            ended = True
    latest = shop.get(f"/feeds/{feed['id']}")["latestImport"]
    assert latest["status"] == "completed"
    others.expect(feed)


def test_staged_product_is_written_by_store_while_lists_are_busy(shop: Shop) -> None:
    """A writer counts the product later as the nodes are busy; the load still notices it."""
    taken, is_taking = list[str](), False

    def take(_number: int, operation: str, side: Side) -> None:
        nonlocal is_taking
        if is_taking or operation != "TransactWriteItems" or side is not Side.BEFORE:
            return
        is_taking = True
        if staged := sorted(unlisted(shop).difference(taken)):
            taken.append(staged[len(taken) % len(staged)])
            with counted_later():
                shop.put_product(taken[-1])
        is_taking = False

    feed = waiting(shop).begin()
    with around_calls(take):
        resume(shop, feed)
    assert len(taken) > 1
    says(shop)
    assert expect_whole(shop) == {"own", *NAMES}


def test_writer_that_read_before_listing_reads_again(shop: Shop) -> None:
    """The writer reads again: it had decided that there is no such product."""
    feed = waiting(shop).begin()
    others = Others(shop, random.Random())
    is_staged, goes_on = threading.Event(), threading.Event()
    loader = threading.Thread(target=resume, args=(shop, feed))

    def step(_number: int, operation: str, side: Side) -> None:
        if operation != "TransactWriteItems" or side is not Side.BEFORE:
            return
        if threading.current_thread() is not loader:
            goes_on.set()
            loader.join()
        elif calls.made[-2] == "BatchExecuteStatement":
            is_staged.set()
            assert goes_on.wait(60)

    with around_calls(step) as calls:
        loader.start()
        assert is_staged.wait(60)
        with counted_later():
            others.write_layers(min(unlisted(shop)))
    others.expect(feed)


def test_lost_race_at_list_stages_no_product_twice(shop: Shop) -> None:
    """The rows are staged: the next transaction lists them unchanged."""
    begin = waiting(shop).begin
    feed = begin()
    calm = counted(lambda: resume(shop, feed))
    loaded = _staged(shop)
    feed = begin()
    last = len([name for name in calm if "Write" in name]) // 2

    def put() -> None:
        shop.put_product("another")

    with before_write(last, put):
        resume(shop, feed)
    assert len(_staged(shop)) == len(loaded) == 10
    expect_whole(shop)


def _staged(shop: Shop) -> list[Key]:
    rows = [row for row in shop.world.rows() if isinstance(row, ProductItem)]
    return [row.key for row in rows if staged_in(row)]


class Paused:
    """A run that pauses right before it stages products' rows, and stages them much later."""

    def __init__(self, shop: Shop, feed: Json, monkeypatch: pytest.MonkeyPatch) -> None:
        """Runs the worker to that point."""
        self.rows: Sequence[Raw] = ()

        def stop(_staging: Staging, rows: Sequence[Raw]) -> None:
            self.rows = [row for row in rows if row["kind"]["S"] != "product_name"]
            raise Killed

        with monkeypatch.context() as stopped, suppress(Killed):
            stopped.setattr(Staging, "write", stop)
            with around_calls(lambda *_: None):
                resume(shop, feed)
        assert len(self.rows) == 5

    def resume(self) -> int:
        """Writes the rows that it can; how many it can't."""
        return len(insert_rows(self.rows))


def test_late_rows_after_import_are_refused(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another run has already written the same products, loaded or one by one."""
    feed = waiting(shop).begin()
    late = Paused(shop, feed, monkeypatch)
    resume(shop, feed, tries=2)
    expected = says(shop)
    assert late.resume() == 5
    assert says(shop) == expected
    assert expect_whole(shop) == {"own", *NAMES}


@pytest.mark.parametrize("comes_back", ["the feed", "the store"])
def test_late_rows_after_feed_deletion_are_no_products(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, comes_back: str
) -> None:
    """The next source of these products writes them as new ones."""
    feed = waiting(shop).begin()
    late = Paused(shop, feed, monkeypatch)
    assert shop.do("DELETE", f"/feeds/{feed['id']}").status == 204
    shop.world.deliver()
    assert late.resume() == 0
    there = expect_whole(shop)
    assert there.isdisjoint(row["external_id"]["S"] for row in late.rows)
    if comes_back == "the feed":
        shop.feed(csv(*ROWS), path="/again")
    else:
        for name in NAMES:
            shop.put_product(name)
    says(shop)
    assert expect_whole(shop) == {"own", *NAMES}
    assert unlisted(shop) == set()


def test_deleted_feed_removes_staged_rows(shop: Shop) -> None:
    """No row is left that was staged and never listed, and search finds nothing."""
    begin = waiting(shop).begin
    feed = begin()
    writes = [name for name in counted(lambda: resume(shop, feed)) if "Write" in name]
    staged: list[int] = []

    def delete() -> None:
        staged.append(len(unlisted(shop)))
        assert shop.do("DELETE", f"/feeds/{feed['id']}").status == 204

    for number in range(1, len(writes) + 1, 2):
        feed = begin()
        with before_write(number, delete):
            resume(shop, feed)
        shop.world.deliver()
        assert unlisted(shop) == set(), number
        assert shop.get("/products", q="brand")["total"] == 0, number
        assert expect_whole(shop) == {"own"}, number
    assert max(staged) == 5


def test_late_rows_after_workspace_deletion_are_deleted(
    world: World, server: FeedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(world)
    shop = Shop(world, server, home.owner, WorkspaceScope(home.workspace.id), home.shop)
    feed = waiting(shop).begin()
    late = Paused(shop, feed, monkeypatch)
    assert home.delete().status == 202
    home.remove()
    assert late.resume() == 0
    assert kinds(shop, ProductItem) == 5
    home.is_removed()
