"""The worker: what ends an import, and what the next run continues."""

import json
from typing import Any

import pytest

from local.template import resources
from storepost.orders import loading, service
from storepost.orders.model import Order
from storepost.orders.service import write_order
from storepost.platform.messaging.tries import RECEIVES, TRIES
from storepost.stores.imports.model import ImportStatus
from storepost.sync.batches import chunks, records
from tests.harness.call_interruption import before_the_commit
from tests.sync.batches.batch_store import QUEUE, Shop, order, orders
from tests.sync.batches.watching import (
    FIRST_CHUNK,
    SECOND_CHUNK,
    slow,
    transactions,
)


class TestDisconnected:
    """Imports that are open when their store is disconnected have failed."""

    def failed(self, shop: Shop, import_id: str) -> dict[str, Any]:
        shown = shop.read(import_id)
        assert (shown["status"], shown["error"]) == ("failed", "store_disconnected")
        assert shown["completedAt"] is not None
        assert shown["stage"] is None
        return shown

    def test_queued_imports_fail(self, shop: Shop) -> None:
        ids = [shop.queue(orders=orders(2)) for _ in range(3)]
        with transactions() as seen:
            shop.disconnect()
        assert len(seen[0]) <= 6
        shown = [self.failed(shop, each) for each in ids]
        assert len({each["completedAt"] for each in shown}) == 1
        assert all(each["startedAt"] is None for each in shown)
        listed = shop.get(f"{shop.path}/imports", status="failed")
        assert [row["id"] for row in listed["items"]] == ids[::-1]
        assert listed["total"] == 3
        assert shop.get(f"{shop.path}/imports", status="queued")["total"] == 0
        shop.world.deliver()
        assert shop.numbers() == []

    def test_disconnected_while_being_queued(self, shop: Shop) -> None:
        """The disconnection read no open import, and the request read a connected store."""
        with before_the_commit(shop.disconnect):
            answer = shop.send(orders=orders(2))
        assert answer.status == 202
        shop.world.deliver()
        self.failed(shop, answer.json["id"])
        assert shop.numbers() == []
        assert shop.turns().status == "failed"

    def test_running_import_fails_and_its_records_remain(self, shop: Shop) -> None:
        queued = shop.queue(orders=orders(25))
        with before_the_commit(shop.disconnect, SECOND_CHUNK):
            assert shop.run_worker() == []
        imported_orders = self.failed(shop, queued)["imported"]["orders"]
        assert 0 < imported_orders < 25
        assert len(shop.numbers()) == imported_orders
        shop.check_lists()

    def test_imports_of_former_connection_fail_after_reconnection(self, shop: Shop) -> None:
        """Batches that were sent before belong to the connection that ended."""
        before = [shop.queue(orders=[order(0)]), shop.queue(orders=[order(1)])]
        shop.disconnect()
        shop.connect_again()
        after = shop.queue(orders=[order(2)])
        for each in before:
            self.failed(shop, each)
        assert shop.read(after)["status"] == "queued"
        shop.world.deliver()
        assert shop.read(after)["status"] == "completed"
        for each in before:
            self.failed(shop, each)
        assert shop.numbers() == ["#2"]

    def test_repeated_disconnections_have_separate_ends(self, shop: Shop) -> None:
        ends = []
        for number in range(3):
            queued = [shop.queue(orders=[order(number)]) for _ in range(2)]
            shop.disconnect()
            ends.append({self.failed(shop, each)["completedAt"] for each in queued})
            shop.world.advance(seconds=1)
            shop.connect_again()
            shop.import_batch(orders=[order(10 + number)])
        assert len(set().union(*ends)) == 3
        assert shop.turns().total(None, [ImportStatus.FAILED]) == 6
        assert shop.numbers() == ["#10", "#11", "#12"]

    def test_disconnected_before_last_chunk(self, shop: Shop) -> None:
        queued = shop.queue(orders=orders(1))
        with before_the_commit(shop.disconnect, FIRST_CHUNK):
            assert shop.run_worker() == []
        assert self.failed(shop, queued)["imported"]["orders"] == 0
        assert shop.numbers() == []


