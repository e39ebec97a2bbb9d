"""A pull finds records that a shop has no more: deleted once, and only those it could show."""

from datetime import timedelta
from typing import Any

import pytest
from werkzeug.wrappers import Request, Response

from local import functions
from local.events.pumps import pump_queue, reader_of
from local.functions import Context
from local.shopify.customers import ShopCustomer
from local.shopify.exports import Operation
from storepost.stores.imports.repository import ImportRepository
from storepost.sync.pulls import reconciling, running
from storepost.sync.pulls.running import MARGIN_MILLISECONDS
from storepost.values import clock
from tests.harness.world import CANARY, Someone
from tests.shopify.hooks import CREATED, CUSTOMER, ORDER, Hooks, consents, customer_body, order_body
from tests.shopify.pulls import ask, order_node, pulled, totals
from tests.shopify.shops import SHOP, Shopify, choose_existing
from tests.sync.batches.batch_store import QUEUE

ALL_ORDERS = "read_customers,write_customers,read_orders,read_products,read_all_orders"


def moment(days: int) -> str:
    """So many days ago, as Shopify writes it."""
    return clock.to_text(clock.now() - timedelta(days=days))


def fill(shopify: Shopify, customers: int, orders: int) -> None:
    """Adds customers 1 to so many and an order of each of the first, ten days old."""
    shop, at = shopify.shop(SHOP), clock.now() - timedelta(days=10)
    for n in range(1, customers + 1):
        email = f"c{n}.{CANARY}@example.com"
        shop.customers.append(ShopCustomer(n, email, created_at=at, updated_at=at))
    for n in range(1, orders + 1):
        node = order_node(n, shop.customers[n - 1], updatedAt=moment(10))
        shop.orders.append({**node, "createdAt": moment(10), "processedAt": moment(10)})


def lose(shopify: Shopify, *, customers: set[int], orders: set[int]) -> None:
    """The shop deletes them without sending that."""
    shop = shopify.shop(SHOP)
    shop.customers = [c for c in shop.customers if c.number not in customers]
    gone = {f"gid://shopify/Order/{n}" for n in orders}
    shop.orders = [order for order in shop.orders if order["id"] not in gone]


def with_all_orders(hooks: Hooks, owner: Someone, shopify: Shopify) -> None:
    """The shop shows all of its orders from now on; an old one, 900, is only stored here."""
    hooks.remove_app()
    link = shopify.link(owner, SHOP, scope=ALL_ORDERS)
    assert shopify.choose(owner, link, choose_existing(hooks.workspace)).status == 200
    old = {"processed_at": CREATED, "updated_at": CREATED, "customer": None, "email": None}
    hooks.notify("orders/create", order_body(id=900, **old))


def removed(hooks: Hooks) -> int:
    """How many records the last import deleted."""
    newest = next(ImportRepository(hooks.workspace, hooks.store.id).newest_first())
    return newest.progress.removed


def there(hooks: Hooks, customers: int, orders: int) -> tuple[list[int], list[int]]:
    """The numbers of those customers and orders that aren't deleted."""
    found = [n for n in range(1, customers + 1) if not hooks.customer(n).deleted_at]
    return found, [n for n in range(1, orders + 1) if hooks.order(n)]


