"""Imports as they are read, an operation a class."""

from dataclasses import replace
from uuid import uuid4

import pytest

from storepost.stores.imports import listing
from storepost.stores.imports.model import ImportScope, ImportStatus
from storepost.values import clock
from tests.harness.world import World
from tests.orders.sample import eur
from tests.sync.batches.batch_store import Shop, customer, order, orders
from tests.sync.batches.making import make
from tests.sync.batches.watching import slow

CENTS = {"amount": 5, "currency": "USD"}


class TestListImports:
    """GET /stores/{id}/imports."""

    def test_status_filter_finds_running_import(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first, second = (shop.queue(orders=orders(30)) for _ in range(2))
        slow(monkeypatch, 0)
        assert shop.run_worker() == []
        for status, ids in (("running", [first]), ("queued", [second]), ("completed,failed", [])):
            found = shop.get(f"{shop.path}/imports", status=status)
            assert [row["id"] for row in found["items"]] == ids
            assert found["total"] == len(ids)

    def test_imports_of_disconnected_store(self, shop: Shop) -> None:
        done = shop.import_batch(orders=[order(0, total=CENTS)])
        shop.disconnect()
        assert shop.get(f"{shop.path}/imports")["items"] == [done]
        assert shop.read(done["id"]) == done
        assert [problem["index"] for problem in shop.problems(done["id"])] == [0]

    def test_no_imports(self, shop: Shop) -> None:
        empty = {"items": [], "total": 0, "page": 1, "pageSize": 25}
        assert shop.get(f"{shop.path}/imports") == empty

    def test_every_filter_and_page_matches_model(self, shop: Shop) -> None:
        both, done = tuple(ImportScope), (ImportStatus.COMPLETED, ImportStatus.FAILED)
        kinds = [(both[n % 2], done[n % 3 == 0]) for n in range(23)]
        kinds += [(both[n % 2], ImportStatus.QUEUED) for n in range(4)]
        made = [(make(shop, *kind).id, *kind) for kind in kinds]
        scopes = [None, "products", "customers_orders,products"]
        statuses = [None, "completed", "failed,queued", "running"]
        for scope in scopes:
            for status in statuses:
                filters = {"scope": scope, "status": status}
                query = {name: value for name, value in filters.items() if value}
                expected = [
                    str(identifier)
                    for identifier, its_scope, its_status in reversed(made)
                    if its_scope in (scope or its_scope).split(",")
                    and its_status in (status or its_status).split(",")
                ]
                for page in (1, 2, 3, 4):
                    found = shop.get(f"{shop.path}/imports", page=page, pageSize=10, **query)
                    ids = [row["id"] for row in found["items"]]
                    assert ids == expected[10 * page - 10 : 10 * page]
                    assert found["total"] == len(expected)

    def test_filter_too_broad(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        """An import far back among 20,000 others; a query of all of them has no such bound."""
        make(shop, ImportScope.CUSTOMERS_ORDERS, ImportStatus.FAILED)
        for _ in range(4):
            make(shop, ImportScope.CUSTOMERS_ORDERS, ImportStatus.COMPLETED)
        monkeypatch.setattr(listing, "MAX_ROWS", 4)
        path, token = f"{shop.path}/imports", shop.owner.token
        for query, advised in (
            ({"status": "failed"}, "query.scope"),
            ({"status": "failed", "scope": "customers_orders"}, "query.status"),
        ):
            answer = shop.world.call("GET", path, token=token, query=query)
            assert answer.problem() == (422, "filter_too_broad")
            assert [error["path"] for error in answer.json["errors"]] == [advised]
        assert shop.get(path, status="completed")["total"] == 4
        assert len(shop.get(path)["items"]) == 5

    def test_other_stores_imports_are_not_listed(self, shop: Shop) -> None:
        other = replace(shop, store=shop.world.store(shop.owner))
        shop.queue(orders=orders(1))
        assert other.get(f"{other.path}/imports")["items"] == []


class TestGetImport:
    """GET /stores/{id}/imports/{importId}."""

    def test_unknown_and_other_stores_import(self, world: World, shop: Shop) -> None:
        other = replace(shop, store=world.store(shop.owner))
        queued = other.queue(orders=orders(1))
        for store, import_id in (
            (shop.store, queued),
            (shop.store, str(uuid4())),
            (str(uuid4()), queued),
        ):
            answer = shop.owner.call("GET", f"/stores/{store}/imports/{import_id}")
            assert answer.problem() == (404, "not_found")

    def test_all_fields(self, shop: Shop) -> None:
        queued_at = clock.to_text(clock.now())
        shop.world.advance(seconds=3)
        done = shop.import_batch(customers=[customer(0), customer(1)], orders=orders(3))
        assert done == {
            "id": done["id"],
            "scope": "customers_orders",
            "status": "completed",
            "stage": None,
            "requestedBy": {"id": str(shop.owner.id), "name": shop.owner.name},
            "imported": {"customers": 2, "orders": 3, "products": 0},
            "error": None,
            "queuedAt": done["queuedAt"],
            "startedAt": done["startedAt"],
            "completedAt": done["completedAt"],
        }
        assert queued_at < done["queuedAt"] <= done["startedAt"] <= done["completedAt"]


class TestListProblems:
    """GET /stores/{id}/imports/{importId}/problems."""

    def test_unknown_and_other_stores_import(self, world: World, shop: Shop) -> None:
        other = replace(shop, store=world.store(shop.owner))
        queued = other.queue(orders=orders(1))
        for store, import_id in ((shop.store, str(uuid4())), (shop.store, queued)):
            answer = shop.owner.call("GET", f"/stores/{store}/imports/{import_id}/problems")
            assert answer.problem() == (404, "not_found")

    def test_no_problems(self, shop: Shop) -> None:
        done = shop.import_batch(orders=orders(2))
        found = shop.get(f"{shop.path}/imports/{done['id']}/problems")
        assert found == {"items": [], "total": 0, "page": 1, "pageSize": 25}

    def test_pagination(self, shop: Shop) -> None:
        wrong = [n for n in range(40) if n % 3]
        batch = [order(n, total=CENTS if n in wrong else eur(5)) for n in range(40)]
        done = shop.import_batch(customers=[customer(0)], orders=batch)
        assert done["imported"] == {"customers": 1, "orders": 14, "products": 0}
        for page in (1, 2, 3, 4):
            found = shop.get(f"{shop.path}/imports/{done['id']}/problems", page=page, pageSize=10)
            assert (found["total"], found["page"]) == (len(wrong), page)
            assert [p["index"] for p in found["items"]] == wrong[10 * page - 10 : 10 * page]

    def test_page_beyond_the_last_is_empty(self, shop: Shop) -> None:
        done = shop.import_batch(orders=[order(0, total=CENTS)])
        found = shop.get(f"{shop.path}/imports/{done['id']}/problems", page=1_000_000, pageSize=100)
        assert (found["items"], found["total"]) == ([], 1)
