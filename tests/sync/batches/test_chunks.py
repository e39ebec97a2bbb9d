"""The worker: which records share a transaction, and concurrent writers."""

import pytest

from storepost.orders.repository import OrderItem
from storepost.platform.persistence.changes import MAX_ITEMS
from storepost.sync.batches import chunks
from tests.harness.call_interruption import around_calls, before_the_commit
from tests.harness.world import CANARY
from tests.orders.sample import eur
from tests.sync.batches.batch_store import Shop, buyer, customer, order, orders
from tests.sync.batches.watching import (
    FIRST_CHUNK,
    SECOND_CHUNK,
    chunks_of,
    key_of,
    transactions,
)


class TestChunks:
    """Independent records share a transaction."""

    def test_ordered_list_entries_take_at_most_three_write_units(self, shop: Shop) -> None:
        """Each row and node of a transaction is two units; for two lists, with only new buyers."""
        shop.queue(orders=orders(60))
        with transactions() as seen:
            shop.world.deliver()
        for tree in ("#orders#placed", "#placed"):
            rows = nodes = 0
            for items in chunks_of(seen):
                keys = [pk for pk, _ in map(key_of, items)]
                rows += sum(pk.endswith(tree) for pk in keys)
                nodes += sum(pk.endswith(f"{tree}#nodes") for pk in keys)
            assert rows >= 60
            assert 2 * (rows + nodes) / rows <= 3

    def test_transaction_has_at_most_ninety_items_and_progress(self, shop: Shop) -> None:
        shop.queue(orders=[{**order(n), "customer": None} for n in range(120)])
        shop.queue(orders=orders(40))
        with transactions() as seen:
            shop.world.deliver()
        sizes = [len(items) for items in chunks_of(seen)]
        assert max(sizes) <= MAX_ITEMS + 1
        assert len(sizes) < 20
        shop.check_lists()

    def test_only_new_orders_of_one_buyer_share_a_chunk(self, shop: Shop) -> None:
        for spent, count in ((100 + 101 + 102 + 103, 1), (4, 4)):
            more = {} if count == 1 else {"total": eur(1)}
            shop.queue(orders=[order(n, customer=buyer(0), **more) for n in range(4)])
            with transactions() as seen:
                shop.world.deliver()
            assert len(chunks_of(seen)) == count
            [profile] = shop.get("/profiles")["items"]
            whole = shop.get(f"/profiles/{profile['id']}")
            assert (whole["orders"], whole["spent"]) == (4, [eur(spent)])

    def test_orders_of_known_person_by_email_and_by_phone(self, shop: Shop) -> None:
        """One order has the email, the other the phone of a known person."""
        email, phone = f"both.{CANARY}@example.com", "+436601234567"
        shop.import_batch(customers=[customer(0, email=email, phone=phone)])
        shop.import_batch(
            orders=[order(1, customer={"email": email}), order(2, customer={"phone": phone})]
        )
        [profile] = shop.get("/profiles")["items"]
        assert shop.get(f"/profiles/{profile['id']}")["orders"] == 2

    def test_rows_are_read_in_batches(self, shop: Shop) -> None:
        """Sixty orders of sixty unknown people: no row is read by itself."""
        shop.queue(orders=orders(60))
        counted = self.calls(shop)
        assert counted["BatchGetItem"] <= 12
        assert counted["GetItem"] <= 10

    def calls(self, shop: Shop) -> dict[str, int]:
        """How often the worker calls each operation."""
        with around_calls(lambda _number, _operation, _moment: None) as calls:
            assert shop.run_worker() == []
        return {name: calls.made.count(name) for name in set(calls.made)}

    def test_too_large_transaction_is_halved(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """In case the estimate is ever wrong."""
        monkeypatch.setattr(chunks, "MAX_ITEMS", 10_000)
        shop.queue(orders=orders(25))
        with transactions() as seen:
            shop.world.deliver()
        assert shop.numbers() == [f"#{number}" for number in range(25)]
        assert max(len(items) for items in chunks_of(seen)) <= 100
        shop.check_lists()

    def test_record_that_reads_rows_of_its_own_chunk_waits(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """In case that wasn't foreseen."""
        monkeypatch.setattr(chunks.Chunks, "_waits", lambda _self, _record: False)
        shop.import_batch(orders=[order(n, customer=buyer(n // 2)) for n in range(8)])
        people = [shop.get(f"/profiles/{row['id']}") for row in shop.get("/profiles")["items"]]
        assert [each["orders"] for each in people] == [2, 2, 2, 2]
        shop.check_lists()


class TestConcurrentWriters:
    """Other writers meanwhile."""

    def test_concurrent_put_of_same_order(self, shop: Shop) -> None:
        """The chunk loses its race, and reads the newer order."""
        queued = shop.queue(orders=orders(3))
        body = order(1, 9, number="#newer")
        del body["externalId"]
        put: list[int] = []
        with before_the_commit(
            lambda: put.append(shop.do("PUT", "/orders/o-1", body).status), FIRST_CHUNK
        ):
            assert shop.run_worker() == []
        assert put == [201]
        assert shop.read(queued)["imported"]["orders"] == 3
        assert shop.numbers() == ["#0", "#newer", "#2"]
        shop.check_lists()

    def test_concurrent_run_of_same_message(self, shop: Shop) -> None:
        """Both runs are for the same store; each record is written once."""
        queued = shop.queue(customers=[customer(0)], orders=orders(30))
        other: list[list[str]] = []
        with before_the_commit(lambda: other.append(shop.run_worker()), SECOND_CHUNK):
            assert shop.run_worker() == []
        assert other == [[]]
        assert shop.read(queued)["imported"] == {"customers": 1, "orders": 30, "products": 0}
        assert len(shop.numbers()) == 30
        rows = [row for row in shop.world.rows(shop.workspace.key) if isinstance(row, OrderItem)]
        assert {row.version for row in rows} == {1}
        shop.check_lists()

    def test_batch_sent_while_another_starts(self, shop: Shop) -> None:
        first = shop.queue(orders=[order(0)])
        later: list[str] = []
        with before_the_commit(lambda: later.append(shop.queue(orders=[order(1)]))):
            assert shop.run_worker() == []
        assert [shop.read(each)["status"] for each in (first, *later)] == ["completed"] * 2
        assert shop.turns().waiting == 0
