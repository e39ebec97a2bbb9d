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

    def test_before_its_turn(self, shop: Shop) -> None:
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

    def test_in_the_moment_in_which_it_is_queued(self, shop: Shop) -> None:
        """The disconnection read no open import, and the request read a connected store."""
        with before_the_commit(shop.disconnect):
            answer = shop.send(orders=orders(2))
        assert answer.status == 202
        shop.world.deliver()
        self.failed(shop, answer.json["id"])
        assert shop.numbers() == []
        assert shop.turns().status == "failed"

    def test_while_it_runs_what_it_brought_stays(self, shop: Shop) -> None:
        queued = shop.queue(orders=orders(25))
        with before_the_commit(shop.disconnect, SECOND_CHUNK):
            assert shop.run_worker() == []
        imported_orders = self.failed(shop, queued)["imported"]["orders"]
        assert 0 < imported_orders < 25
        assert len(shop.numbers()) == imported_orders
        shop.check_lists()

    def test_connected_again_meanwhile(self, shop: Shop) -> None:
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

    def test_again_and_again_each_has_its_own_end(self, shop: Shop) -> None:
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

    def test_just_before_its_last_chunk_is_written(self, shop: Shop) -> None:
        queued = shop.queue(orders=orders(1))
        with before_the_commit(shop.disconnect, FIRST_CHUNK):
            assert shop.run_worker() == []
        assert self.failed(shop, queued)["imported"]["orders"] == 0
        assert shop.numbers() == []


class TestFailing:
    """An import that can't continue doesn't delay those that wait."""

    def test_an_object_that_is_gone(self, shop: Shop) -> None:
        first = shop.queue(orders=orders(3))
        shop.world.delete_objects()
        second = shop.queue(orders=[order(7)])
        shop.world.deliver()
        shown = shop.read(first)
        assert (shown["status"], shown["error"]) == ("failed", "import_failed")
        assert shop.read(second)["status"] == "completed"

    def test_only_the_import_that_can_not_go_on(self, shop: Shop) -> None:
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

    def test_an_object_that_says_something_else(self, shop: Shop) -> None:
        queued = shop.queue(orders=orders(3))
        shop.world.delete_objects(instead=b'{"orders": {}}')
        shop.world.deliver()
        assert shop.read(queued)["error"] == "import_failed"

    def test_fails_again_and_again(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
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

    def test_one_whose_last_try_was_killed_fails_untried(self, shop: Shop) -> None:
        """The queue delivers the message once more for that; the next import has its own."""
        first, second = shop.queue(orders=orders(3)), shop.queue(orders=[order(7)])
        assert shop.run_worker(RECEIVES) == []
        shown = shop.read(first)
        assert (shown["status"], shown["error"]) == ("failed", "import_failed")
        assert shown["imported"] == {"customers": 0, "orders": 0, "products": 0}
        shop.world.deliver()
        assert shop.read(second)["status"] == "completed"

    def test_what_waited_behind_has_tries_of_its_own(
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

    def test_the_queue_tries_as_often(self) -> None:
        redrive = resources("AWS::SQS::Queue")[QUEUE]["RedrivePolicy"]
        assert redrive["maxReceiveCount"] == RECEIVES

    def test_a_store_that_has_nothing_open(self, shop: Shop) -> None:
        shop.import_batch(orders=orders(1))
        before = [row.serialize() for row in shop.world.rows(shop.workspace.key)]
        assert shop.run_worker() == []
        assert [row.serialize() for row in shop.world.rows(shop.workspace.key)] == before


class TestTime:
    """An invocation ends in time, and the next one continues where it ended."""

    @pytest.mark.parametrize("chunks_each", [0, 1, 2])
    def test_the_last_chunk_brings_the_next_message(
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

    def test_delivered_to_the_end(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(chunks, "READ_AHEAD", 4)
        queued = shop.queue(orders=orders(20))
        slow(monkeypatch, 0)
        shop.world.deliver()
        assert shop.read(queued)["status"] == "completed"
        assert len(shop.numbers()) == 20
