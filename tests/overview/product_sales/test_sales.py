"""Sales of products: GET /products/{id}/sales, and the worker that counts orders."""

import json
from typing import Any
from uuid import UUID

import pytest

from local import aws
from local.events.pumps import pump_queue
from local.functions import invoke
from local.template import functions
from storepost.orders.messages import ProductSalesMessage
from storepost.overview.product_sales import counting
from storepost.overview.product_sales.repository import SalesItem
from storepost.platform.messaging.outbox import PARTITION, OutboxItem
from storepost.platform.persistence.item import Item
from tests.catalog.products.sample import product, put
from tests.catalog.products.state import store_of
from tests.harness.call_interruption import at_call, before_the_commit
from tests.harness.crash_points import crashes
from tests.harness.faults import FAULT, faults
from tests.harness.world import Someone, World
from tests.orders.sample import eur, order
from tests.orders.sample import put as put_order

QUEUE, MIGRATIONS = "ProductSalesQueue", "MigrationQueue"


def line(product_id: str | None, quantity: int = 1, price: int = 100, off: int = 0) -> Any:
    """A line of an order."""
    body = {
        "title": "x",
        "quantity": quantity,
        "unitPrice": eur(price),
        "totalDiscount": eur(off),
    }
    return {**body, "productExternalId": product_id} if product_id else body


def in_yen(body: Any) -> Any:
    """The same with all amounts in yen."""
    return json.loads(json.dumps(body).replace('"EUR"', '"JPY"'))


class Shop:
    """A store with a product p-1."""

    def __init__(self, world: World, owner: Someone, store: str) -> None:
        self.world, self.owner, self.id = world, owner, store
        self.product = put(owner, store, "p-1", product()).json["id"]

    def sell(self, external_id: str, *lines: Any, deliver: bool = True, **change: Any) -> str:
        body = order(lineItems=list(lines), **change)
        answer = put_order(self.owner, self.id, external_id, body)
        assert answer.status in {200, 201}, answer.body
        if deliver:
            self.world.deliver()
        return str(answer.json["id"])

    def sales(self, **query: str) -> tuple[object, ...]:
        answer = self.owner.call("GET", f"/products/{self.product}/sales", query=query)
        assert answer.status == 200, answer.body
        assert set(answer.json) == {"orders", "units", "revenue"}
        revenue = answer.json["revenue"]
        totals = (answer.json["orders"], answer.json["units"], revenue["amount"])
        return totals if revenue["currency"] == "EUR" else (*totals, revenue["currency"])

    def come_back(self, currency: str) -> None:
        """Disconnects the store, and connects it again in that currency."""
        path, token = f"/stores/{self.id}", self.owner.token
        store = self.world.call("GET", path, token=token).json
        assert self.world.call("POST", f"{path}/disconnect", token=token).status == 200
        names = ("platform", "name", "externalId", "primaryLocale", "adminUrl")
        body = {**{name: store[name] for name in names}, "currency": currency}
        again = self.world.call("POST", "/stores", token=token, json_body=body)
        assert (again.status, again.json["id"]) == (200, self.id)


@pytest.fixture
def shop(world: World, owner: Someone, store: str) -> Shop:
    """A store with a product."""
    return Shop(world, owner, store)


