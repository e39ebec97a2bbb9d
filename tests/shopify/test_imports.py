"""Pulling what a shop has: in order, whole, and once, whatever happens on the way."""

import json
import random
from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.wrappers import Request, Response

from local.events.pumps import pump_queue
from local.shopify.customers import Consent, ShopCustomer
from local.shopify.exports import Operation
from storepost.orders.model import Amounts, FinancialStatus, FulfillmentStatus, LineItem
from storepost.people.consent.states import ConsentState
from storepost.platform.messaging.outbox import PARTITION
from storepost.platform.messaging.tries import RECEIVES, TRIES
from storepost.shopify.errors import RequestRefused
from storepost.stores.stores.model import ConnectionStatus
from storepost.sync.pulls import exports, running
from storepost.sync.pulls.exports import Export
from storepost.sync.pulls.spool import Spool
from storepost.sync.records.reading import moment_of
from storepost.sync.webhooks.messages import Webhook
from storepost.sync.webhooks.people import customer_deleted
from storepost.values import clock
from tests.harness.call_interruption import Killed
from tests.harness.crash_points import crashes
from tests.harness.world import CANARY, Answer, Someone, World
from tests.shopify.hooks import (
    CREATED,
    CUSTOMER,
    EMAIL,
    LATER,
    ORDER,
    PHONE,
    UPDATED,
    Hooks,
    customer_body,
)
from tests.shopify.shops import SHOP, Shopify, connection_is

SCOPE = {"scope": "customers_orders"}


def bag(amount: str, currency: str = "EUR") -> dict[str, Any]:
    """An amount as the Admin API tells it."""
    money = {"amount": amount, "currencyCode": currency}
    return {"shopMoney": money, "presentmentMoney": money}


def line_node(number: int, **told: Any) -> dict[str, Any]:
    """A line of an order."""
    return {
        "id": f"gid://shopify/LineItem/{number}",
        "title": f"Scarf {number}",
        "variantTitle": "green",
        "sku": "SCARF-G",
        "quantity": 2,
        "isGiftCard": False,
        "product": {"id": "gid://shopify/Product/632910392"},
        "variant": {"id": "gid://shopify/ProductVariant/39072856"},
        "originalUnitPriceSet": bag("20.00"),
        "discountAllocations": [{"allocatedAmountSet": bag("3.34")}],
        **told,
    }


def order_node(number: int, customer: ShopCustomer | None, **told: Any) -> dict[str, Any]:
    """An order as the Admin API tells of it."""
    return {
        "id": f"gid://shopify/Order/{number}",
        "name": f"#{number}",
        "createdAt": CREATED,
        "processedAt": CREATED,
        "updatedAt": UPDATED,
        "cancelledAt": None,
        "test": False,
        "customerLocale": "de-AT",
        "sourceName": "web",
        "email": None,
        "phone": None,
        "displayFinancialStatus": "PARTIALLY_REFUNDED",
        "displayFulfillmentStatus": "IN_PROGRESS",
        "discountCodes": ["TENOFF"],
        "totalPriceSet": bag("43.28"),
        "subtotalPriceSet": bag("36.66"),
        "totalDiscountsSet": bag("3.34"),
        "totalShippingPriceSet": bag("5.00"),
        "totalTaxSet": bag("6.11"),
        "totalRefundedSet": bag("10.00"),
        "customer": customer.node() if customer else None,
        "lineItems": [line_node(number * 10), line_node(number * 10 + 1)],
        **told,
    }


def fill(shopify: Shopify, customers: int, orders: int) -> None:
    """Customers 1 to so many, and orders of theirs."""
    shop, at = shopify.shop(SHOP), moment_of(UPDATED)
    assert at is not None
    for number in range(1, customers + 1):
        email = f"c{number}.{CANARY}@example.com"
        made = ShopCustomer(number, email, first_name=f"C{number}", created_at=at, updated_at=at)
        made.email_consent = Consent("SUBSCRIBED", at)
        shop.customers.append(made)
    for number in range(1, orders + 1):
        buyer = shop.customers[number % customers] if customers else None
        shop.orders.append(order_node(number, buyer))


def ask(hooks: Hooks, owner: Someone, body: object = SCOPE) -> Answer:
    path = f"/stores/{hooks.store.id}/imports"
    return hooks.world.call("POST", path, token=owner.token, json_body=body)


