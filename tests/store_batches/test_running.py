"""The worker: what a batch does, in which order, and what ends it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from botocore.client import BaseClient

from local import functions
from local.functions import JobContext
from local.pumps import reader_of
from local.template import resources
from storepost.consent.model import Source
from storepost.consent.repository import ConsentChangeItem
from storepost.identity.model import KeyScope
from storepost.messaging.outbox import PARTITION, OutboxItem
from storepost.orders.repository import OrderItem
from storepost.orders.service import write_order
from storepost.persistence.changes import MOST_ITEMS
from storepost.problems import Conflict
from storepost.store_batches import chunks, records
from storepost.store_batches.running import MARGIN_MILLISECONDS, TRIES
from storepost.store_imports.model import ImportStatus
from tests.kills import around_calls, before_the_commit
from tests.orders.sample import eur
from tests.store_batches.shop import QUEUE, Shop, buyer, customer, order, orders
from tests.world import CANARY, World

FIRST_CHUNK, SECOND_CHUNK = 2, 3
"""Transactions of a run: the first is the import's start."""
DOLLARS = {"amount": 5, "currency": "USD"}


@contextmanager
def transactions() -> Iterator[list[list[dict[str, Any]]]]:
    """The items of each transaction inside the block."""
    seen: list[list[dict[str, Any]]] = []
    plain = BaseClient._make_api_call  # type: ignore[attr-defined]

    def call(self: Any, operation: str, parameters: Any) -> Any:
        if operation == "TransactWriteItems":
            seen.append(parameters["TransactItems"])
        return plain(self, operation, parameters)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BaseClient, "_make_api_call", call)
        yield seen


def chunks_of(seen: list[list[dict[str, Any]]]) -> list[list[dict[str, Any]]]:
    """Those of the transactions that hold orders."""
    return [items for items in seen if any("#order#" in key_of(item)[0] for item in items)]


def key_of(item: dict[str, Any]) -> tuple[str, str]:
    """The key of what an item of a transaction writes."""
    [(_, written)] = item.items()
    key = written.get("Key") or written["Item"]
    return key["pk"]["S"], key["sk"]["S"]


def slow(monkeypatch: pytest.MonkeyPatch, chunks_each: int) -> None:
    """Runs of the worker whose time is over after so many chunks and one more."""

    class Running(JobContext):
        def get_remaining_time_in_millis(self) -> int:
            self.remaining_milliseconds -= 1
            return self.remaining_milliseconds

    def context(name: str, milliseconds: int) -> JobContext:
        if name != reader_of(QUEUE).name:
            return JobContext(name, milliseconds)
        return Running(name, MARGIN_MILLISECONDS + chunks_each)

    monkeypatch.setattr(functions, "JobContext", context)