class TestSales:
    """GET /products/{id}/sales."""

    def test_orders_units_and_revenue(self, shop: Shop) -> None:
        assert shop.sales() == (0, 0, 0)
        shop.sell("1", line("p-1", 2, 500, 100), line("p-1", 1, 300), line("p-2"), line(None))
        assert shop.sales() == (1, 3, 1200)
        shop.sell("2", line("p-1", 0, 500), line("p-1", 1, 500, 500))
        assert shop.sales() == (2, 4, 1200)

    def test_date_filters_are_days_in_utc(self, shop: Shop) -> None:
        for number, placed in enumerate(
            ["2026-03-01T00:30:00+02:00", "2026-03-01T00:00:00Z", "2026-03-02T23:59:59.999Z"]
        ):
            shop.sell(f"o-{number}", line("p-1", 10**number), placedAt=placed)
        queries = [
            ({}, 111),
            ({"from": "2026-03-01"}, 110),
            ({"to": "2026-03-01"}, 1),
            ({"from": "2026-02-28", "to": "2026-03-02"}, 11),
            ({"from": "2026-03-02", "to": "2026-03-03"}, 100),
            ({"from": "2026-03-02", "to": "2026-03-02"}, 0),
        ]
        for query, units in queries:
            assert (query, shop.sales(**query)[1]) == (query, units)

    def test_store_reconnected_with_other_currency(
        self, world: World, owner: Someone, shop: Shop
    ) -> None:
        """What it sold before is neither shown nor added to, and can still be refunded."""
        first = shop.sell("1", line("p-1", 2, 500))
        shop.come_back("JPY")
        assert shop.sales() == (0, 0, 0, "JPY")
        old = order(lineItems=[line("p-1", 2, 500)], updatedAt="2027-01-01T00:00:00Z")
        refunded = {"financialStatus": "refunded", "totalRefunded": old["total"]}
        answer = put_order(owner, shop.id, "1", {**old, **refunded})
        assert (answer.status, answer.json["id"]) == (200, first)
        assert answer.json["totalRefunded"] == old["total"]
        buyer = owner.call("GET", f"/profiles/{answer.json['buyer']['profileId']}")
        assert buyer.json["spent"] == []
        mixed = {**old, "total": {"amount": 1, "currency": "JPY"}}
        answer = put_order(owner, shop.id, "1", mixed)
        assert answer.problem() == (422, "currency_mismatch")
        new = put_order(owner, shop.id, "2", old)
        assert new.problem() == (422, "currency_mismatch")
        assert put_order(owner, shop.id, "2", in_yen(old)).status == 201
        world.deliver()
        assert shop.sales() == (1, 2, 1000, "JPY")
        shop.come_back("EUR")
        assert shop.sales() == (1, 2, 1000)
        assert put_order(owner, shop.id, "2", old).status == 200
        world.deliver()
        assert shop.sales() == (2, 4, 2000)

    def test_test_orders_and_cancelled_orders_do_not_count(self, shop: Shop) -> None:
        shop.sell("1", line("p-1"), isTest=True)
        shop.sell("2", line("p-1"))
        shop.sell("3", line("p-1"), financialStatus="refunded", totalRefunded=eur(100))
        assert shop.sales() == (2, 2, 200)
        shop.sell("2", line("p-1"), cancelledAt="2026-03-01T10:30:30Z")
        assert shop.sales() == (1, 1, 100)
        shop.sell("1", line("p-1", 5), isTest=False)
        assert shop.sales() == (2, 6, 600)

    def test_changed_order_is_counted_again(self, shop: Shop) -> None:
        shop.sell("1", line("p-1", 2), line("p-2", 1))
        shop.sell("1", line("p-1", 1), placedAt="2026-03-05T00:00:00Z")
        assert shop.sales() == (1, 1, 100)
        assert shop.sales(to="2026-03-05") == (0, 0, 0)
        shop.sell("1", line("p-2", 1))
        assert shop.sales() == (0, 0, 0)

    def test_deleted_order_is_subtracted(self, world: World, owner: Someone, shop: Shop) -> None:
        shop.sell("1", line("p-1"))
        assert owner.call("DELETE", f"/stores/{shop.id}/orders/1").status == 204
        world.deliver()
        assert shop.sales() == (0, 0, 0)

    def test_sales_before_product_exists_are_counted(
        self, world: World, owner: Someone, shop: Shop
    ) -> None:
        shop.sell("1", line("p-9", 3))
        shop.product = put(owner, shop.id, "p-9", product()).json["id"]
        assert shop.sales() == (1, 3, 300)

    def test_order_without_changed_sales_queues_no_message(self, world: World, shop: Shop) -> None:
        shop.sell("1", line("p-1"), line(None), deliver=False)
        assert len(world.waiting_in_stream()) == 1
        world.deliver()
        shop.sell("1", line("p-1"), line(None), number="#2", deliver=False)
        shop.sell("2", line(None), deliver=False)
        assert world.waiting_in_stream() == []


