"""Taking batches, an operation a class."""

import json
from typing import Any

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.stores.stores.model import Platform
from tests.harness.call_interruption import before_the_commit
from tests.harness.world import World
from tests.sync.batches.batch_store import Shop, customer, order, orders


class TestCreateBatch:
    """POST /stores/{id}/batches."""

    def test_member_may_send_batch(self, world: World, shop: Shop) -> None:
        member = world.member(shop.workspace)
        answer = shop.send(token=member.token, orders=orders(1))
        assert answer.status == 202
        assert answer.json["requestedBy"] == {"id": str(member.id), "name": member.name}

    def test_shopify_store_is_refused(self, shop: Shop) -> None:
        shop.change(platform=Platform.SHOPIFY)
        assert shop.send(orders=orders(1)).problem() == (409, "store_managed_by_platform")
        assert shop.world.objects() == {}

    def test_disconnected_store_is_refused(self, shop: Shop) -> None:
        shop.disconnect()
        assert shop.send(orders=orders(1)).problem() == (409, "store_disconnected")
        assert shop.world.objects() == {}

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, [""]),
            ({"orders": [], "customers": []}, [""]),
            ({"products": []}, [""]),
            ({"orders": None}, ["/orders"]),
            ({"orders": {}}, ["/orders"]),
            ({"orders": [order(0)], "colour": "red"}, ["/colour"]),
            ({"orders": [order(0)], "products": [{}]}, [""]),
            ({"orders": "o-1"}, ["/orders"]),
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

    def test_batch_is_queued(self, shop: Shop) -> None:
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
        [message] = shop.messages()
        assert message.group == shop.store
        assert json.loads(message.body) == {
            "workspaceId": str(shop.workspace.id),
            "storeId": shop.store,
        }
        [content] = shop.world.objects().values()
        stored = json.loads(content)
        assert [record["externalId"] for record in stored["customers"]] == ["c-0"]
        assert [record["externalId"] for record in stored["orders"]] == ["o-0", "o-1"]

    def test_api_key_is_shown_by_name_without_id(self, world: World, shop: Shop) -> None:
        secret = world.api_key(shop.workspace, KeyScope.WRITE, shop.owner)
        answer = shop.send(token=secret, orders=orders(1))
        name = world.key_of(secret).name
        assert answer.json["requestedBy"] == {"id": None, "name": name}

    def test_queued_at_is_unique_and_increasing(self, shop: Shop) -> None:
        """Whatever clocks the functions have."""
        moments = [shop.send(orders=orders(1)).json["queuedAt"] for _ in range(5)]
        assert len(set(moments)) == 5
        assert moments == sorted(moments)

    def test_concurrent_batches_are_queued_in_order(self, shop: Shop) -> None:
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

    def test_idempotency_key_is_per_caller(self, shop: Shop) -> None:
        """The same key of another caller is another key."""
        first = shop.send(orders=orders(2), key="k")
        member = shop.world.member(shop.workspace)
        theirs = shop.send(orders=orders(2), key="k", token=member.token)
        assert theirs.status == 202
        assert theirs.header("idempotency-replayed") is None
        assert theirs.json["id"] != first.json["id"]
        assert shop.turns().waiting == 2

    def test_permanent_refusal_is_replayed(self, shop: Shop) -> None:
        """A retry gets the answer about the store as it was, though it is connected again."""
        shop.disconnect()
        first = shop.send(orders=orders(1), key="k")
        shop.connect_again()
        again = shop.send(orders=orders(1), key="k")
        assert first.problem() == again.problem() == (409, "store_disconnected")
        assert again.header("idempotency-replayed") == "true"
        assert shop.send(orders=orders(1), key="other").status == 202

    def test_identical_batches_are_two_imports_of_one_s3_object(self, shop: Shop) -> None:
        ids = [shop.queue(orders=orders(2)) for _ in range(2)]
        assert len(shop.world.objects()) == 1
        shop.world.deliver()
        assert [shop.read(each)["status"] for each in ids] == ["completed", "completed"]
        assert shop.numbers() == ["#0", "#1"]