class TestFailing:
    """An import that can't continue doesn't delay those that wait."""

    def test_missing_s3_object_fails_import(self, shop: Shop) -> None:
        first = shop.queue(orders=orders(3))
        shop.world.delete_objects()
        second = shop.queue(orders=[order(7)])
        shop.world.deliver()
        shown = shop.read(first)
        assert (shown["status"], shown["error"]) == ("failed", "import_failed")
        assert shop.read(second)["status"] == "completed"

    def test_reconnection_during_failure_does_not_fail_next_import(self, shop: Shop) -> None:
        """Another import's turn begins before the failure is written."""
        gone, later = shop.queue(orders=orders(3)), list[str]()
        shop.world.delete_objects()

        def meanwhile() -> None:
            shop.disconnect()
            shop.connect_again()
            later.append(shop.queue(orders=[order(7)]))

        with before_the_commit(meanwhile):
            assert shop.run_worker() == []
        assert shop.read(gone)["error"] == "store_disconnected"
        assert [shop.read(each)["status"] for each in later] == ["completed"]
        assert shop.numbers() == ["#7"]

    def test_malformed_s3_object_fails_import(self, shop: Shop) -> None:
        queued = shop.queue(orders=orders(3))
        shop.world.delete_objects(instead=b'{"orders": {}}')
        shop.world.deliver()
        assert shop.read(queued)["error"] == "import_failed"

    def test_import_fails_after_all_tries(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It is tried as often as the queue delivers; then it has failed and the next one runs."""
        first, second = shop.queue(orders=orders(3)), shop.queue(orders=[order(7)])

        def fails(_changes: Any, _store: Any, _before: Any, order: Order) -> None:
            if order.number == "#1":
                raise ZeroDivisionError

        for module in (loading, service):
            monkeypatch.setattr(module, "use_codes", fails)
        for tries in range(1, TRIES):
            assert shop.run_worker(tries) == ["m-1"]
            assert shop.read(first)["status"] == "running"
        assert shop.run_worker(TRIES) == []
        shown = shop.read(first)
        assert (shown["status"], shown["error"]) == ("failed", "import_failed")
        assert shop.read(second)["status"] == "queued"
        shop.world.deliver()
        assert shop.read(second)["status"] == "completed"

    def test_import_whose_last_try_was_killed_fails(self, shop: Shop) -> None:
        """The queue delivers the message once more for that; the next import has its own."""
        first, second = shop.queue(orders=orders(3)), shop.queue(orders=[order(7)])
        assert shop.run_worker(RECEIVES) == []
        shown = shop.read(first)
        assert (shown["status"], shown["error"]) == ("failed", "import_failed")
        assert shown["imported"] == {"customers": 0, "orders": 0, "products": 0}
        shop.world.deliver()
        assert shop.read(second)["status"] == "completed"

    def test_next_import_gets_all_its_tries(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The message's last try ends the first import; the next one fails once."""
        first, second = shop.queue(orders=[order(0)]), shop.queue(orders=[order(1)])
        shop.world.deliver_outbox()
        plain, failures = write_order, [ZeroDivisionError()]

        def fails(store: Any, incoming: Any, changes: Any) -> Any:
            if incoming.number == "#1" and failures:
                raise failures.pop()
            return plain(store, incoming, changes)

        monkeypatch.setattr(records, "write_order", fails)
        assert shop.run_worker(TRIES) == []
        assert [shop.read(each)["status"] for each in (first, second)] == ["completed", "queued"]
        [message] = shop.messages()
        assert json.loads(message.body) == json.loads(shop.message)
        assert shop.run_worker(1) == ["m-1"]
        assert shop.read(second)["status"] == "running"
        assert shop.run_worker(2) == []
        assert shop.read(second)["status"] == "completed"

    def test_redrive_policy_matches_number_of_tries(self) -> None:
        redrive = resources("AWS::SQS::Queue")[QUEUE]["RedrivePolicy"]
        assert redrive["maxReceiveCount"] == RECEIVES

    def test_store_without_open_imports(self, shop: Shop) -> None:
        shop.import_batch(orders=orders(1))
        before = [row.serialize() for row in shop.world.rows(shop.workspace.key)]
        assert shop.run_worker() == []
        assert [row.serialize() for row in shop.world.rows(shop.workspace.key)] == before


class TestTime:
    """An invocation ends in time, and the next one continues where it ended."""

    @pytest.mark.parametrize("chunks_each", [0, 1, 2])
    def test_run_out_of_time_queues_next_message(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch, chunks_each: int
    ) -> None:
        monkeypatch.setattr(chunks, "READ_AHEAD", 3)
        ids = [shop.queue(orders=orders(12, first)) for first in (0, 12)]
        shop.world.deliver_outbox()
        slow(monkeypatch, chunks_each)
        runs = 0
        assert shop.run_worker() == []
        while messages := shop.messages():
            [message] = {each.body for each in messages}
            assert json.loads(message) == json.loads(shop.message)
            runs += 1
            assert runs < 40
            shop.world.deliver_outbox()
            assert shop.run_worker(message=message) == []
        assert runs >= 24 // (3 * (chunks_each + 1)) - 2
        assert [shop.read(each)["status"] for each in ids] == ["completed", "completed"]
        assert shop.numbers() == [f"#{number}" for number in range(24)]
        shop.check_lists()

    def test_import_completes_over_several_runs(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(chunks, "READ_AHEAD", 4)
        queued = shop.queue(orders=orders(20))
        slow(monkeypatch, 0)
        shop.world.deliver()
        assert shop.read(queued)["status"] == "completed"
        assert len(shop.numbers()) == 20