class TestMissing:
    def test_missing_records_are_deleted_and_counted(
        self, hooks: Hooks, owner: Someone, shopify: Shopify, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(reconciling, "PAGE", 2)
        fill(shopify, 5, 5)
        pulled(hooks, owner)
        assert removed(hooks) == 0
        lose(shopify, customers={2, 5}, orders={3, 5})
        store_import = pulled(hooks, owner)
        assert (store_import["status"], store_import["imported"]["orders"]) == ("completed", 3)
        assert there(hooks, 5, 5) == ([1, 3, 4], [1, 2, 4])
        assert removed(hooks) == 4
        assert totals(hooks, owner) == (5, 3)
        pulled(hooks, owner)
        assert (there(hooks, 5, 5), removed(hooks)) == (([1, 3, 4], [1, 2, 4]), 0)

    def test_older_update_does_not_restore_deleted_records(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        fill(shopify, 2, 2)
        pulled(hooks, owner)
        lose(shopify, customers={2}, orders={2})
        pulled(hooks, owner)
        late = {"updated_at": moment(1), **consents("subscribed")}
        hooks.notify("customers/update", customer_body(id=2, **late))
        hooks.notify("orders/updated", order_body(id=2, updated_at=moment(1)))
        assert there(hooks, 2, 2) == ([1], [1])
        later = {"updated_at": moment(-1), **consents("subscribed")}
        hooks.notify("customers/update", customer_body(id=2, email=None, phone=None, **later))
        assert there(hooks, 2, 2) == ([1, 2], [1])


class TestNotMissing:
    def test_records_written_after_export_began_remain(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        fill(shopify, 2, 2)
        pulled(hooks, owner)
        at = moment(0)
        consent = {"updated_at": at, **consents("subscribed")}
        hooks.notify("customers/create", customer_body(email=None, phone=None, **consent))
        hooks.notify("orders/create", order_body(processed_at=at, updated_at=at))
        pulled(hooks, owner)
        assert hooks.customer(CUSTOMER).deleted_at is None
        assert hooks.order(ORDER) is not None
        assert removed(hooks) == 0

    def test_orders_older_than_those_shown_remain(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        """Without the scope for all orders, orders before the first one shown stay.

        The shop shows those of 60 days then.
        """
        fill(shopify, 6, 6)
        old = {"processed_at": CREATED, "updated_at": CREATED, "customer": None, "email": None}
        hooks.notify("orders/create", order_body(id=900, **old))
        pulled(hooks, owner)
        lose(shopify, customers=set(), orders={1, 4})
        pulled(hooks, owner)
        assert there(hooks, 6, 6)[1] == [1, 2, 3, 5, 6]
        assert hooks.order(900) is not None
        assert removed(hooks) == 1

    def test_missing_old_orders_are_deleted_with_read_all_orders(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        with_all_orders(hooks, owner, shopify)
        pulled(hooks, owner)
        assert hooks.order(900) is None
        assert removed(hooks) == 1

    @pytest.mark.parametrize("topics", [["app/scopes_update"], []])
    def test_old_orders_remain_once_read_all_orders_is_withdrawn(
        self, hooks: Hooks, owner: Someone, shopify: Shopify, topics: list[str]
    ) -> None:
        """Whether or not the shop's webhook of that arrived."""
        with_all_orders(hooks, owner, shopify)
        installation = shopify.shop(SHOP).installation
        assert installation is not None
        installation.scopes = tuple(s for s in installation.scopes if s != "read_all_orders")
        for topic in topics:
            hooks.notify(topic, {"id": 1})
        assert pulled(hooks, owner)["status"] == "completed"
        assert hooks.order(900) is not None
        assert removed(hooks) == 0

    def test_read_all_orders_granted_after_export_does_not_count(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        old = {"processed_at": CREATED, "updated_at": CREATED, "customer": None, "email": None}
        hooks.notify("orders/create", order_body(id=900, **old))
        fill(shopify, 1, 1)

        def granted(request: Request) -> Response | None:
            shop = shopify.shop(SHOP)
            installation, of_orders = shop.installation, len(shop.operations) == 2
            if "/exports/" in request.path and of_orders and installation is not None:
                installation.scopes = tuple(ALL_ORDERS.split(","))
            return None

        shopify.server.interruptions += [granted] * 100
        assert pulled(hooks, owner)["status"] == "completed"
        assert (removed(hooks), hooks.order(900) is None) == (0, False)
        shopify.server.interruptions.clear()
        assert pulled(hooks, owner)["status"] == "completed"
        assert (removed(hooks), hooks.order(900) is None) == (1, True)

    def test_records_lacking_in_incomplete_file_remain(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        fill(shopify, 3, 0)
        pulled(hooks, owner)

        def lacks(request: Request) -> Response | None:
            if "/exports/" not in request.path:
                return None
            return Response(shopify.shop(SHOP).operations[-1].lines[0] + "\n")

        shopify.server.interruptions += [lacks] * 100
        assert pulled(hooks, owner)["status"] == "running"
        for _ in range(5):
            pump_queue("StoreImportQueue", 0)
        assert removed(hooks) == 0
        assert there(hooks, 3, 0)[0] == [1, 2, 3]

    def test_record_in_unreadable_line_is_left_as_it_is(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        fill(shopify, 3, 0)
        pulled(hooks, owner)

        def unreadable(request: Request) -> Response | None:
            if "/exports/" not in request.path:
                return None
            first, _, last = shopify.shop(SHOP).operations[-1].lines
            return Response(f"{first}\n{'[' * 200}\n{last}\n")

        shopify.server.interruptions += [unreadable] * 20
        store_import = pulled(hooks, owner)
        assert store_import["status"] == "completed"
        assert store_import["imported"]["customers"] == 2
        assert totals(hooks, owner)[0] == 3
        assert removed(hooks) == 0

    def test_records_of_interrupted_earlier_export_remain(
        self, hooks: Hooks, owner: Someone, shopify: Shopify, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An export that broke off is gone: only records after those that it had are looked for."""
        fill(shopify, 5, 0)
        pulled(hooks, owner)
        lose(shopify, customers={2, 5}, orders=set())
        real, first = Operation.node, len(shopify.shop(SHOP).operations) + 1

        def breaks_off(operation: Operation, address: str) -> dict[str, Any]:
            if operation.number == first and operation.status == "COMPLETED":
                operation.status, operation.lines = "FAILED", operation.lines[:2]
            return real(operation, address)

        monkeypatch.setattr(Operation, "node", breaks_off)
        assert pulled(hooks, owner)["status"] == "completed"
        assert there(hooks, 5, 0)[0] == [1, 2, 3, 4]
        assert removed(hooks) == 1


def test_run_stops_deleting_before_timeout(
    hooks: Hooks, owner: Someone, shopify: Shopify, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page of the list may lack hundreds of records."""
    fill(shopify, 40, 0)
    pulled(hooks, owner)
    lose(shopify, customers=set(range(1, 31)), orders=set())
    remaining, delete = [MARGIN_MILLISECONDS + 10_000], running._delete

    def delete_slowly(*args: Any) -> None:
        remaining[0] -= 1_000
        delete(*args)

    class Running(Context):
        def get_remaining_time_in_millis(self) -> int:
            return remaining[0]

    def context(name: str, milliseconds: int) -> Context:
        kind = Running if name == reader_of(QUEUE).name else Context
        return kind(name, milliseconds)

    with monkeypatch.context() as patch:
        patch.setattr(running, "_delete", delete_slowly)
        patch.setattr(functions, "Context", context)
        ask(hooks, owner)
        hooks.world.deliver_outbox()
        assert pump_queue(QUEUE) == 1
        assert remaining == [MARGIN_MILLISECONDS - 1_000]
        assert removed(hooks) == 11
    hooks.world.deliver()
    assert removed(hooks) == 30