def state(hooks: Hooks, owner: Someone, import_id: str) -> dict[str, Any]:
    path = f"/stores/{hooks.store.id}/imports/{import_id}"
    return dict(hooks.world.call("GET", path, token=owner.token).json)


def pulled(hooks: Hooks, owner: Someone) -> dict[str, Any]:
    """An import, once it was worked on."""
    answer = ask(hooks, owner)
    assert answer.status == 202, answer.body
    hooks.world.deliver()
    return state(hooks, owner, answer.json["id"])


def imports_of(hooks: Hooks, owner: Someone) -> list[dict[str, Any]]:
    """The store's imports, the newest first."""
    path = f"/stores/{hooks.store.id}/imports"
    return list(hooks.world.call("GET", path, token=owner.token).json["items"])


def totals(hooks: Hooks, owner: Someone) -> tuple[int, int]:
    """How many profiles and orders the workspace has."""
    profiles = hooks.world.call("GET", "/profiles", token=owner.token).json["total"]
    return int(profiles), int(hooks.world.call("GET", "/orders", token=owner.token).json["total"])


class TestAsk:
    """POST /stores/{id}/imports."""

    def test_bad_input(self, hooks: Hooks, owner: Someone) -> None:
        assert ask(hooks, owner, {"scope": "all"}).error_paths() == ["/scope"]

    def test_queued(self, hooks: Hooks, owner: Someone) -> None:
        answer = ask(hooks, owner)
        assert answer.status == 202
        told = answer.json
        assert told.pop("id")
        assert told.pop("queuedAt")
        assert told == {
            "scope": "customers_orders",
            "status": "queued",
            "stage": None,
            "requestedBy": {"id": str(owner.id), "name": owner.name},
            "imported": {"customers": 0, "orders": 0, "products": 0},
            "error": None,
            "startedAt": None,
            "completedAt": None,
        }

    def test_one_is_open(self, hooks: Hooks, owner: Someone) -> None:
        assert ask(hooks, owner).status == 202
        assert ask(hooks, owner).problem() == (409, "import_in_progress")
        assert ask(hooks, owner, {"scope": "products"}).status == 202
        hooks.world.deliver()
        assert ask(hooks, owner).status == 202

    def test_a_custom_store(self, hooks: Hooks, owner: Someone) -> None:
        path = f"/stores/{hooks.world.store(owner)}/imports"
        answer = hooks.world.call("POST", path, token=owner.token, json_body=SCOPE)
        assert answer.problem() == (409, "store_not_pullable")

    def test_a_disconnected_one(self, hooks: Hooks, owner: Someone) -> None:
        hooks.remove_app()
        assert ask(hooks, owner).problem() == (409, "store_disconnected")

    def test_one_that_needs_approval(self, hooks: Hooks, owner: Someone) -> None:
        connection_is(hooks.store, ConnectionStatus.NEEDS_REAUTH)
        assert ask(hooks, owner).problem() == (409, "needs_reauth")

    def test_another_workspaces(self, hooks: Hooks) -> None:
        stranger = hooks.world.person()
        hooks.world.workspace(stranger)
        assert ask(hooks, stranger).problem() == (404, "not_found")


