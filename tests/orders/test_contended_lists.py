"""Orders that come at once: none waits for a list's nodes, and every list stays right."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import pytest
from botocore.client import BaseClient

from storepost.orders.trees import OrderList
from storepost.people.profiles.lists import ProfileLists
from storepost.platform.persistence.counted_tree import Tree, contention, writing
from storepost.platform.persistence.counted_tree.checking import faults
from storepost.values.scope import WorkspaceScope
from tests.harness.faults import refusal
from tests.harness.world import World
from tests.orders.sample import order

ORDERS = 12


@contextmanager
def nodes_locked() -> Iterator[list[str]]:
    """Another transaction always holds every node; yields the calls that are made."""
    made: list[str] = []
    plain = BaseClient._make_api_call  # type: ignore[attr-defined]

    def call(client: Any, operation: str, parameters: Any) -> Any:
        made.append(operation)
        if operation == "TransactWriteItems":
            rows = [next(iter(part.values())) for part in parameters["TransactItems"]]
            keys = [row.get("Key") or row["Item"] for row in rows]
            conflicts = [
                "pk" in key and key["pk"]["S"].endswith("#nodes") and key["sk"]["S"][0].isdigit()
                for key in keys  # an idempotency record has neither key
            ]
            if any(conflicts):
                reasons = ["TransactionConflict" if each else "None" for each in conflicts]
                raise refusal("TransactionCanceledException", *reasons)
        return plain(client, operation, parameters)

    with mock.patch.object(BaseClient, "_make_api_call", call):
        yield made


def trees_of(workspace: WorkspaceScope) -> list[Tree]:
    lists = ProfileLists(workspace)
    return [OrderList(workspace).tree, lists.by_first_seen, lists.by_name, lists.by_email]


class TestConcurrentOrders:
    """Each order is stored by its second transaction at the latest."""

    @pytest.fixture(autouse=True)
    def _place(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(writing, "_FOLD_EVERY", 10**12)
        monkeypatch.setattr(contention, "_SECONDS", 0.0)
        self.world, self.owner = world, world.person()
        self.workspace = world.workspace(self.owner)
        self.store = world.store(self.owner)

    def put(self, number: int) -> dict[str, Any]:
        answer = self.owner.call(
            "PUT",
            f"/stores/{self.store}/orders/o-{number}",
            order(
                number=f"#{number}",
                customer={"externalId": f"c-{number}", "email": f"buyer{number}@example.com"},
            ),
        )
        assert answer.status == 201, answer.body
        made: dict[str, Any] = answer.json
        return made

    def total(self, path: str) -> tuple[int, int]:
        answer = self.owner.call("GET", path, query={"pageSize": 100})
        return answer.json["total"], len(answer.json["items"])

    def check(self, orders: int) -> None:
        for path in ("/orders", "/profiles"):
            assert self.total(path) == (orders, orders)
        for tree in trees_of(self.workspace):
            assert faults(tree) == []

    def test_no_order_waits_or_is_refused(self) -> None:
        first = self.put(0)
        with nodes_locked() as made:
            sent = [first, *(self.put(number) for number in range(1, ORDERS))]
        assert made.count("TransactWriteItems") == 2 * (ORDERS - 1)
        shown = self.owner.call("GET", "/orders")
        assert {item["id"] for item in shown.json["items"]} == {each["id"] for each in sent}
        assert all(tree.rows.pending() for tree in trees_of(self.workspace))
        self.check(ORDERS)

    def test_pending_counts_are_folded_later(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.put(0)
        with nodes_locked():
            for number in range(1, ORDERS):
                self.put(number)
        monkeypatch.setattr(writing, "_FOLD_EVERY", 1)
        monkeypatch.setattr(writing, "is_contended", lambda _partition: True)
        self.put(ORDERS)
        assert not any(tree.rows.pending() for tree in trees_of(self.workspace))
        self.check(ORDERS + 1)

    def test_idempotent_replay_counts_once(self) -> None:
        """The transaction that was committed stored the answer."""
        self.put(0)
        body = order(number="#1", customer=None)
        path = f"/stores/{self.store}/orders/o-1"
        with nodes_locked():
            answers = [self.owner.call("PUT", path, body, key="again") for _ in range(2)]
        assert answers[0].json == answers[1].json
        assert self.total("/orders") == (2, 2)
