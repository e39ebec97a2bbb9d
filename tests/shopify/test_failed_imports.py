"""A pull that fails, is killed, or finds only a part."""

import json
from typing import Any
from unittest import mock

import pytest
from werkzeug.wrappers import Request, Response

from local.events.pumps import pump_queue
from local.shopify.exports import Operation
from storepost.platform.messaging.outbox import PARTITION
from storepost.platform.messaging.tries import RECEIVES, TRIES
from storepost.shopify.errors import RequestRefused
from storepost.sync.pulls import exports, running
from storepost.sync.pulls.exports import Export
from storepost.sync.pulls.spool import Spool
from storepost.sync.webhooks.messages import Webhook
from storepost.sync.webhooks.people import customer_deleted
from storepost.values import clock
from tests.harness.call_interruption import Killed
from tests.harness.crash_points import crashes
from tests.harness.world import Someone
from tests.shopify import test_product_imports as products
from tests.shopify.hooks import Hooks
from tests.shopify.pulls import ask, fill, imports_of, pulled, state, totals
from tests.shopify.shops import SHOP, Shopify


def _breaks_off(patch: pytest.MonkeyPatch, *, number: int, after: int) -> None:
    """The shop's export of that number fails within the line behind so many."""
    real = Operation.node

    def node(operation: Operation, address: str) -> dict[str, Any]:
        if operation.number == number and operation.status == "COMPLETED":
            operation.status = "FAILED"
            operation.lines = [*operation.lines[:after], operation.lines[after][:20]]
        return real(operation, address)

    patch.setattr(Operation, "node", node)


