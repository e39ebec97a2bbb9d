"""Pulls of a shop's records: in order, complete, and once, also if they are disturbed."""

import json
import random
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from werkzeug.wrappers import Request

from local.shopify.customers import Consent, ShopCustomer
from local.shopify.exports import Operation
from storepost.orders.model import Amounts, FinancialStatus, FulfillmentStatus, LineItem
from storepost.people.consent.states import ConsentState
from storepost.stores.stores.model import ConnectionStatus
from storepost.sync.pulls.spool import Spool
from storepost.sync.records.reading import moment_of
from tests.harness.world import Someone, World
from tests.shopify.hooks import CUSTOMER, EMAIL, LATER, ORDER, PHONE, UPDATED, Hooks, customer_body
from tests.shopify.pulls import SCOPE, ask, bag, fill, imports_of, order_node, pulled, totals
from tests.shopify.shops import SHOP, Shopify, connection_is


class TestCreate:
    """POST /stores/{id}/imports."""

    def test_bad_input(self, hooks: Hooks, owner: Someone) -> None:
        assert ask(hooks, owner, {"scope": "all"}).error_paths() == ["/scope"]

    def test_import_is_queued(self, hooks: Hooks, owner: Someone) -> None:
        answer = ask(hooks, owner)
        assert answer.status == 202
        body = answer.json
        assert body.pop("id")
        assert body.pop("queuedAt")
        assert body == {
            "scope": "customers_orders",
            "status": "queued",
            "stage": None,
            "requestedBy": {"id": str(owner.id), "name": owner.name},
            "imported": {"customers": 0, "orders": 0, "products": 0},
            "error": None,
            "startedAt": None,
            "completedAt": None,
        }

    def test_second_import_of_same_scope_is_refused(self, hooks: Hooks, owner: Someone) -> None:
        assert ask(hooks, owner).status == 202
        assert ask(hooks, owner).problem() == (409, "import_in_progress")
        assert ask(hooks, owner, {"scope": "products"}).status == 202
        hooks.world.deliver()
        assert ask(hooks, owner).status == 202

    def test_custom_store_is_refused(self, hooks: Hooks, owner: Someone) -> None:
        path = f"/stores/{hooks.world.store(owner)}/imports"
        assert owner.call("POST", path, SCOPE).problem() == (409, "store_not_pullable")

    def test_disconnected_store_is_refused(self, hooks: Hooks, owner: Someone) -> None:
        hooks.remove_app()
        assert ask(hooks, owner).problem() == (409, "store_disconnected")

    def test_store_that_needs_reauth_is_refused(self, hooks: Hooks, owner: Someone) -> None:
        connection_is(hooks.store, ConnectionStatus.NEEDS_REAUTH)
        assert ask(hooks, owner).problem() == (409, "needs_reauth")


