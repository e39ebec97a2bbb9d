"""How large a batch may be, and how many may wait."""

import json
from dataclasses import replace

from storepost.api.http.app import BODY_BYTES, LARGE_BODY_BYTES
from storepost.platform.persistence.changes import Changes
from storepost.stores.imports.model import ImportScope, ImportStatus
from storepost.stores.imports.repository import TurnsRepository
from storepost.stores.imports.turns import Turns
from storepost.sync.batches.service import MAX_WAITING
from tests.harness.call_interruption import before_the_commit
from tests.harness.world import CANARY
from tests.orders.sample import eur
from tests.sync.batches.batch_store import Shop, order, orders


class TestRecords:
    """At most 500, whatever they are."""

    def test_500_records_are_imported(self, shop: Shop) -> None:
        done = shop.import_batch(orders=[{**order(n), "customer": None} for n in range(500)])
        assert (done["status"], done["imported"]["orders"]) == ("completed", 500)
        listed = shop.get("/orders", sort="placedAt", pageSize=100, page=5)
        assert listed["total"] == 500
        assert [row["number"] for row in listed["items"]] == [f"#{n}" for n in range(400, 500)]
        shop.check_lists()


class TestSize:
    """The body of a batch may have 5 MB."""

    def body(self, size: int) -> bytes:
        """A batch of exactly so many bytes, padded with spaces."""
        batch = json.dumps({"orders": orders(3)}).encode()
        return batch[:-1] + b" " * (size - len(batch)) + batch[-1:]

    def test_body_above_default_limit_is_accepted(self, shop: Shop) -> None:
        for size in (BODY_BYTES + 1, LARGE_BODY_BYTES):
            body = self.body(size)
            assert len(body) == size
            assert shop.owner.call("POST", f"{shop.path}/batches", body=body).status == 202

    def test_body_one_byte_too_large_is_refused(self, shop: Shop) -> None:
        answer = shop.owner.call(
            "POST", f"{shop.path}/batches", body=self.body(LARGE_BODY_BYTES + 1)
        )
        assert answer.problem() == (413, "payload_too_large")
        assert shop.world.objects() == {}

    def test_largest_batch_is_imported(self, shop: Shop) -> None:
        """Each order is as large as 5 MB allow."""
        line = {"quantity": 1, "unitPrice": eur(1), "totalDiscount": eur(0)}
        lines = [{"title": f"{CANARY} {'x' * 240}", **line} for _ in range(240)]
        batch = [order(number, lineItems=lines) for number in range(54)]
        assert 4_400_000 < len(json.dumps({"orders": batch})) < LARGE_BODY_BYTES
        done = shop.import_batch(orders=batch)
        assert (done["status"], done["imported"]["orders"]) == ("completed", 54)


class TestBacklog:
    """At most 100 batches of a store wait."""

    def with_waiting(self, shop: Shop, count: int) -> None:
        """A store with so many waiting imports, by its turns."""
        turns, changes = shop.turns(), Changes()
        waiting = {(ImportScope.CUSTOMERS_ORDERS, ImportStatus.QUEUED): count}
        TurnsRepository(shop.workspace).save(changes, replace(turns, counts=waiting))
        changes.commit()

    def test_batch_beyond_100_waiting_ones_is_refused(self, shop: Shop) -> None:
        self.with_waiting(shop, MAX_WAITING - 1)
        assert shop.send(orders=orders(1)).status == 202
        answer = shop.send(orders=orders(1))
        assert answer.problem() == (429, "batch_backlog")
        assert int(answer.header("retry-after") or 0) > 0
        assert shop.turns().waiting == MAX_WAITING

    def test_refusal_is_not_replayed(self, shop: Shop) -> None:
        self.with_waiting(shop, MAX_WAITING)
        assert shop.send(orders=orders(1), key="k").status == 429
        assert shop.world.objects() == {}
        self.with_waiting(shop, MAX_WAITING - 1)
        assert shop.send(orders=orders(1), key="k").status == 202

    def test_backlog_is_per_store(self, shop: Shop) -> None:
        self.with_waiting(shop, MAX_WAITING)
        other = replace(shop, store=shop.world.store(shop.owner))
        assert other.send(orders=orders(1)).status == 202

    def test_last_place_is_taken_by_one_of_two(self, shop: Shop) -> None:
        self.with_waiting(shop, MAX_WAITING - 1)
        between: list[int] = []
        with before_the_commit(lambda: between.append(shop.send(orders=orders(1)).status)):
            answer = shop.send(orders=orders(2))
        assert between == [202]
        assert answer.problem() == (429, "batch_backlog")

    def test_completed_batch_is_not_waiting(self, shop: Shop) -> None:
        shop.queue(orders=orders(1))
        assert shop.turns().waiting == 1
        shop.world.deliver()
        assert shop.turns().waiting == 0
        assert shop.turns() == Turns(
            shop.store_id,
            {(ImportScope.CUSTOMERS_ORDERS, ImportStatus.COMPLETED): 1},
            latest=shop.turns().latest,
            latest_of=shop.turns().latest_of,
            queued_at=shop.turns().queued_at,
            ended=shop.turns().latest,
            outcome=ImportStatus.COMPLETED,
        )