class TestPartial:
    def test_partial_export_continues_after_last_record(
        self, hooks: Hooks, owner: Someone, shopify: Shopify, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fill(shopify, 30, 0)
        shop = shopify.shop(SHOP)
        _breaks_off(monkeypatch, number=1, after=12)
        store_import = pulled(hooks, owner)
        assert (store_import["status"], store_import["imported"]["customers"]) == ("completed", 30)
        assert [o.records for o in shop.operations] == [30, 18, 0]

    def test_export_cut_within_order_lines_is_restarted(
        self, hooks: Hooks, owner: Someone, shopify: Shopify, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fill(shopify, 0, 3)
        _breaks_off(monkeypatch, number=2, after=5)  # behind the first of the second order's lines
        store_import = pulled(hooks, owner)
        assert (store_import["status"], store_import["imported"]["orders"]) == ("completed", 3)
        assert [o.records for o in shopify.shop(SHOP).operations] == [0, 3, 3]
        orders = [hooks.order(number) for number in (1, 2, 3)]
        assert [len(order.line_items) for order in orders if order] == [2, 2, 2]

    def test_export_cut_within_variants_removes_no_variant(
        self, hooks: Hooks, owner: Someone, shopify: Shopify, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        products.fill(shopify, 1, 2)
        assert products.pulled(hooks, owner)["status"] == "completed"
        _breaks_off(monkeypatch, number=2, after=4)  # before the second product's variants
        before = [products.shown(hooks, owner, number, "/variants") for number in (1, 2)]
        assert [each["total"] for each in before] == [2, 2]
        for node in shopify.shop(SHOP).products:
            node["updatedAt"] = clock.to_text(clock.now())
        monkeypatch.setattr(running, "MAX_PARTIAL_EXPORTS", 1)
        store_import = products.pulled(hooks, owner)
        assert (store_import["status"], store_import["error"]) == ("failed", "export_failed")
        assert store_import["imported"] == {"customers": 0, "orders": 0, "products": 0}
        after = [products.shown(hooks, owner, number, "/variants") for number in (1, 2)]
        assert after == before

    def test_import_fails_after_max_partial_exports(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        fill(shopify, 3, 0)
        shopify.shop(SHOP).files = ""

        def fails(_request: Request) -> None:
            for operation in shopify.shop(SHOP).operations:
                operation.ends, operation.lines = "FAILED", []

        shopify.server.interruptions += [fails] * 100
        store_import = pulled(hooks, owner)
        assert (store_import["status"], store_import["error"]) == ("failed", "export_failed")
        assert len(shopify.shop(SHOP).operations) == running.MAX_PARTIAL_EXPORTS

    def test_incomplete_file_is_fetched_again(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        fill(shopify, 3, 0)
        requests: list[str] = []

        def lacks(request: Request) -> Response | None:
            requests.append(request.path)
            if "/exports/" in request.path and sum("/exports/" in p for p in requests) == 1:
                return Response(shopify.shop(SHOP).operations[0].lines[0] + "\n")
            return None

        shopify.server.interruptions += [lacks] * 20
        answer = ask(hooks, owner)
        hooks.world.deliver_outbox()
        pump_queue("StoreImportQueue", 0)
        assert totals(hooks, owner)[0] == 0
        hooks.world.deliver()
        assert state(hooks, owner, answer.json["id"])["imported"]["customers"] == 3


class TestFailed:
    def test_removed_app_fails_import(self, hooks: Hooks, owner: Someone, shopify: Shopify) -> None:
        shopify.shop(SHOP).installation = None
        store_import = pulled(hooks, owner)
        assert (store_import["status"], store_import["error"]) == ("failed", "store_unreachable")
        assert ask(hooks, owner).problem() == (409, "needs_reauth")

    def test_missing_scope_fails_import(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        installation = shopify.shop(SHOP).installation
        assert installation is not None
        installation.scopes = ("read_orders",)
        fill(shopify, 1, 0)
        store_import = pulled(hooks, owner)
        assert (store_import["status"], store_import["error"]) == ("failed", "export_failed")

    def test_unavailable_shop_fails_import_after_all_tries(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        shopify.server.interruptions += [lambda _: Response(status=503)] * 100
        answer = ask(hooks, owner)
        hooks.world.deliver_outbox()
        for _ in range(TRIES):
            pump_queue("StoreImportQueue", 0)
        store_import = state(hooks, owner, answer.json["id"])
        assert (store_import["status"], store_import["error"]) == ("failed", "store_unreachable")

    @pytest.mark.parametrize("ends", ["completed", "failed"])
    def test_next_import_gets_all_its_tries(
        self,
        hooks: Hooks,
        owner: Someone,
        shopify: Shopify,
        monkeypatch: pytest.MonkeyPatch,
        ends: str,
    ) -> None:
        """The message's last try ends the first import, completed or failed."""
        first = ask(hooks, owner).json["id"]
        second = ask(hooks, owner, {"scope": "products"}).json["id"]
        for row in hooks.world.rows(PARTITION):
            row.delete()
        hooks.world.lose_stream()
        with monkeypatch.context() as broken:
            if ends == "failed":
                broken.setattr(running, "_import", mock.Mock(side_effect=RequestRefused))
            running.pull(hooks.store, TRIES, lambda: 300_000)
        found = [state(hooks, owner, each)["status"] for each in (first, second)]
        assert found == [ends, "queued"]
        assert len(hooks.world.rows(PARTITION)) == 1
        hooks.world.deliver()
        assert state(hooks, owner, second)["status"] == "completed"

    def test_import_fails_once_all_tries_were_killed(
        self, hooks: Hooks, owner: Someone, shopify: Shopify, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As by a lack of memory; the queue delivers the message once more, and it isn't tried."""
        fill(shopify, 1, 0)
        answer = ask(hooks, owner)
        hooks.world.deliver_outbox()
        store = hooks.store
        monkeypatch.setattr(running, "_import", mock.Mock(side_effect=Killed))
        with pytest.raises(Killed):
            running.pull(store, TRIES, lambda: 300_000)
        monkeypatch.undo()
        assert state(hooks, owner, answer.json["id"])["status"] == "running"
        shopify.server.interruptions += [lambda _: pytest.fail("the shop is asked")]
        running.pull(store, RECEIVES, lambda: 300_000)
        store_import = state(hooks, owner, answer.json["id"])
        assert (store_import["status"], store_import["error"]) == ("failed", "import_failed")

    def test_import_times_out(self, hooks: Hooks, owner: Someone, shopify: Shopify) -> None:
        fill(shopify, 3, 0)

        def a_day(_request: Request) -> None:
            hooks.world.advance(hours=25)

        shopify.server.interruptions += [a_day]
        answer = ask(hooks, owner)
        hooks.world.deliver()
        path_state = [
            row
            for row in hooks.world.rows()
            if getattr(row, "failure", None) and str(getattr(row, "id", "")) == answer.json["id"]
        ]
        assert [getattr(row, "failure", None) for row in path_state] == ["timed_out"]

    def test_disconnected_during_import(
        self, hooks: Hooks, owner: Someone, shopify: Shopify, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fill(shopify, 3, 0)
        answer, fetch = ask(hooks, owner), exports.fetch

        def fetched(export: Export, spool: Spool, seconds: float) -> None:
            assert owner.call("POST", f"/stores/{hooks.store.id}/disconnect").status == 200
            fetch(export, spool, seconds)

        monkeypatch.setattr(running, "fetch", fetched)
        running.pull(hooks.store, 1, lambda: 10**6)
        store_import = state(hooks, owner, answer.json["id"])
        assert (store_import["status"], store_import["error"]) == ("failed", "store_disconnected")
        assert store_import["imported"]["customers"] == 0

    def test_customer_deleted_after_export_is_not_recreated(
        self, hooks: Hooks, owner: Someone, shopify: Shopify, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The shop's webhook comes before the file's record of them is written."""
        fill(shopify, 3, 0)
        answer, fetch = ask(hooks, owner), exports.fetch

        def fetched(export: Export, spool: Spool, seconds: float) -> None:
            fetch(export, spool, seconds)
            shop = shopify.shop(SHOP)
            shop.customers = [each for each in shop.customers if each.number != 2]
            raw = json.dumps({"id": 2}).encode()
            customer_deleted(hooks.store, Webhook(SHOP, "customers/delete", clock.now(), raw))

        monkeypatch.setattr(running, "fetch", fetched)
        running.pull(hooks.store, 1, lambda: 10**6)
        assert state(hooks, owner, answer.json["id"])["status"] == "completed"
        assert [hooks.find_customer(n) is not None for n in (1, 2, 3)] == [True, False, True]
        assert totals(hooks, owner) == (2, 0)


class TestKilled:
    def test_killed_at_any_call(self, hooks: Hooks, owner: Someone, shopify: Shopify) -> None:
        """After a kill at any call to AWS, the next run ends it with the same counts."""
        fill(shopify, 3, 3)
        ask(hooks, owner)
        hooks.world.deliver_outbox()
        outside = [shopify.server.pretend.shops]

        def work() -> None:
            running.pull(hooks.store, 1, lambda: 10**6)

        found = crashes(hooks.world, work, outside=outside, deliver=False)
        assert len(found.positions) >= 8
        for positions in found:
            for operation in shopify.shop(SHOP).operations:
                operation.status = "COMPLETED"
            work()
            assert totals(hooks, owner) == (3, 3), positions
            store_import = imports_of(hooks, owner)[0]
            assert store_import["status"] == "completed", positions
            assert store_import["imported"] == {"customers": 3, "orders": 3, "products": 0}

    def test_run_out_of_time_is_continued_by_next_run(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        """With time for one chunk a run, each run queues the next."""
        fill(shopify, 60, 0)
        ask(hooks, owner)
        hooks.world.deliver_outbox()
        runs = 0
        while runs < 60:
            runs += 1
            running.pull(hooks.store, 1, lambda: 0)
            store_import = imports_of(hooks, owner)[0]
            if store_import["status"] == "completed":
                break
        assert store_import["imported"]["customers"] == 60
        assert 5 < runs < 60
