"""A shop's webhooks of orders."""

from datetime import timedelta
from itertools import permutations
from typing import Any

import pytest

from storepost.orders.model import Amounts, FinancialStatus, FulfillmentStatus, LineItem
from storepost.sync.records.reading import moment_of
from storepost.values import clock
from tests.harness.world import CANARY, Someone
from tests.shopify.hooks import (
    CREATED,
    CUSTOMER,
    EMAIL,
    LATER,
    ORDER,
    UPDATED,
    Hooks,
    line_body,
    money,
    order_body,
)


def listed(hooks: Hooks, owner: Someone) -> int:
    answer = owner.call("GET", "/orders")
    assert answer.status == 200
    return int(answer.json["total"])


class TestCreate:
    """orders/create."""

    def test_all_fields(self, hooks: Hooks, owner: Someone) -> None:
        hooks.notify("orders/create", order_body())
        order = hooks.order()
        assert order is not None
        assert (order.number, order.external_id) == ("#1001", str(ORDER))
        assert (order.placed_at, order.updated_at) == (moment_of(CREATED), moment_of(UPDATED))
        assert order.financial_status is FinancialStatus.PARTIALLY_REFUNDED
        assert order.fulfillment_status is FulfillmentStatus.PARTIALLY_FULFILLED
        assert order.amounts == Amounts(4328, 3666, 334, 500, 611, 1000)
        assert (order.currency, order.locale, order.source_name) == ("EUR", "de-AT", "web")
        assert order.admin_url == f"{hooks.store.admin_url}/orders/{ORDER}"
        assert order.discount_codes == ("TENOFF",)
        assert order.line_items == (
            LineItem("Scarf", "green", "SCARF-G", 2, 2000, 334, False, "632910392", "39072856"),
        )
        assert order.customer_external_id == str(CUSTOMER)
        assert listed(hooks, owner) == 1
        [profile] = owner.call("GET", "/profiles").json["items"]
        assert (profile["email"], profile["name"]) == (EMAIL, "Barnabas")

    def test_guest_order(self, hooks: Hooks, owner: Someone) -> None:
        hooks.notify(
            "orders/create", order_body(customer=None, email=f"guest.{CANARY}@example.com")
        )
        [profile] = owner.call("GET", "/profiles").json["items"]
        assert profile["email"] == f"guest.{CANARY}@example.com"

    def test_order_without_buyer(self, hooks: Hooks) -> None:
        hooks.notify("orders/create", order_body(customer=None, email="", phone="555-1212"))
        order = hooks.order()
        assert order is not None
        assert order.profile_id is None

    def test_order_in_other_currency_than_store_is_skipped(
        self, hooks: Hooks, owner: Someone
    ) -> None:
        hooks.notify("orders/create", order_body(total_price_set=money("43.28", "USD")))
        assert hooks.order() is None

    def test_refund_in_buyers_currency_is_converted(self, hooks: Hooks) -> None:
        """A refund in the buyer's currency counts at the order's rate."""
        total = money("50.00", "EUR", ("100.00", "USD"))
        back = {"kind": "refund", "status": "success", "amount": "25.00", "currency": "USD"}
        refunds = [{"transactions": [back]}, {"transactions": [back]}]
        hooks.notify("orders/create", order_body(total_price_set=total, refunds=refunds))
        order = hooks.order()
        assert order is not None
        assert (order.amounts.total, order.amounts.total_refunded) == (5000, 2500)

    @pytest.mark.parametrize(
        ("shopify_status", "status"),
        [
            (None, FinancialStatus.PENDING),
            ("expired", FinancialStatus.VOIDED),
            ("authorized", FinancialStatus.AUTHORIZED),
        ],
    )
    def test_financial_status(
        self, hooks: Hooks, shopify_status: str | None, status: FinancialStatus
    ) -> None:
        hooks.notify("orders/create", order_body(financial_status=shopify_status))
        order = hooks.order()
        assert order is not None
        assert order.financial_status is status

    @pytest.mark.parametrize(
        ("shopify_status", "status"),
        [
            (None, FulfillmentStatus.UNFULFILLED),
            ("fulfilled", FulfillmentStatus.FULFILLED),
            ("restocked", FulfillmentStatus.RESTOCKED),
            ("on_hold", FulfillmentStatus.UNFULFILLED),
        ],
    )
    def test_fulfillment_status(
        self, hooks: Hooks, shopify_status: str | None, status: FulfillmentStatus
    ) -> None:
        hooks.notify("orders/create", order_body(fulfillment_status=shopify_status))
        order = hooks.order()
        assert order is not None
        assert order.fulfillment_status is status

    def test_excess_lines_and_codes_are_truncated(self, hooks: Hooks) -> None:
        codes = [{"code": f"C{number}"} for number in range(7)]
        lines = [line_body(title=f"Line {number}") for number in range(260)]
        hooks.notify("orders/create", order_body(discount_codes=codes, line_items=lines))
        order = hooks.order()
        assert order is not None
        assert order.discount_codes == ("C0", "C1", "C2", "C3", "C4")
        assert (len(order.line_items), order.line_items[-1].title) == (250, "Line 249")

    @pytest.mark.parametrize(
        "overrides",
        [
            {"id": None},
            {"id": "abc"},
            {"updated_at": None},
            {"updated_at": "yesterday"},
            {"total_price_set": None},
            {"total_price_set": money("a lot")},
            {"total_price_set": money("NaN")},
            {"total_price_set": money("1.00", "XQX")},
            {"total_price_set": money("1e400")},
            {"total_price_set": money("-0.01")},
            {"total_discounts_set": money("-0.01")},
            {"line_items": [line_body(price_set=money("-0.01"))]},
        ],
    )
    def test_invalid_order_is_skipped(self, hooks: Hooks, overrides: dict[str, Any]) -> None:
        hooks.notify("orders/create", order_body(**overrides))
        assert hooks.order() is None