class TestFirstImport:
    """Nobody asks for it: a shop that is connected is pulled."""

    def test_once_it_is_connected(self, world: World, owner: Someone, shopify: Shopify) -> None:
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

    def test_what_it_missed_while_it_was_disconnected(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        hooks.remove_app()
        fill(shopify, 3, 2)
        shopify.connect(owner, hooks.workspace)
        hooks.world.deliver()
        assert len(imports_of(hooks, owner)) == 4
        assert totals(hooks, owner) == (3, 2)

    def test_approved_again_it_goes_on_with_what_is_open(
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
        told = pulled(hooks, owner)
        assert (told["status"], told["stage"], told["error"]) == ("completed", None, None)
        assert told["imported"] == {"customers": 40, "orders": 30, "products": 0}
        assert totals(hooks, owner) == (40, 30)

    def test_each_is_as_it_is_there(self, hooks: Hooks, owner: Someone, shopify: Shopify) -> None:
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

    def test_an_empty_shop(self, hooks: Hooks, owner: Someone) -> None:
        told = pulled(hooks, owner)
        assert told["status"] == "completed"
        assert told["imported"] == {"customers": 0, "orders": 0, "products": 0}

    def test_again(self, hooks: Hooks, owner: Someone, shopify: Shopify) -> None:
        fill(shopify, 10, 10)
        pulled(hooks, owner)
        assert pulled(hooks, owner)["imported"] == {"customers": 10, "orders": 10, "products": 0}
        assert totals(hooks, owner) == (10, 10)

    def test_the_token_has_ended(self, hooks: Hooks, owner: Someone, shopify: Shopify) -> None:
        fill(shopify, 2, 0)
        installation = shopify.shop(SHOP).installation
        assert installation is not None
        installation.access_token = "another"
        assert pulled(hooks, owner)["imported"]["customers"] == 2
        assert shopify.token_requests() == 1

    def test_what_came_by_webhook_since_is_newer(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        fill(shopify, 1, 0)
        said = {"email_marketing_consent": {"state": "pending"}}
        hooks.tell("customers/create", customer_body(id=1, updated_at=LATER, **said))
        pulled(hooks, owner)
        assert hooks.customer(1).last_name == "Biller"

    def test_what_cannot_be_read_becomes_a_problem(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        fill(shopify, 2, 3)
        shopify.shop(SHOP).orders[0]["totalPriceSet"] = bag("a lot")
        shopify.shop(SHOP).orders[1]["totalPriceSet"] = bag("1.00", "USD")
        shopify.shop(SHOP).orders[2]["totalRefundedSet"] = bag("-1.00")
        told = pulled(hooks, owner)
        assert told["imported"] == {"customers": 2, "orders": 0, "products": 0}
        path = f"/stores/{hooks.store.id}/imports/{told['id']}/problems"
        problems = hooks.world.call("GET", path, token=owner.token).json["items"]
        assert [(p["index"], p["externalId"], p["code"]) for p in problems] == [
            (0, "1", "validation"),
            (1, "2", "currency_mismatch"),
            (2, "3", "validation"),
        ]
        assert problems[2]["detail"] == "/orders/2: The shop's record has a negative amount."

    def test_the_shop_is_busy_with_another(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        fill(shopify, 3, 0)
        other = Operation(1, [], 0, looks=100)
        shopify.shop(SHOP).operations.append(other)
        asked = 0

        def until_it_ended(_request: Request) -> None:
            nonlocal asked
            asked += 1
            if asked == 3:
                other.status = "COMPLETED"

        shopify.server.interruptions += [until_it_ended] * 20
        assert pulled(hooks, owner)["imported"]["customers"] == 3


class TestPartial:
    def test_what_broke_off_goes_on_behind_it(
        self, hooks: Hooks, owner: Someone, shopify: Shopify, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fill(shopify, 30, 0)
        shop = shopify.shop(SHOP)
        real = Operation.node

        def breaks_off(operation: Operation, address: str) -> dict[str, Any]:
            if operation.number == 1 and operation.status == "COMPLETED":
                operation.status = "FAILED"
                operation.lines = [*operation.lines[:12], operation.lines[12][:20]]
            return real(operation, address)

        monkeypatch.setattr(Operation, "node", breaks_off)
        told = pulled(hooks, owner)
        assert (told["status"], told["imported"]["customers"]) == ("completed", 30)
        assert [o.records for o in shop.operations] == [30, 18, 0]

    def test_again_and_again(self, hooks: Hooks, owner: Someone, shopify: Shopify) -> None:
        fill(shopify, 3, 0)
        shopify.shop(SHOP).files = ""

        def fails(_request: Request) -> None:
            for operation in shopify.shop(SHOP).operations:
                operation.ends, operation.lines = "FAILED", []

        shopify.server.interruptions += [fails] * 100
        told = pulled(hooks, owner)
        assert (told["status"], told["error"]) == ("failed", "export_failed")
        assert len(shopify.shop(SHOP).operations) == running.MAX_BROKEN

    def test_a_file_that_lacks_records_is_fetched_again(
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
    def test_nobody_approves_of_the_app(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        shopify.shop(SHOP).installation = None
        told = pulled(hooks, owner)
        assert (told["status"], told["error"]) == ("failed", "store_unreachable")
        assert ask(hooks, owner).problem() == (409, "needs_reauth")

    def test_a_scope_is_missing(self, hooks: Hooks, owner: Someone, shopify: Shopify) -> None:
        installation = shopify.shop(SHOP).installation
        assert installation is not None
        installation.scopes = ("read_orders",)
        fill(shopify, 1, 0)
        told = pulled(hooks, owner)
        assert (told["status"], told["error"]) == ("failed", "export_failed")

    def test_the_shop_is_down_for_long(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        shopify.server.interruptions += [lambda _: Response(status=503)] * 100
        answer = ask(hooks, owner)
        hooks.world.deliver_outbox()
        for _ in range(TRIES):
            pump_queue("StoreImportQueue", 0)
        told = state(hooks, owner, answer.json["id"])
        assert (told["status"], told["error"]) == ("failed", "store_unreachable")

    @pytest.mark.parametrize("ends", ["completed", "failed"])
    def test_what_waits_behind_has_tries_of_its_own(
        self,
        hooks: Hooks,
        owner: Someone,
        shopify: Shopify,
        monkeypatch: pytest.MonkeyPatch,
        ends: str,
    ) -> None:
        """The message's last try brings the first import to its end, whichever that is."""
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

    def test_each_try_was_killed(
        self, hooks: Hooks, owner: Someone, shopify: Shopify, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As a lack of memory does; the queue brings it once more, and it isn't tried."""
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
        told = state(hooks, owner, answer.json["id"])
        assert (told["status"], told["error"]) == ("failed", "import_failed")

    def test_it_takes_too_long(self, hooks: Hooks, owner: Someone, shopify: Shopify) -> None:
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

    def test_disconnected_meanwhile(
        self, hooks: Hooks, owner: Someone, shopify: Shopify, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fill(shopify, 3, 0)
        answer, fetch = ask(hooks, owner), exports.fetch

        def fetched(export: Export, spool: Spool, seconds: float) -> None:
            path = f"/stores/{hooks.store.id}/disconnect"
            assert hooks.world.call("POST", path, token=owner.token).status == 200
            fetch(export, spool, seconds)

        monkeypatch.setattr(running, "fetch", fetched)
        running.pull(hooks.store, 1, lambda: 10**6)
        told = state(hooks, owner, answer.json["id"])
        assert (told["status"], told["error"]) == ("failed", "store_disconnected")
        assert told["imported"]["customers"] == 0

    def test_deleted_since_the_export(
        self, hooks: Hooks, owner: Someone, shopify: Shopify, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The shop tells of it before what the file has of them is written."""
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
    def test_anywhere(self, hooks: Hooks, owner: Someone, shopify: Shopify) -> None:
        """Killed at any call to AWS, the next run ends it with the same counts."""
        fill(shopify, 3, 3)
        ask(hooks, owner)
        hooks.world.deliver_outbox()
        outside = [shopify.server.pretend.shops]

        def work() -> None:
            running.pull(hooks.store, 1, lambda: 10**6)

        found = crashes(hooks.world, work, outside=outside, deliver=False)
        assert len(found.places) >= 8
        for places in found:
            for operation in shopify.shop(SHOP).operations:
                operation.status = "COMPLETED"
            work()
            assert totals(hooks, owner) == (3, 3), places
            told = imports_of(hooks, owner)[0]
            assert told["status"] == "completed", places
            assert told["imported"] == {"customers": 3, "orders": 3, "products": 0}

    def test_out_of_time_it_goes_on(self, hooks: Hooks, owner: Someone, shopify: Shopify) -> None:
        """With time for one chunk a run, each run sends the next."""
        fill(shopify, 60, 0)
        ask(hooks, owner)
        hooks.world.deliver_outbox()
        runs = 0
        while runs < 60:
            runs += 1
            running.pull(hooks.store, 1, lambda: 0)
            told = imports_of(hooks, owner)[0]
            if told["status"] == "completed":
                break
        assert told["imported"]["customers"] == 60
        assert 5 < runs < 60


class TestSpool:
    @given(
        st.lists(st.integers(0, 5), max_size=12),
        st.randoms(use_true_random=False),
        st.integers(1, 40),
    )
    def test_lines_in_any_order(
        self, children: list[int], shuffled: random.Random, piece: int
    ) -> None:
        """Against a plain join of all that the file has."""
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

    def test_what_breaks_off_and_what_comes_twice(self) -> None:
        with Spool() as spool:
            spool.fill([b'{"id": "a"}\n\n{"id": "a"}\n{"id": "b"}\n{"id": "c'])
            assert [spool.at(place)[0]["id"] for place in range(len(spool))] == ["a", "b"]


def _cut(file: bytes, piece: int) -> Iterator[bytes]:
    return (file[at : at + piece] for at in range(0, len(file), piece))
