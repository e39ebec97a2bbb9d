"""Taking batches, an operation a class."""

import json
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from storepost.http.app import BODY_BYTES, LARGE_BODY_BYTES
from storepost.identity.model import KeyScope
from storepost.messaging.outbox import PARTITION, OutboxItem
from storepost.persistence.changes import Changes
from storepost.store_batches.service import MOST_WAITING
from storepost.store_imports.model import ImportScope, ImportStatus
from storepost.store_imports.repository import TurnsRepository
from storepost.store_imports.turns import Turns
from storepost.stores.model import Platform
from storepost.stores.repository import StoreRepository
from tests.kills import before_the_commit
from tests.orders.sample import eur
from tests.store_batches.shop import Shop, customer, open_shop, order, orders
from tests.world import CANARY, World


class TestCreateBatch:
    """POST /stores/{id}/batches."""

    def test_anonymous(self, world: World) -> None:
        answer = world.call("POST", f"/stores/{uuid4()}/batches", json_body={})
        assert answer.problem() == (401, "unauthenticated")

    def test_scope_too_small(self, world: World, shop: Shop) -> None:
        key = world.api_key(shop.workspace, KeyScope.PROPOSE, shop.owner)
        assert shop.send(token=key, orders=orders(1)).problem() == (403, "scope")

    def test_an_id_that_is_none(self, shop: Shop) -> None:
        answer = replace(shop, store="x").send(orders=orders(1))
        assert answer.error_paths() == ["path.id"]

    def test_unknown_and_anothers_store(self, world: World, shop: Shop) -> None:
        stranger = open_shop(world)
        for store in (str(uuid4()), stranger.store):
            answer = replace(shop, store=store).send(orders=orders(1))
            assert answer.problem() == (404, "not_found")

    def test_a_platforms_store(self, shop: Shop) -> None:
        repository, changes = StoreRepository(shop.workspace), Changes()
        held = repository.get(shop.store_id)
        assert held is not None
        repository.save(changes, replace(held, platform=Platform.SHOPIFY))
        changes.commit()
        answer = shop.send(orders=orders(1))
        assert answer.problem() == (409, "store_managed_by_platform")

    def test_a_disconnected_store(self, shop: Shop) -> None:
        shop.disconnect()
        assert shop.send(orders=orders(1)).problem() == (409, "store_disconnected")
        assert shop.world.objects() == {}

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, [""]),
            ({"orders": [], "customers": []}, [""]),
            ({"products": []}, ["/products"]),
            ({"orders": None}, ["/orders"]),
            ({"orders": {}}, ["/orders"]),
            ({"orders": ["o-1"]}, ["/orders/0"]),
            ({"orders": [order(0), {**order(1), "colour": "red"}]}, ["/orders/1/colour"]),
            (
                {"orders": [*orders(3), order(3, total={"amount": "1", "currency": "EUR"})]},
                ["/orders/3/total/amount"],
            ),
            (
                {"customers": [customer(0, email="nobody")], "orders": [order(0, number="")]},
                ["/customers/0/email", "/orders/0/number"],
            ),
            ({"customers": [customer(0, externalId="null")]}, ["/customers/0/externalId"]),
            ({"orders": [order(0, externalId="")]}, ["/orders/0/externalId"]),
            (
                {"orders": [{k: v for k, v in order(0).items() if k != "externalId"}]},
                ["/orders/0/externalId"],
            ),
            (
                {"orders": [order(0, lineItems=[{"title": "Tea"}])]},
                [
                    f"/orders/0/lineItems/0/{name}"
                    for name in ("quantity", "unitPrice", "totalDiscount")
                ],
            ),
        ],
    )
    def test_bad_input(self, shop: Shop, body: dict[str, Any], paths: list[str]) -> None:
        assert shop.send(**body).error_paths() == paths
        assert shop.world.objects() == {}

    def test_at_most_500_records_together(self, shop: Shop) -> None:
        many = orders(501)
        assert shop.send(orders=many).error_paths() == ["/orders"]
        customers = [customer(number) for number in range(251)]
        assert shop.send(customers=customers, orders=many[:250]).error_paths() == [""]
        assert shop.send(customers=customers[:250], orders=many[:250]).status == 202

    def test_more_errors_than_anybody_reads_are_not_looked_for(self, shop: Shop) -> None:
        line: dict[str, Any] = {}
        wrong = [{**order(n), "lineItems": [line] * 250} for n in range(500)]
        paths = shop.send(orders=wrong).error_paths()
        assert len(paths) == 4 * 250
        assert {path.split("/")[2] for path in paths} == {"0"}
        some = [order(number, number="") for number in range(500)]
        assert len(shop.send(orders=some).error_paths()) == 100

    def test_is_queued(self, shop: Shop) -> None:
        answer = shop.send(customers=[customer(0)], orders=orders(2))
        assert answer.status == 202
        queued = {
            "id": answer.json["id"],
            "scope": "customers_orders",
            "status": "queued",
            "stage": None,
            "requestedBy": {"id": str(shop.owner.id), "name": shop.owner.name},
            "imported": {"customers": 0, "orders": 0, "products": 0},
            "error": None,
            "queuedAt": answer.json["queuedAt"],
            "startedAt": None,
            "completedAt": None,
        }
        assert answer.json == queued
        assert shop.read(answer.json["id"]) == queued
        [row] = [row for row in shop.world.rows(PARTITION) if isinstance(row, OutboxItem)]
        [message] = row.messages
        assert row.queue == "store_imports"
        assert json.loads(message.body) == {
            "workspaceId": str(shop.workspace.id),
            "storeId": shop.store,
        }
        assert message.group == shop.store
        [content] = shop.world.objects().values()
        kept = json.loads(content)
        assert [record["externalId"] for record in kept["customers"]] == ["c-0"]
        assert [record["externalId"] for record in kept["orders"]] == ["o-0", "o-1"]

    def test_a_key_has_a_name_and_no_id(self, world: World, shop: Shop) -> None:
        secret = world.api_key(shop.workspace, KeyScope.WRITE, shop.owner)
        answer = shop.send(token=secret, orders=orders(1))
        name = world.key_of(secret).name
        assert answer.json["requestedBy"] == {"id": None, "name": name}

    def test_no_two_have_the_same_moment(self, shop: Shop) -> None:
        """Whatever the clocks of the functions say."""
        moments = [shop.send(orders=orders(1)).json["queuedAt"] for _ in range(5)]
        assert len(set(moments)) == 5
        assert moments == sorted(moments)

    def test_two_at_once_wait_one_behind_the_other(self, shop: Shop) -> None:
        between: list[str] = []
        with before_the_commit(lambda: between.append(shop.queue(orders=[order(7)]))):
            answer = shop.send(orders=[order(8)])
        assert answer.status == 202
        listed = shop.get(f"{shop.path}/imports")["items"]
        assert [row["id"] for row in listed] == [answer.json["id"], *between]

    def test_replay(self, shop: Shop) -> None:
        first = shop.send(orders=orders(2), key="k")
        again = shop.send(orders=orders(2), key="k")
        assert (again.status, again.body) == (202, first.body)
        assert again.header("idempotency-replayed") == "true"
        assert shop.get(f"{shop.path}/imports")["total"] == 1
        other = shop.send(orders=orders(3), key="k")
        assert other.problem() == (422, "idempotency_key_reused")

    def test_the_same_content_twice_is_two_imports_of_one_object(self, shop: Shop) -> None:
        ids = [shop.queue(orders=orders(2)) for _ in range(2)]
        assert len(shop.world.objects()) == 1
        shop.world.deliver()
        assert [shop.read(each)["status"] for each in ids] == ["completed", "completed"]
        assert shop.numbers() == ["#0", "#1"]