class TestOrder:
    """What comes first."""

    def test_customers_before_orders_each_as_they_stand(self, shop: Shop) -> None:
        """The order finds the customer that stands behind it in the request."""
        batch = {"orders": [order(0, customer={"externalId": "c-7"})], "customers": [customer(7)]}
        done = shop.bring(**batch)
        assert done["imported"] == {"customers": 1, "orders": 1, "products": 0}
        [profile] = shop.get("/profiles")["items"]
        assert profile["email"] == customer(7)["email"]
        assert shop.get(f"/profiles/{profile['id']}")["orders"] == 1

    def test_batches_in_turn(self, shop: Shop) -> None:
        ids = [shop.queue(orders=[order(0, number=name)]) for name in ("#a", "#b", "#c")]
        shop.world.deliver()
        assert shop.numbers() == ["#c"]
        moments = [shop.read(each)[name] for each in ids for name in ("startedAt", "completedAt")]
        assert moments == sorted(moments)

    def test_counts_and_stage_move_while_it_runs(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        queued = shop.queue(customers=[customer(n) for n in range(6)], orders=orders(6))
        shown: list[tuple[str, str | None, int, int]] = []

        def look() -> None:
            now = shop.read(queued)
            done = now["imported"]
            shown.append((now["status"], now["stage"], done["customers"], done["orders"]))

        monkeypatch.setattr(chunks, "AHEAD", 3)
        slow(monkeypatch, 0)
        look()
        while shown[-1][0] != "completed":
            assert shop.run_worker() == []
            look()
        assert shown == [
            ("queued", None, 0, 0),
            ("running", "customers", 3, 0),
            ("running", "orders", 6, 0),
            ("running", "orders", 6, 3),
            ("running", "orders", 6, 6),
            ("completed", None, 6, 6),
        ]


class TestRecords:
    """What becomes of a record."""

    def test_equal_moments_are_accepted_and_older_ones_change_nothing(self, shop: Shop) -> None:
        """Either counts as imported: what is held is at least as new as what was sent."""
        shop.bring(orders=[order(0, 5, number="#five"), order(1, 5)], customers=[customer(9, 5)])
        done = shop.bring(
            orders=[order(0, 4, number="#four"), order(1, 5, number="#equal")],
            customers=[customer(9, 4, firstName="Older")],
        )
        assert done["status"] == "completed"
        assert done["imported"] == {"customers": 1, "orders": 2, "products": 0}
        assert shop.problems(done["id"]) == []
        assert shop.numbers() == ["#five", "#equal"]
        [profile] = shop.get("/profiles", email=customer(9)["email"])["items"]
        assert profile["name"] == "Ann9"

    def test_what_was_deleted_stays_so_unless_it_is_newer(self, shop: Shop) -> None:
        shop.bring(orders=[order(0, 5), order(1, 5)])
        for number in (0, 1):
            assert shop.do("DELETE", f"/orders/o-{number}").status == 204
        done = shop.bring(orders=[order(0, 5), order(1, 6)])
        assert done["imported"]["orders"] == 2
        assert shop.numbers() == ["#1"]

    def test_a_problem_holds_nothing_up(self, shop: Shop) -> None:
        """It says where the record stands, and what is wrong with it."""
        line = {"title": "Tea", "quantity": 1, "unitPrice": DOLLARS, "totalDiscount": eur(0)}
        done = shop.bring(
            customers=[customer(0)],
            orders=[
                order(0),
                order(1, total=DOLLARS),
                order(2, total=DOLLARS, lineItems=[line]),
                order(3),
            ],
        )
        assert done["status"] == "completed"
        assert done["error"] is None
        assert done["imported"] == {"customers": 1, "orders": 2, "products": 0}
        assert shop.problems(done["id"]) == [
            {
                "index": 1,
                "externalId": "o-1",
                "code": "currency_mismatch",
                "detail": "/orders/1/total/currency: Must be EUR, the store's currency",
            },
            {
                "index": 2,
                "externalId": "o-2",
                "code": "currency_mismatch",
                "detail": "/orders/2/total/currency: Must be EUR, the store's currency"
                " (and 1 more)",
            },
        ]
        assert shop.numbers() == ["#0", "#3"]

    def test_more_than_a_row_holds_is_a_problem(self, shop: Shop) -> None:
        """DynamoDB says so only at the commit; those of its chunk are imported all the same."""
        names = ("title", "variantTitle", "sku", "productExternalId", "variantExternalId")
        line = {**dict.fromkeys(names, "é" * 255), "quantity": 1}
        lines = [{**line, "unitPrice": eur(1), "totalDiscount": eur(0)}] * 250
        done = shop.bring(orders=[order(0), order(1, lineItems=lines), order(2)])
        assert done["imported"]["orders"] == 2
        [problem] = shop.problems(done["id"])
        assert (problem["index"], problem["code"]) == (1, "payload_too_large")
        assert problem["detail"].startswith("/orders/1: ")
        assert shop.numbers() == ["#0", "#2"]

    def test_a_refusal_after_something_was_added_leaves_nothing_of_it(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        plain = write_order

        def refuses(store: Any, incoming: Any, changes: Any) -> Any:
            written = plain(store, incoming, changes)
            if incoming.number == "#1":
                raise Conflict()
            return written

        monkeypatch.setattr(records, "write_order", refuses)
        done = shop.bring(orders=orders(4))
        assert done["imported"]["orders"] == 3
        assert [problem["index"] for problem in shop.problems(done["id"])] == [1]
        assert shop.numbers() == ["#0", "#2", "#3"]
        shop.check_lists()

    def test_who_sent_it_is_whose_word_a_consent_is(self, world: World, shop: Shop) -> None:
        key = world.api_key(shop.workspace, KeyScope.WRITE, shop.owner)
        for number, token in enumerate((key, shop.owner.token)):
            body = [customer(number, emailMarketingConsent="subscribed")]
            shop.queue(token=token, customers=body)
        world.deliver()
        rows = [r for r in world.rows(shop.workspace.key) if isinstance(r, ConsentChangeItem)]
        by_address = {row.address: row for row in rows}
        by_key, by_person = (by_address[customer(n)["email"]] for n in (0, 1))
        made = world.key_of(key)
        assert (by_key.source, by_key.by, by_key.store_id) == (
            Source.API,
            made.name,
            shop.store_id,
        )
        assert by_key.proof == {"api_key_id": str(made.id)}
        assert (by_person.source, by_person.by, by_person.store_id) == (
            Source.MANUAL,
            shop.owner.name,
            shop.store_id,
        )
        assert by_person.proof == {"user_id": str(shop.owner.id)}


class TestChunks:
    """Records that have nothing to do with each other go together."""

    def test_in_their_order_entries_take_three_units_at_most(self, shop: Shop) -> None:
        """Each row and each node of a transaction is two; of both lists, with buyers all new."""
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

    def test_at_most_ninety_items_and_what_notes_them(self, shop: Shop) -> None:
        shop.queue(orders=[{**order(n), "customer": None} for n in range(120)])
        shop.queue(orders=orders(40))
        with transactions() as seen:
            shop.world.deliver()
        sizes = [len(items) for items in chunks_of(seen)]
        assert max(sizes) <= MOST_ITEMS + 1
        assert len(sizes) < 20
        shop.check_lists()

    def test_one_buyers_orders_are_chunks_of_their_own(self, shop: Shop) -> None:
        shop.queue(orders=[order(n, customer=buyer(0)) for n in range(4)])
        with transactions() as seen:
            shop.world.deliver()
        assert len(chunks_of(seen)) == 4
        [profile] = shop.get("/profiles")["items"]
        whole = shop.get(f"/profiles/{profile['id']}")
        assert (whole["orders"], whole["spent"]) == (4, [eur(100 + 101 + 102 + 103)])

    def test_people_who_are_one_only_by_what_is_held(self, shop: Shop) -> None:
        """One order has the email, the other the phone of somebody known."""
        email, phone = f"both.{CANARY}@example.com", "+436601234567"
        shop.bring(customers=[customer(0, email=email, phone=phone)])
        shop.bring(
            orders=[order(1, customer={"email": email}), order(2, customer={"phone": phone})]
        )
        [profile] = shop.get("/profiles")["items"]
        assert shop.get(f"/profiles/{profile['id']}")["orders"] == 2

    def test_rows_are_read_in_batches(self, shop: Shop) -> None:
        """Sixty orders of sixty people whom nobody knows: no row is read by itself."""
        shop.queue(orders=orders(60))
        counted = self.calls(shop)
        assert counted["BatchGetItem"] <= 12
        assert counted["GetItem"] <= 10

    def calls(self, shop: Shop) -> dict[str, int]:
        """How often the worker calls each operation."""
        with around_calls(lambda _number, _operation, _moment: None) as calls:
            assert shop.run_worker() == []
        return {name: calls.made.count(name) for name in set(calls.made)}

    def test_what_is_too_much_at_once_is_halved(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Should the weighing ever be wrong."""
        monkeypatch.setattr(chunks, "MOST_ITEMS", 10_000)
        shop.queue(orders=orders(25))
        with transactions() as seen:
            shop.world.deliver()
        assert shop.numbers() == [f"#{number}" for number in range(25)]
        assert max(len(items) for items in chunks_of(seen)) <= 100
        shop.check_lists()

    def test_what_reads_the_chunks_own_rows_after_all_waits(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Should nobody have foreseen that it would."""
        monkeypatch.setattr(chunks.Chunks, "_waits", lambda _self, _record: False)
        shop.bring(orders=[order(n, customer=buyer(n // 2)) for n in range(8)])
        people = [shop.get(f"/profiles/{row['id']}") for row in shop.get("/profiles")["items"]]
        assert [each["orders"] for each in people] == [2, 2, 2, 2]
        shop.check_lists()


class TestDisconnected:
    """What is open when its store is disconnected has failed."""

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

    def test_while_it_runs_what_it_brought_stays(self, shop: Shop) -> None:
        queued = shop.queue(orders=orders(25))
        with before_the_commit(shop.disconnect, SECOND_CHUNK):
            assert shop.run_worker() == []
        brought = self.failed(shop, queued)["imported"]["orders"]
        assert 0 < brought < 25
        assert len(shop.numbers()) == brought
        shop.check_lists()

    def test_connected_again_meanwhile(self, shop: Shop) -> None:
        """What was sent before belongs to the connection that ended."""
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
            shop.bring(orders=[order(10 + number)])
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
    """What can't go on doesn't hold up what waits behind it."""

    def test_an_object_that_is_gone(self, shop: Shop) -> None:
        first = shop.queue(orders=orders(3))
        shop.world.forget_objects()
        second = shop.queue(orders=[order(7)])
        shop.world.deliver()
        shown = shop.read(first)
        assert (shown["status"], shown["error"]) == ("failed", "import_failed")
        assert shop.read(second)["status"] == "completed"

    def test_an_object_that_says_something_else(self, shop: Shop) -> None:
        queued = shop.queue(orders=orders(3))
        shop.world.forget_objects(instead=b'{"orders": [{}]}')
        shop.world.deliver()
        assert shop.read(queued)["error"] == "import_failed"

    def test_fails_again_and_again(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        """It is tried as often as the queue tries, then it has failed and the next goes on."""
        first, second = shop.queue(orders=orders(3)), shop.queue(orders=[order(7)])
        plain = write_order

        def fails(store: Any, incoming: Any, changes: Any) -> Any:
            if incoming.number == "#1":
                raise ZeroDivisionError
            return plain(store, incoming, changes)

        monkeypatch.setattr(records, "write_order", fails)
        for tries in range(1, TRIES):
            assert shop.run_worker(tries) == ["m-1"]
            assert shop.read(first)["status"] == "running"
        assert shop.run_worker(TRIES) == []
        shown = shop.read(first)
        assert (shown["status"], shown["error"]) == ("failed", "import_failed")
        assert shop.read(second)["status"] == "queued"
        shop.world.deliver()
        assert shop.read(second)["status"] == "completed"

    def test_the_queue_tries_as_often(self) -> None:
        redrive = resources("AWS::SQS::Queue")[QUEUE]["RedrivePolicy"]
        assert redrive["maxReceiveCount"] == TRIES

    def test_a_store_that_has_nothing_open(self, shop: Shop) -> None:
        shop.bring(orders=orders(1))
        before = [row.serialize() for row in shop.world.rows(shop.workspace.key)]
        assert shop.run_worker() == []
        assert [row.serialize() for row in shop.world.rows(shop.workspace.key)] == before


class TestTime:
    """An invocation ends in time, and the next goes on where it stood."""

    def waiting(self, shop: Shop) -> list[str]:
        """What the outbox has for the worker."""
        rows = [row for row in shop.world.rows(PARTITION) if isinstance(row, OutboxItem)]
        return [message.body for row in rows for message in row.messages]

    @pytest.mark.parametrize("chunks_each", [0, 1, 2])
    def test_the_last_chunk_brings_the_next_message(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch, chunks_each: int
    ) -> None:
        monkeypatch.setattr(chunks, "AHEAD", 3)
        ids = [shop.queue(orders=orders(12, first)) for first in (0, 12)]
        shop.world.deliver_outbox()
        slow(monkeypatch, chunks_each)
        runs = 0
        assert shop.run_worker() == []
        while self.waiting(shop):
            [message] = {json.dumps(json.loads(each)) for each in self.waiting(shop)}
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
        monkeypatch.setattr(chunks, "AHEAD", 4)
        queued = shop.queue(orders=orders(20))
        slow(monkeypatch, 0)
        shop.world.deliver()
        assert shop.read(queued)["status"] == "completed"
        assert len(shop.numbers()) == 20


class TestOthers:
    """Somebody else writes meanwhile."""

    def test_a_put_of_the_same_order_in_between(self, shop: Shop) -> None:
        """The chunk is a lost race, and finds the newer one."""
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

    def test_another_run_of_the_same_message_in_between(self, shop: Shop) -> None:
        """Both are told of the same store; each record is written once."""
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

    def test_a_batch_is_sent_while_another_starts(self, shop: Shop) -> None:
        first = shop.queue(orders=[order(0)])
        later: list[str] = []
        with before_the_commit(lambda: later.append(shop.queue(orders=[order(1)]))):
            assert shop.run_worker() == []
        assert [shop.read(each)["status"] for each in (first, *later)] == ["completed"] * 2
        assert shop.turns().waiting == 0