class TestUpdated:
    """orders/updated."""

    def test_result_is_independent_of_arrival_order(self, hooks: Hooks, owner: Someone) -> None:
        bodies = [
            order_body(),
            order_body(updated_at=LATER, cancelled_at=LATER),
            order_body(updated_at=CREATED, name="#old"),
        ]
        for number, order in enumerate(permutations(bodies)):
            for body in order:
                hooks.notify("orders/updated", {**body, "id": number + 1})
            stored = hooks.order(number + 1)
            assert stored is not None
            assert (stored.number, stored.cancelled, stored.updated_at) == (
                "#1001",
                True,
                moment_of(LATER),
            )
        assert listed(hooks, owner) == 6

    def test_duplicate_webhook_writes_nothing(self, hooks: Hooks) -> None:
        hooks.notify("orders/create", order_body())
        before, rows = hooks.order(), hooks.rows
        hooks.notify("orders/updated", order_body())
        assert (hooks.order(), hooks.rows) == (before, rows)


class TestDelete:
    """orders/delete."""

    def test_order_leaves_lists_and_totals(self, hooks: Hooks, owner: Someone) -> None:
        hooks.notify("orders/create", order_body())
        hooks.notify("orders/delete", {"id": ORDER})
        assert hooks.order() is None
        assert listed(hooks, owner) == 0
        [profile] = owner.call("GET", "/profiles").json["items"]
        whole = owner.call("GET", f"/profiles/{profile['id']}").json
        assert (whole["orders"], whole["spent"]) == (0, [])

    def test_newer_update_restores_order(self, hooks: Hooks, owner: Someone) -> None:
        """Its recorded events aren't added twice: there are as many as are counted."""
        hooks.notify("orders/create", order_body())
        hooks.notify("orders/delete", {"id": ORDER})
        newer = (clock.now() + timedelta(seconds=5)).isoformat()
        hooks.notify("orders/updated", order_body(updated_at=newer))
        assert hooks.order() is not None
        [profile] = owner.call("GET", "/profiles").json["items"]
        events = owner.call("GET", f"/profiles/{profile['id']}/events").json
        names = sorted(event["name"] for event in events["items"])
        assert (names, events["total"]) == (["order_placed", "order_refunded"], 2)

    def test_deletion_before_creation_wins(self, hooks: Hooks, owner: Someone) -> None:
        hooks.notify("orders/delete", {"id": ORDER})
        hooks.notify("orders/create", order_body())
        assert hooks.order() is None
        assert listed(hooks, owner) == 0

    def test_restored_order_records_no_second_event(self, hooks: Hooks, owner: Someone) -> None:
        hooks.notify("orders/create", order_body())
        [profile] = owner.call("GET", "/profiles").json["items"]
        path = f"/profiles/{profile['id']}/events"
        before = owner.call("GET", path).json["items"]
        assert "order_placed" in {event["name"] for event in before}
        hooks.notify("orders/delete", {"id": ORDER})
        hooks.world.advance(minutes=1)
        hooks.notify("orders/updated", order_body(updated_at=clock.now().isoformat()))
        assert listed(hooks, owner) == 1
        after = owner.call("GET", path).json["items"]
        assert [event["name"] for event in after] == [event["name"] for event in before]

    def test_older_update_does_not_restore_order(self, hooks: Hooks) -> None:
        hooks.notify("orders/create", order_body())
        late = (clock.now() - timedelta(seconds=5)).isoformat()
        hooks.notify("orders/delete", {"id": ORDER})
        hooks.notify("orders/updated", order_body(updated_at=late))
        assert hooks.order() is None

    def test_duplicate_webhook(self, hooks: Hooks, owner: Someone) -> None:
        hooks.notify("orders/create", order_body())
        for _ in range(2):
            hooks.notify("orders/delete", {"id": ORDER})
        assert listed(hooks, owner) == 0
