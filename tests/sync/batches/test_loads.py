"""New orders with the pages of their lists: the same as put one by one, with concurrent writers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storepost.orders import loading
from storepost.orders.repository import OrderItem
from storepost.orders.trees import OrderList
from storepost.people.profiles.rows import ErasedProfileItem, ProfileItem
from storepost.platform.persistence.changes import MAX_ITEMS
from storepost.platform.persistence.counted_tree import EVERYTHING
from storepost.platform.persistence.counted_tree.items import PageItem
from storepost.platform.persistence.reads import ReadAhead
from storepost.platform.persistence.sealing import clear_key_cache
from storepost.sync.batches import chunks, loads
from tests.harness.call_interruption import before_write, counted
from tests.harness.crash_points import Shard, crashes, in_shards
from tests.harness.world import World
from tests.sync.batches.batch_store import Body, Shop, buyer, customer, moment, open_shop, order
from tests.sync.batches.state import state_of
from tests.sync.batches.test_same_as_puts import CUSTOMERS, ORDERS, check, put, put_all
from tests.sync.batches.watching import chunks_of, key_of, slow, transactions

KNOWN = 3
ENDS = 2
NEW = [
    # Two buy twice; one is known; the seventh order has no buyer, and the eighth was refunded.
    order(10, customer=buyer(0)),
    order(11, customer=buyer(10)),
    order(12, customer={**buyer(11), "firstName": "Eve"}),
    order(13, customer=buyer(11)),
    order(14, customer=buyer(10)),
    order(15, customer=buyer(12)),
    order(16, customer=None),
    order(17, totalRefunded={"amount": 5, "currency": "EUR"}),
    order(18, total={"amount": 1, "currency": "USD"}),
    order(19),
    order(20),
    order(21),
]
OWN = order(14, 3, customer=buyer(13), number="#own")


@contextmanager
def small_loads(ends: int = ENDS, lookahead: int = 4) -> Iterator[None]:
    """Lets a load begin with a few orders."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (loading, loads):
            patch.setattr(module, "ENDS", ends)
        patch.setattr(loads, "MIN_LOADED", 2)
        patch.setattr(loads, "READ_AHEAD", lookahead)
        patch.setattr(loads, "_MIN_READ_AHEAD", 3)
        yield


@pytest.fixture
def _small_loads() -> Iterator[None]:
    with small_loads():
        yield


def one_by_one(work: Callable[[], object]) -> None:
    """Does the work without a load."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loads, "MIN_LOADED", 10**9)
        work()


@pytest.mark.usefixtures("_small_loads")
def test_each_transaction_updates_progress_of_import(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise its progress would show the same number for as long as a load has orders."""
    shop = ready(world)
    queued, seen = shop.queue(orders=[order(number) for number in range(30, 44)]), [0]
    slow(monkeypatch, 0)
    while shop.read(queued)["status"] != "completed":
        assert shop.run_worker() == []
        seen.append(shop.read(queued)["imported"]["orders"])
    moved = [after - before for before, after in pairwise(seen)]
    assert moved == [4, 4, 4, 2, 0], "the last run completes it"