class TestMessages:
    """The table's stream queues a message for an order that sold something else."""

    @staticmethod
    def messages() -> list[str]:
        """What is in the worker's queue."""
        answer = aws.client("sqs").receive_message(
            QueueUrl=aws.queue_url(QUEUE), MaxNumberOfMessages=10
        )
        return [each["Body"] for each in answer.get("Messages", [])]

    def give_up(self, world: World) -> None:
        """Runs the stream's reader while the queue accepts nothing."""
        with pytest.MonkeyPatch.context() as patched, faults(FAULT, "SendMessageBatch"):
            patched.setitem(world._relay.source, "MaximumRetryAttempts", 1)
            world.relay()

    def test_message_is_queued_without_outbox_row(self, world: World, shop: Shop) -> None:
        workspace = store_of(world, shop.id).workspace.id
        order_id = shop.sell("1", line("p-1"), deliver=False)
        assert world.rows(PARTITION) == []
        world.relay()
        assert self.messages() == [f'{{"workspaceId":"{workspace}","orderId":"{order_id}"}}']

    def test_cancelled_order_queues_message(self, world: World, shop: Shop) -> None:
        shop.sell("1", line("p-1"))
        shop.sell("1", line("p-1"), deliver=False, cancelledAt="2026-03-01T11:00:00Z")
        assert len(world.waiting_in_stream()) == 1
        world.deliver()
        assert shop.sales() == (0, 0, 0)

    def test_deleted_order_queues_message(self, world: World, shop: Shop) -> None:
        shop.sell("1", line("p-1"))
        assert shop.owner.call("DELETE", f"/stores/{shop.id}/orders/1").status == 204
        assert len(world.waiting_in_stream()) == 1
        world.deliver()
        assert shop.sales() == (0, 0, 0)

    def test_erasure_of_buyer_queues_no_message(self, world: World, shop: Shop) -> None:
        """The erasure writes the order's row, and doesn't change what it sold."""
        shop.sell("1", line("p-1"))
        [profile] = shop.owner.call("GET", "/profiles").json["items"]
        assert shop.owner.call("DELETE", f"/profiles/{profile['id']}").status == 204
        [erasure] = world.waiting_in_stream()
        assert isinstance(erasure, OutboxItem)
        world.relay()
        assert pump_queue("ProfileErasureQueue") == 1
        assert world.waiting_in_stream() == []

    def test_abandoned_stream_record_is_queued_again(self, world: World, shop: Shop) -> None:
        shop.sell("1", line("p-1"), deliver=False)
        self.give_up(world)
        assert shop.sales() == (0, 0, 0)
        world.deliver()
        assert shop.sales() == (1, 1, 100)

    def test_rebuild_search_counts_orders_missed_by_stream(self, world: World, shop: Shop) -> None:
        shop.sell("1", line("p-1"))
        shop.sell("2", line("p-1"), deliver=False)
        world.lose_stream()
        workspace = str(store_of(world, shop.id).workspace.id)
        body = json.dumps({"workspaceId": workspace, "name": "rebuild-search", "run": 1})
        aws.client("sqs").send_message(QueueUrl=aws.queue_url(MIGRATIONS), MessageBody=body)
        assert pump_queue(MIGRATIONS) == 1
        [again] = [row for row in world.waiting_in_stream() if isinstance(row, OutboxItem)]
        assert (again.queue, len(again.messages)) == ("product_sales", 1)
        world.deliver()
        assert shop.sales() == (2, 2, 200)

    def test_relay_killed_at_any_call(self, world: World, shop: Shop) -> None:
        """The stream delivers the record again."""
        shop.sell("1", line("p-1"), deliver=False)
        [record] = world.records_to_queue()
        [relay] = [each for each in functions() if each.job == "outbox_relay"]

        def work() -> None:
            assert invoke(relay, {"Records": [record]}) == {"batchItemFailures": []}

        for positions in crashes(world, work, deliver=False):
            work()
            world.deliver()
            assert shop.sales() == (1, 1, 100), positions