class TestSize:
    """The body of a batch may have 5 MB."""

    def body(self, size: int) -> bytes:
        """A batch of exactly so many bytes: much blank between its few records."""
        batch = json.dumps({"orders": orders(3)}).encode()
        return batch[:-1] + b" " * (size - len(batch)) + batch[-1:]

    def test_more_than_a_single_body_may_have(self, shop: Shop) -> None:
        for size in (BODY_BYTES + 1, LARGE_BODY_BYTES):
            body = self.body(size)
            assert len(body) == size
            answer = shop.world.call(
                "POST", f"{shop.path}/batches", token=shop.owner.token, body=body
            )
            assert answer.status == 202

    def test_a_byte_too_many(self, shop: Shop) -> None:
        answer = shop.world.call(
            "POST",
            f"{shop.path}/batches",
            token=shop.owner.token,
            body=self.body(LARGE_BODY_BYTES + 1),
        )
        assert answer.problem() == (413, "payload_too_large")
        assert shop.world.objects() == {}

    def test_a_batch_as_large_as_may_be_is_imported(self, shop: Shop) -> None:
        """Each order as large as 5 MB allow."""
        line = {"quantity": 1, "unitPrice": eur(1), "totalDiscount": eur(0)}
        lines = [{"title": f"{CANARY} {'x' * 240}", **line} for _ in range(240)]
        batch = [order(number, lineItems=lines) for number in range(54)]
        assert 4_400_000 < len(json.dumps({"orders": batch})) < LARGE_BODY_BYTES
        done = shop.bring(orders=batch)
        assert (done["status"], done["imported"]["orders"]) == ("completed", 54)


class TestBacklog:
    """At most 100 batches of a store wait."""

    def with_waiting(self, shop: Shop, count: int) -> None:
        """A store with so many that wait, as far as its turns say."""
        held, changes = shop.turns(), Changes()
        waiting = {(ImportScope.CUSTOMERS_ORDERS, ImportStatus.QUEUED): count}
        TurnsRepository(shop.workspace).save(changes, replace(held, counts=waiting))
        changes.commit()

    def test_the_last_that_has_room(self, shop: Shop) -> None:
        self.with_waiting(shop, MOST_WAITING - 1)
        assert shop.send(orders=orders(1)).status == 202
        answer = shop.send(orders=orders(1))
        assert answer.problem() == (429, "batch_backlog")
        assert int(answer.header("retry-after") or 0) > 0
        assert shop.turns().waiting == MOST_WAITING

    def test_is_no_answer_that_is_kept(self, shop: Shop) -> None:
        self.with_waiting(shop, MOST_WAITING)
        assert shop.send(orders=orders(1), key="k").status == 429
        assert shop.world.objects() == {}
        self.with_waiting(shop, MOST_WAITING - 1)
        assert shop.send(orders=orders(1), key="k").status == 202

    def test_another_stores_are_no_ones_burden(self, shop: Shop) -> None:
        self.with_waiting(shop, MOST_WAITING)
        other = replace(shop, store=shop.world.store(shop.owner))
        assert other.send(orders=orders(1)).status == 202

    def test_the_last_place_is_taken_once(self, shop: Shop) -> None:
        self.with_waiting(shop, MOST_WAITING - 1)
        between: list[int] = []
        with before_the_commit(lambda: between.append(shop.send(orders=orders(1)).status)):
            answer = shop.send(orders=orders(2))
        assert between == [202]
        assert answer.problem() == (429, "batch_backlog")

    def test_one_that_runs_waits_no_more(self, shop: Shop) -> None:
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
