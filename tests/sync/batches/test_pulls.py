"""Requests for a pull of a store's platform."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.stores.imports.model import ImportScope, ImportStatus
from storepost.stores.stores.model import ConnectionStatus, Platform
from tests.harness.call_interruption import before_the_commit
from tests.harness.world import Answer, World
from tests.sync.batches.batch_store import Shop, open_shop
from tests.sync.batches.making import make

PULL = {"scope": "customers_orders"}


@pytest.fixture
def shop(world: World) -> Shop:
    """A store on a platform that can be pulled."""
    opened = open_shop(world)
    opened.change(platform=Platform.SHOPIFY)
    return opened


def ask(shop: Shop, body: object = PULL, **more: Any) -> Answer:
    """Requests a pull."""
    by = {"token": shop.owner.token, **more}
    return shop.world.call("POST", f"{shop.path}/imports", json_body=body, **by)


class TestCreateImport:
    """POST /stores/{id}/imports."""

    @pytest.mark.parametrize(
        ("body", "path"),
        [
            ({}, "/scope"),
            ({"scope": None}, "/scope"),
            ({"scope": "events"}, "/scope"),
            ({**PULL, "since": "2026-01-01T00:00:00Z"}, "/since"),
            ([], ""),
        ],
    )
    def test_bad_input(self, shop: Shop, body: object, path: str) -> None:
        assert ask(shop, body).error_paths() == [path]

    @pytest.mark.parametrize(
        ("prepare", "code"),
        [
            (lambda shop: shop.change(platform=Platform.CUSTOM), "store_not_pullable"),
            (lambda shop: shop.disconnect(), "store_disconnected"),
            (
                lambda shop: shop.change(connection_status=ConnectionStatus.NEEDS_REAUTH),
                "needs_reauth",
            ),
            (ask, "import_in_progress"),
        ],
    )
    def test_refused_request_writes_nothing(
        self, shop: Shop, prepare: Callable[[Shop], object], code: str
    ) -> None:
        prepare(shop)
        before = [row.serialize() for row in shop.world.rows()]
        assert ask(shop).problem() == (409, code)
        assert [row.serialize() for row in shop.world.rows()] == before

    def test_import_is_queued(self, shop: Shop) -> None:
        answer = ask(shop)
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
        assert shop.get(shop.path)["imports"] == {"customersOrders": queued, "products": None}
        [message] = shop.messages()
        assert message.group == shop.store
        assert json.loads(message.body) == json.loads(shop.message)

    def test_api_key_is_shown_by_name_without_id(self, world: World, shop: Shop) -> None:
        secret = world.api_key(shop.workspace, KeyScope.WRITE, shop.owner)
        answer = ask(shop, token=secret)
        assert answer.json["requestedBy"] == {"id": None, "name": world.key_of(secret).name}

    def test_one_open_import_per_scope(self, shop: Shop) -> None:
        both = [ask(shop, {"scope": scope}) for scope in ("customers_orders", "products")]
        assert [answer.status for answer in both] == [202, 202]
        assert [answer.json["scope"] for answer in both] == ["customers_orders", "products"]
        for scope in ("customers_orders", "products"):
            assert ask(shop, {"scope": scope}).problem() == (409, "import_in_progress")

    @pytest.mark.parametrize("ended", [ImportStatus.COMPLETED, ImportStatus.FAILED])
    def test_accepted_again_after_last_import_ended(self, shop: Shop, ended: ImportStatus) -> None:
        make(shop, ImportScope.CUSTOMERS_ORDERS, ended)
        assert ask(shop).status == 202

    def test_one_of_two_concurrent_requests_is_refused(self, shop: Shop) -> None:
        between: list[int] = []
        with before_the_commit(lambda: between.append(ask(shop).status)):
            answer = ask(shop)
        assert between == [202]
        assert answer.problem() == (409, "import_in_progress")


class TestRunning:
    """The states of a pull."""

    def test_store_disconnected_before_pull(self, shop: Shop) -> None:
        queued = ask(shop).json["id"]
        shop.disconnect()
        assert shop.read(queued)["error"] == "store_disconnected"
        shop.world.deliver()
        assert shop.get(shop.path)["importStatus"] == "failed"