def test_transactions_grow_once_buyers_need_fewer_items(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their first orders are older than their first-seen times, and move them in lists."""
    shop, buyers = ready(world), range(12)
    shop.import_batch(customers=[customer(n, 5000, externalCreatedAt=moment(5000)) for n in buyers])
    for module in (loading, loads):
        monkeypatch.setattr(module, "ENDS", 2)
    with transactions() as seen:
        shop.import_batch(
            orders=[order(n, customer=buyer(n % len(buyers))) for n in range(10, 106)]
        )
    chunks = chunks_of(seen)
    sizes = [sum("#order#" in key_of(item)[0] for item in items) for items in chunks]
    assert sum(sizes) == 96
    assert max(sizes[:2]) <= 15, "an order of theirs takes some seven items"
    assert max(sizes[2:]) >= 25, "an order of theirs takes two"
    assert len(shop.numbers()) == KNOWN + 96
    shop.check_lists()


def test_buyer_of_consecutive_orders_is_written_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise each transaction would begin with the last one's buyer, and wait for it."""
    shop, buyers, each = ready(world), 24, 4
    shop.import_batch(customers=[customer(n) for n in range(10, 10 + buyers)])
    for module in (loading, loads):
        monkeypatch.setattr(module, "ENDS", each)
    with transactions() as seen, waits() as waited:
        shop.import_batch(orders=[order(n, customer=buyer(n // each)) for n in range(40, 40 + 60)])
    written = [key_of(item) for items in chunks_of(seen) for item in items]
    assert len(chunks_of(seen)) > 2
    assert sum(sort_key == "profile" for _, sort_key in written) == 60 // each
    assert waited == []


def test_load_waits_for_buyer_in_flight_only_at_their_next_order(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It doesn't wait as soon as their next order is among those that are gathered."""
    shop, again = ready(world), 40
    for module in (loading, loads):
        monkeypatch.setattr(module, "ENDS", 2)
    with waits() as waited:
        shop.import_batch(
            orders=[order(n, customer=buyer(12 if n == again else n)) for n in range(10, 60)]
        )
    assert waited == []
    [bought] = [row for row in shop.get("/profiles", pageSize=100)["items"] if _is(row, 12)]
    assert shop.get(f"/profiles/{bought['id']}")["orders"] == 2


@contextmanager
def waits() -> Iterator[list[str]]:
    """Records each time that the rows to be read are in flight."""
    noted: list[str] = []
    plain = ReadAhead.follow

    def follow(reads: ReadAhead, finish: Callable[[], None]) -> None:
        def waited() -> None:
            noted.append("waited")
            finish()

        plain(reads, waited)

    with patch.object(ReadAhead, "follow", follow):
        yield noted


def ready(world: World) -> Shop:
    """A store that has some orders, the last of them newer than any that is imported."""
    shop = open_shop(world)
    for number in range(KNOWN):
        assert put_all(shop, [], [order(number)])[0][2] == 201
    clear_key_cache()
    return shop


def pages(shop: Shop) -> int:
    """How many pages the orders' lists have."""
    return sum(isinstance(row, PageItem) for row in shop.world.rows(shop.workspace.key))


def outcome(shop: Shop) -> dict[str, Any]:
    """All rows, checks that the lists have each order once, and the import's counts."""
    shop.check_lists()
    for tree in (OrderList(shop.workspace).tree, OrderList(shop.workspace, shop.store_id).tree):
        listed = [entry.id for entry in tree.rows.everything()[1]]
        assert len(listed) == len(set(listed)) == tree.counts()["n"]
    [shown] = shop.get(f"{shop.path}/imports")["items"]
    numbers = shop.numbers()
    summary = {name: shown[name] for name in ("status", "imported", "error")}
    return {**summary, "numbers": numbers, "problems": shop.problems(shown["id"]), **state_of(shop)}


@pytest.mark.usefixtures("_small_loads")
class TestLoads:
    """A batch of new orders."""

    def test_load_equals_orders_written_one_by_one(self, world: World) -> None:
        shop = ready(world)
        shop.queue(orders=NEW)
        back = world.checkpoint(deliver=False)
        one_by_one(shop.run_worker)
        expected, plain_pages = outcome(shop), pages(shop)
        back()
        shop.run_worker()
        assert outcome(shop) == expected
        assert expected["imported"]["orders"] == len(NEW) - 1
        assert [problem["index"] for problem in expected["problems"]] == [8]
        assert (plain_pages, pages(shop) > 3) == (0, True)

    def test_buyer_of_several_orders_is_written_once(self, shop: Shop) -> None:
        shop.import_batch(orders=[order(0), order(1)])
        several = [order(n, customer=buyer(7)) for n in range(2, 8)]
        with small_loads(ends=1, lookahead=8), transactions() as seen:
            shop.import_batch(orders=[*several, order(8)])
        chunk, _last = chunks_of(seen)
        written = [sk for _pk, sk in map(key_of, chunk)]
        assert (written.count("profile"), written.count("order")) == (1, 6)
        [bought] = [row for row in shop.get("/profiles")["items"] if _is(row, 7)]
        assert shop.get(f"/profiles/{bought['id']}")["orders"] == 6
        assert len(shop.get(f"/profiles/{bought['id']}/events")["items"]) == 6

    @pytest.mark.parametrize("refused", [range(10, 30), range(10, 16), range(16, 30)])
    def test_refused_orders_are_problems_and_others_are_written(
        self, world: World, refused: range
    ) -> None:
        """A chunk may have none that any list gets: the import goes on behind it."""
        shop, dollars = ready(world), {"amount": 100, "currency": "USD"}
        orders = [order(n, **({"total": dollars} if n in refused else {})) for n in range(10, 30)]
        shop.import_batch(orders=orders)
        shown = outcome(shop)
        assert (shown["status"], shown["imported"]["orders"]) == ("completed", 20 - len(refused))
        assert [(each["index"], each["code"]) for each in shown["problems"]] == [
            (n - 10, "currency_mismatch") for n in refused
        ]
        written = {f"#{n}" for n in range(10, 30) if n not in refused}
        assert set(shown["numbers"]) == written | {f"#{n}" for n in range(KNOWN)}

    def test_first_and_last_orders_are_not_packed(self, shop: Shop) -> None:
        """So the first page of the list is read without any page of entries."""
        shop.import_batch(orders=[order(0), order(1)])
        shop.import_batch(orders=[order(n) for n in range(2, 12)])
        assert self.rows(shop) == {0, 1, 10, 11}

    def test_last_orders_are_packed_if_another_batch_waits(self, shop: Shop) -> None:
        shop.import_batch(orders=[order(0), order(1)])
        for first in (2, 10):
            shop.queue(orders=[order(n) for n in range(first, first + 8)])
        shop.world.deliver()
        assert self.rows(shop) == {0, 1, 16, 17}
        assert len(shop.numbers()) == 18
        shop.check_lists()

    def rows(self, shop: Shop) -> set[int]:
        """The numbers of those orders that are rows in the list of orders."""
        rows = OrderList(shop.workspace).tree.rows
        alone = {entry.key for entry in rows.stored(EVERYTHING).live}
        return {n for n, entry in enumerate(rows.everything()[1]) if entry.key in alone}

    def test_repeated_batch_changes_nothing(self, world: World) -> None:
        shop = ready(world)
        shop.import_batch(orders=NEW)
        before = state_of(shop)
        again = shop.import_batch(orders=NEW)
        assert again["imported"]["orders"] == len(NEW) - 1
        assert state_of(shop) == before
        shop.check_lists()

    def test_older_and_unsorted_orders(self, shop: Shop) -> None:
        """Entries come between others, and before all of them."""
        shop.import_batch(orders=[order(n) for n in (30, 31, 32, 33)])
        mixed = [order(n) for n in (5, 40, 3, 31_000, 20, 4, 35, 7, 6, 50, 51)]
        shop.import_batch(orders=mixed)
        numbers = [int(number[1:]) for number in shop.numbers()]
        assert numbers == sorted({30, 31, 32, 33, 5, 40, 3, 31_000, 20, 4, 35, 7, 6, 50, 51})
        shop.check_lists()

    def test_small_pages_share_a_leaf(self, shop: Shop) -> None:
        """Four orders a transaction, and four transactions a leaf."""
        shop.import_batch(orders=[order(0), order(1)])
        shop.import_batch(orders=[order(n) for n in range(2, 20)])
        for tree in (OrderList(shop.workspace).tree, OrderList(shop.workspace, shop.store_id).tree):
            nodes, _ = tree.rows.everything()
            assert [len(node.page_keys) for node in nodes if not node.level] == [0, 4]

    def test_too_large_transaction_is_retried_with_fewer_orders(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """In case the estimate is ever wrong, in rows or in pages."""
        for module in (chunks, loads):
            monkeypatch.setattr(module, "MAX_ITEMS", 10_000)
        with small_loads(ends=30, lookahead=100), transactions() as seen:
            shop.import_batch(orders=[order(n) for n in range(90)])
        assert max(map(len, chunks_of(seen))) <= MAX_ITEMS + 1
        assert len(shop.numbers()) == 90
        shop.check_lists()

    def test_ends_of_lists_are_rarely_checked(self, shop: Shop) -> None:
        """Only when they may have some: a few orders at once don't reach that."""
        with (
            small_loads(ends=30, lookahead=100),
            patch.object(loads, "missing_at_ends", wraps=loading.missing_at_ends) as queried,
        ):
            shop.import_batch(orders=[order(n) for n in range(100)])
        assert 2 <= queried.call_count <= 5, "not with each of some ten transactions and more"

    def test_fewer_transactions_than_orders(self, world: World) -> None:
        shop = ready(world)
        with small_loads(lookahead=50):
            shop.queue(orders=[order(n) for n in range(10, 30)])
            world.deliver_outbox()
            made = counted(shop.run_worker)
        assert made.count("TransactWriteItems") <= 8


def _is(row: Body, number: int) -> bool:
    return str(row["email"]).startswith(f"buyer{number}.")


@settings(max_examples=8, deadline=None)
@given(
    st.lists(CUSTOMERS, max_size=2),
    st.lists(ORDERS, max_size=3),
    st.lists(CUSTOMERS, max_size=3),
    st.lists(ORDERS, min_size=4, max_size=10),
    st.integers(2, 8),
)
def test_random_batch_equals_single_puts(
    known_customers: list[Body],
    known_orders: list[Body],
    customers: list[Body],
    orders: list[Body],
    lookahead: int,
) -> None:
    """The batch writes what its records would write, put one by one."""
    world = World()
    try:
        one, other = open_shop(world), open_shop(world)
        for shop in (one, other):
            put_all(shop, known_customers, known_orders)
        with small_loads(ends=1, lookahead=lookahead):
            done = one.import_batch(customers=customers, orders=orders)
        check(one, other, done, put_all(other, customers, orders))
    finally:
        world.close()


@pytest.mark.usefixtures("_small_loads")
class TestKilled:
    """A run that dies anywhere, and the next one, which continues."""

    @in_shards(2)
    def test_killed_at_any_call(self, world: World, shard: Shard) -> None:
        shop = ready(world)
        shop.queue(orders=NEW[:9])
        found = crashes(world, shop.run_worker, deliver=False)
        expected = outcome(shop)
        assert len(found.positions) > 20
        for positions in found.shard(shard):
            assert shop.run_worker() == []
            assert outcome(shop) == expected, positions


def put_own(shop: Shop) -> None:
    """The store puts one of the batch's orders, newer, of another buyer."""
    assert put(shop, "orders", OWN) in {200, 201}


def unsubscribe(shop: Shop) -> None:
    """A buyer of the batch's orders is put as an unsubscribed customer, whether known or not."""
    no = customer(11, 5, emailMarketingConsent="unsubscribed")
    assert put(shop, "customers", no) in {200, 201}


def erase(shop: Shop) -> None:
    """A person is erased who has an order and another one in the batch."""
    [known] = [row for row in shop.get("/profiles", pageSize=100)["items"] if _is(row, 0)]
    assert shop.owner.call("DELETE", f"/profiles/{known['id']}").status == 204


@pytest.mark.usefixtures("_small_loads")
class TestConcurrentWriters:
    """Other writers before any of the load's writes."""

    def each(self, world: World, act: Callable[[Shop], None]) -> Iterator[Shop]:
        """The store after a run with that write in between, for each write of the run."""
        shop = ready(world)
        shop.queue(orders=NEW[:9])
        back = world.checkpoint(deliver=False)
        writes = [name for name in counted(shop.run_worker) if "Write" in name]
        assert len(writes) > 6
        for number in range(1, len(writes) + 1):
            back()
            clear_key_cache()
            with before_write(number, lambda: act(shop)):
                assert shop.run_worker() == []
            world.deliver()
            shop.check_lists()
            rows = [row for row in world.rows(shop.workspace.key) if isinstance(row, OrderItem)]
            for tree in (OrderList(shop.workspace), OrderList(shop.workspace, shop.store_id)):
                listed = sorted(entry.id for entry in tree.tree.rows.everything()[1])
                assert listed == sorted(row.id for row in rows), number
            yield shop

    def test_order_put_concurrently(self, world: World) -> None:
        for shop in self.each(world, put_own):
            assert outcome(shop)["imported"]["orders"] == 8
            assert sorted(shop.numbers()) == sorted(
                ["#0", "#1", "#2", "#own", *(f"#{n}" for n in (10, 11, 12, 13, 15, 16, 17))]
            )
            bought = {row["email"].split(".")[0]: row for row in shop.get("/profiles")["items"]}
            assert shop.get(f"/profiles/{bought['buyer13']['id']}")["orders"] == 1

    def test_buyer_unsubscribed_concurrently(self, world: World) -> None:
        for shop in self.each(world, unsubscribe):
            assert outcome(shop)["imported"]["orders"] == 8
            [row] = [row for row in shop.get("/profiles")["items"] if _is(row, 11)]
            whole = shop.get(f"/profiles/{row['id']}")
            assert whole["emailMarketingConsent"] == "unsubscribed"
            assert whole["orders"] == 2

    def test_buyer_erased_concurrently(self, world: World) -> None:
        """Their old order has no buyer any more; the new one has a new profile, or none."""
        for shop in self.each(world, erase):
            orders = [r for r in world.rows(shop.workspace.key) if isinstance(r, OrderItem)]
            by_name = {row.external_id: row for row in orders}
            assert by_name["o-0"].profile_id is None
            live = {r.id for r in world.rows(shop.workspace.key) if isinstance(r, ProfileItem)}
            assert {row.profile_id for row in orders} <= live | {None}
            assert not [r for r in world.rows() if isinstance(r, ErasedProfileItem)]

    def test_store_disconnected_concurrently(self, world: World) -> None:
        """All orders that are stored by then are complete, and the import counts them."""
        for shop in self.each(world, Shop.disconnect):
            [shown] = shop.get(f"{shop.path}/imports")["items"]
            assert shown["status"] == "failed"
            assert len(shop.numbers()) == KNOWN + shown["imported"]["orders"]