class TestCounting:
    """The worker."""

    def message(self, shop: Shop, order_id: str) -> ProductSalesMessage:
        workspace = store_of(shop.world, shop.id).workspace.id
        return ProductSalesMessage(workspace, UUID(order_id))

    def counted(self, world: World) -> list[Any]:
        rows = [row for row in world.rows() if isinstance(row, SalesItem)]
        return sorted((row.key, row.orders, row.units, row.revenue) for row in rows)

    def test_many_products_in_one_order(self, world: World, owner: Someone, shop: Shop) -> None:
        shop.sell("1", *(line(f"p-{n}", n) for n in range(1, 201)))
        rows = self.counted(world)
        assert len(rows) == 200
        assert sorted(units for _, _, units, _ in rows) == list(range(1, 201))
        assert shop.sales() == (1, 1, 100)

    def test_killed_at_any_call_and_delivered_twice(
        self, world: World, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(counting, "MAX_ROWS", 3)
        shop.sell("1", line("p-1"), line("p-2"), line("p-3"))
        order_id = shop.sell(
            "1", line("p-1", 2), line("p-3"), line("p-4"), line("p-5"), deliver=False
        )
        message = self.message(shop, order_id)

        def work() -> None:
            counting.count_orders([message])

        found = crashes(world, work, deliver=False)
        assert len(found.positions) > 8
        expected = self.counted(world)
        assert sorted(units for _, orders, units, _ in expected if orders) == [1, 1, 1, 2]
        for positions in found:
            work()
            work()
            assert self.counted(world) == expected, positions

    def test_concurrent_runs_count_once(self, world: World, shop: Shop) -> None:
        order_id = shop.sell("1", line("p-1", 2), deliver=False)
        message = self.message(shop, order_id)
        with before_the_commit(lambda: counting.count_orders([message])):
            counting.count_orders([message])
        assert shop.sales() == (1, 2, 200)

    @pytest.mark.parametrize("change", ["delete", "cancel", "restore"])
    @pytest.mark.parametrize("number", [1, 2, 3])
    def test_order_changed_and_counted_during_run(
        self, shop: Shop, number: int, change: str
    ) -> None:
        """A run that has read the former order doesn't count it after the other one has ended."""
        if change == "restore":
            shop.sell("1", line("p-1", 2))
        order_id = shop.sell("1", line("p-1", 5), deliver=False)
        message = self.message(shop, order_id)

        def change_and_count() -> None:
            if change == "delete":
                assert shop.owner.call("DELETE", f"/stores/{shop.id}/orders/1").status == 204
            elif change == "cancel":
                shop.sell("1", line("p-1", 5), deliver=False, cancelledAt="2026-03-02T00:00:00Z")
            else:
                shop.sell("1", line("p-1", 2), deliver=False)
            counting.count_orders([message])

        with at_call(number, change_and_count):
            counting.count_orders([message])
        assert shop.sales() == ((1, 2, 200) if change == "restore" else (0, 0, 0))

    def test_messages_out_of_order(self, world: World, shop: Shop) -> None:
        """Each message counts the order as it is now, not as it was when the message was sent."""
        order_id = shop.sell("1", line("p-1", 2), deliver=False)
        shop.sell("1", line("p-1", 5), deliver=False)
        for _ in range(2):
            counting.count_orders([self.message(shop, order_id)])
        assert shop.sales() == (1, 5, 500)

    def test_order_of_deleted_workspace_is_ignored(self, world: World, shop: Shop) -> None:
        before = {row.key for row in Item.scan()}
        counting.count_orders([self.message(shop, str(UUID(int=1)))])
        assert {row.key for row in Item.scan()} == before