class TestFirstImport:
    """A shop that is connected is pulled without a request."""

    def test_connecting_queues_both_imports(
        self, world: World, owner: Someone, shopify: Shopify
    ) -> None:
        fill(shopify, 3, 2)
        workspace = world.workspace(owner)
        hooks = Hooks(world, workspace, shopify.connect(owner, workspace), shopify)
        assert [each["status"] for each in imports_of(hooks, owner)] == ["queued", "queued"]
        assert [row["state"] for row in shopify.connections(owner)] == ["importing"]
        world.deliver()
        found = imports_of(hooks, owner)
        assert [
            (each["scope"], each["status"], each["requestedBy"], each["imported"]["orders"])
            for each in found
        ] == [("products", "completed", None, 0), ("customers_orders", "completed", None, 2)]
        assert totals(hooks, owner) == (3, 2)
        assert [row["state"] for row in shopify.connections(owner)] == ["connected"]

    def test_reconnecting_imports_missed_records(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        hooks.remove_app()
        fill(shopify, 3, 2)
        shopify.connect(owner, hooks.workspace)
        hooks.world.deliver()
        assert len(imports_of(hooks, owner)) == 4
        assert totals(hooks, owner) == (3, 2)

    def test_new_approval_continues_open_imports(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        ask(hooks, owner)
        connection_is(hooks.store, ConnectionStatus.NEEDS_REAUTH)
        shopify.connect(owner, hooks.workspace)
        open_ones = [e["scope"] for e in imports_of(hooks, owner) if e["status"] == "queued"]
        assert open_ones == ["products", "customers_orders"]
        hooks.world.deliver()
        assert {each["status"] for each in imports_of(hooks, owner)} == {"completed"}


class TestPull:
    def test_customers_and_orders(self, hooks: Hooks, owner: Someone, shopify: Shopify) -> None:
        fill(shopify, 40, 30)
        store_import = pulled(hooks, owner)
        assert (store_import["status"], store_import["stage"], store_import["error"]) == (
            "completed",
            None,
            None,
        )
        assert store_import["imported"] == {"customers": 40, "orders": 30, "products": 0}
        assert totals(hooks, owner) == (40, 30)

    def test_all_fields(self, hooks: Hooks, owner: Someone, shopify: Shopify) -> None:
        at = moment_of(UPDATED)
        assert at is not None
        buyer = ShopCustomer(CUSTOMER, EMAIL, PHONE, "Barnabas", "Biller", "fr", at, at)
        buyer.sms_consent = Consent("UNSUBSCRIBED", at)
        shopify.shop(SHOP).customers.append(buyer)
        shopify.shop(SHOP).orders.append(order_node(ORDER, buyer))
        pulled(hooks, owner)
        customer, order = hooks.customer(), hooks.order()
        assert (customer.email, customer.phone, customer.locale) == (EMAIL, PHONE, "fr")
        assert customer.sms_consent is ConsentState.UNSUBSCRIBED
        assert customer.admin_url == f"{hooks.store.admin_url}/customers/{CUSTOMER}"
        assert order is not None
        assert order.amounts == Amounts(4328, 3666, 334, 500, 611, 1000)
        assert order.financial_status is FinancialStatus.PARTIALLY_REFUNDED
        assert order.fulfillment_status is FulfillmentStatus.UNFULFILLED
        assert order.discount_codes == ("TENOFF",)
        assert [line.title for line in order.line_items] == [
            f"Scarf {ORDER * 10}",
            f"Scarf {ORDER * 10 + 1}",
        ]
        assert order.line_items[0] == LineItem(
            f"Scarf {ORDER * 10}",
            "green",
            "SCARF-G",
            2,
            2000,
            334,
            False,
            "632910392",
            "39072856",
        )
        assert order.profile_id == customer.profile_id

    def test_empty_shop(self, hooks: Hooks, owner: Someone) -> None:
        store_import = pulled(hooks, owner)
        assert store_import["status"] == "completed"
        assert store_import["imported"] == {"customers": 0, "orders": 0, "products": 0}

    def test_repeated_pull_creates_no_duplicates(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        fill(shopify, 10, 10)
        pulled(hooks, owner)
        assert pulled(hooks, owner)["imported"] == {"customers": 10, "orders": 10, "products": 0}
        assert totals(hooks, owner) == (10, 10)

    def test_refused_token_is_refreshed(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        fill(shopify, 2, 0)
        installation = shopify.shop(SHOP).installation
        assert installation is not None
        installation.access_token = "another"
        assert pulled(hooks, owner)["imported"]["customers"] == 2
        assert shopify.token_requests() == 1

    def test_newer_webhook_is_not_overwritten(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        fill(shopify, 1, 0)
        consent = {"email_marketing_consent": {"state": "pending"}}
        hooks.notify("customers/create", customer_body(id=1, updated_at=LATER, **consent))
        pulled(hooks, owner)
        assert hooks.customer(1).last_name == "Biller"

    def test_invalid_records_become_problems(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        fill(shopify, 2, 3)
        shopify.shop(SHOP).orders[0]["totalPriceSet"] = bag("a lot")
        shopify.shop(SHOP).orders[1]["totalPriceSet"] = bag("1.00", "USD")
        shopify.shop(SHOP).orders[2]["totalRefundedSet"] = bag("-1.00")
        store_import = pulled(hooks, owner)
        assert store_import["imported"] == {"customers": 2, "orders": 0, "products": 0}
        path = f"/stores/{hooks.store.id}/imports/{store_import['id']}/problems"
        problems = owner.call("GET", path).json["items"]
        assert [(p["index"], p["externalId"], p["code"]) for p in problems] == [
            (0, "1", "validation"),
            (1, "2", "currency_mismatch"),
            (2, "3", "validation"),
        ]
        assert problems[2]["detail"] == "/orders/2: The shop's record has a negative amount."

    def test_waits_for_other_bulk_operation(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        fill(shopify, 3, 0)
        other = Operation(1, [], 0, looks=100)
        shopify.shop(SHOP).operations.append(other)
        requests = 0

        def until_it_ended(_request: Request) -> None:
            nonlocal requests
            requests += 1
            if requests == 3:
                other.status = "COMPLETED"

        shopify.server.interruptions += [until_it_ended] * 20
        assert pulled(hooks, owner)["imported"]["customers"] == 3


class TestSpool:
    @given(
        st.lists(st.integers(0, 5), max_size=12),
        st.randoms(use_true_random=False),
        st.integers(1, 40),
    )
    def test_lines_are_joined_in_any_order(
        self, children: list[int], shuffled: random.Random, piece: int
    ) -> None:
        """Against a plain join of the file's lines."""
        roots = [{"id": f"r{n}", "text": "é\u2028"} for n in range(len(children))]
        lines: list[dict[str, Any]] = list(roots)
        for root, count in zip(roots, children, strict=True):
            lines += [{"id": f"{root['id']}c{n}", "__parentId": root["id"]} for n in range(count)]
        shuffled.shuffle(lines)
        file = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()
        with Spool() as spool:
            spool.fill(_cut(file, piece))
            assert len(spool) == len(roots)
            got = [spool.at(place) for place in range(len(spool))]
        assert [root for root, _ in got] == [line for line in lines if "__parentId" not in line]
        for root, found in got:
            assert found == [line for line in lines if line.get("__parentId") == root["id"]]

    def test_cut_and_duplicate_lines_are_skipped(self) -> None:
        with Spool() as spool:
            spool.fill([b'{"id": "a"}\n\n{"id": "a"}\n{"id": "b"}\n{"id": "c'])
            assert [spool.at(place)[0]["id"] for place in range(len(spool))] == ["a", "b"]


def _cut(file: bytes, piece: int) -> Iterator[bytes]:
    return (file[at : at + piece] for at in range(0, len(file), piece))
