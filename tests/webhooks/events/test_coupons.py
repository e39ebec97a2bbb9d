"""Events of coupons and their codes: each type by the operation that causes it."""

from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any
from unittest import mock
from uuid import UUID

import pytest

from local.events import pumps
from storepost.coupons import loading
from storepost.coupons.messages import CouponMessage
from storepost.coupons.worker import resume
from storepost.platform.jobs.runs import Run
from storepost.platform.persistence.item import Key, Raw
from storepost.platform.persistence.loads.row_writes import insert_rows
from tests.harness.call_interruption import Killed, Side, around_calls
from tests.orders.sample import order
from tests.webhooks.events.shop import EMAIL, Shop, of


def coupon(shop: Shop, **overrides: object) -> str:
    """The id of a coupon, by default a pool of three codes."""
    body = {
        "storeId": shop.store,
        "name": "Spring",
        "kind": "bulk",
        "quantity": 3,
        "valueType": "percentage",
        "value": 10,
        "validity": {"type": "none"},
        "reissue": "after_use_or_expiry",
        **overrides,
    }
    sent = {name: value for name, value in body.items() if value is not None}
    return str(shop.call("POST", "/coupons", sent).json["id"])


def assign(shop: Shop, coupon_id: str) -> dict[str, Any]:
    """A code that was assigned to a customer of the store."""
    body = {"email": EMAIL, "externalCreatedAt": "2026-01-01T00:00:00Z"}
    body["externalUpdatedAt"] = body["externalCreatedAt"]
    shop.call("PUT", f"/stores/{shop.store}/customers/c-1", body)
    code: dict[str, Any] = shop.call(
        "POST", f"/coupons/{coupon_id}/assign", {"profileId": shop.profile()}
    ).json
    return code


def as_answered(shop: Shop, code_id: str, coupon_id: str) -> dict[str, Any]:
    """The answer of the code's own operation, with its coupon."""
    return {**shop.get(f"/coupon-codes/{code_id}"), "couponId": coupon_id}


@pytest.fixture
def pool(shop: Shop) -> str:
    """A pool of three codes whose creation was sent."""
    coupon_id = coupon(shop)
    shop.delivered()
    return coupon_id


class TestCreated:
    def test_payload_equals_the_response_and_codes_cause_no_events(self, shop: Shop) -> None:
        coupon_id = coupon(shop)
        [event] = shop.events()
        assert (event.type, of(event)) == ("coupon.created", ("coupon", UUID(coupon_id)))
        assert shop.data(event) == shop.get(f"/coupons/{coupon_id}")
        shop.world.deliver()
        assert shop.types() == []

    def test_by_an_import(self, shop: Shop) -> None:
        body = {"storeId": shop.store, "name": "Brought", "content": "code\nA-1\nA-2\n"}
        more = {"validity": {"type": "none"}, "reissue": "every_email"}
        shop.call("POST", "/coupons/import", {**body, **more})
        assert shop.types() == ["coupon.created"]


class TestEnded:
    def test_by_request(self, shop: Shop, pool: str) -> None:
        shop.call("POST", f"/coupons/{pool}/end")
        event = shop.only("coupon.ended")
        assert of(event) == ("coupon", UUID(pool))
        assert shop.data(event) == shop.get(f"/coupons/{pool}")

    def test_archiving_an_ended_coupon_causes_no_event(self, shop: Shop, pool: str) -> None:
        shop.call("POST", f"/coupons/{pool}/end")
        shop.delivered()
        shop.call("POST", f"/coupons/{pool}/archive")
        assert "coupon.ended" not in shop.types()

    def test_by_expiry(self, shop: Shop) -> None:
        end = {"type": "until", "endsAt": "2027-01-01T00:00:00Z"}
        coupon_id = coupon(shop, validity=end)
        shop.delivered()
        shop.world.advance(days=365)
        pumps.run_schedule("coupon_expiry")
        assert of(shop.only("coupon.ended")) == ("coupon", UUID(coupon_id))

    def test_renaming_causes_no_event(self, shop: Shop, pool: str) -> None:
        shop.call("PATCH", f"/coupons/{pool}", {"name": "Summer"})
        assert shop.types() == []


class TestAssigned:
    def test_payload_equals_the_response(self, shop: Shop, pool: str) -> None:
        code = assign(shop, pool)
        event = shop.only("coupon_code.assigned")
        assert of(event) == ("coupon_code", UUID(code["id"]))
        assert shop.data(event) == as_answered(shop, code["id"], pool)

    def test_reassigned_code_causes_no_event(self, shop: Shop, pool: str) -> None:
        assign(shop, pool)
        shop.delivered()
        assign(shop, pool)
        assert "coupon_code.assigned" not in shop.types()

    def test_by_a_personal_code(self, shop: Shop) -> None:
        personal = coupon(shop, kind="personal", quantity=None)
        shop.delivered()
        code = assign(shop, personal)
        assert of(shop.only("coupon_code.assigned")) == ("coupon_code", UUID(code["id"]))


class TestUsed:
    def use(self, shop: Shop, code: str, number: str, placed_at: str) -> str:
        path = f"/stores/{shop.store}/orders/{number}"
        body = order(discountCodes=[code], placedAt=placed_at)
        return str(shop.call("PUT", path, body).json["id"])

    def test_by_an_order_and_again_by_an_earlier_order(self, shop: Shop, pool: str) -> None:
        code = assign(shop, pool)
        shop.delivered()
        for number, placed_at in (("o-1", "2026-03-01T00:00:00Z"), ("o-0", "2026-02-01T00:00:00Z")):
            order_id = self.use(shop, code["code"], number, placed_at)
            event = shop.only("coupon_code.used")
            assert of(event) == ("coupon_code", UUID(code["id"]))
            assert shop.data(event) == as_answered(shop, code["id"], pool)
            assert shop.data(event)["order"]["id"] == order_id

    def test_later_order_causes_no_event(self, shop: Shop, pool: str) -> None:
        code = assign(shop, pool)
        self.use(shop, code["code"], "o-1", "2026-03-01T00:00:00Z")
        shop.delivered()
        self.use(shop, code["code"], "o-2", "2026-04-01T00:00:00Z")
        assert "coupon_code.used" not in shop.types()

    def test_code_not_listed_yet_has_the_current_state(self, shop: Shop) -> None:
        """The event has its present state, and not that of a deleted code."""
        coupon_id = UUID(coupon(shop, quantity=50))
        loaded = partial(resume, Run(CouponMessage(shop.workspace.id, coupon_id), 1, lambda: 10**6))
        stored = self.killed_before_the_list(loaded)
        order_id = self.use(shop, stored[0], "o-1", "2026-03-01T00:00:00Z")
        event = shop.only("coupon_code.used")
        data = shop.data(event)
        assert (data["code"], data["status"], data["order"]["id"]) == (stored[0], "used", order_id)
        loaded()
        assert data == as_answered(shop, data["id"], str(coupon_id))

    def killed_before_the_list(self, work: Callable[[], None]) -> list[str]:
        """The codes that a worker stores before it is killed; no list shows them."""
        stored = list[str]()

        def kill(_number: int, operation: str, side: Side) -> None:
            if stored and operation == "TransactWriteItems" and side is Side.BEFORE:
                raise Killed

        def insert(rows: Iterable[Raw]) -> list[Key]:
            found = list(rows)
            stored.extend(row["code"]["S"] for row in found)
            return insert_rows(found)

        patched = mock.patch.object(loading, "insert_rows", insert)
        with patched, around_calls(kill), pytest.raises(Killed):
            work()
        return stored


class TestExpired:
    def test_by_validity_in_days(self, shop: Shop) -> None:
        days = coupon(shop, validity={"type": "days", "days": 1})
        shop.delivered()
        code = assign(shop, days)
        shop.delivered()
        shop.world.advance(days=1, seconds=1)
        pumps.run_schedule("coupon_expiry")
        event = shop.only("coupon_code.expired")
        assert of(event) == ("coupon_code", UUID(code["id"]))
        assert shop.data(event) == as_answered(shop, code["id"], days)

    def test_unassigned_codes_expire_with_the_coupon(self, shop: Shop, pool: str) -> None:
        assign(shop, pool)
        shop.delivered()
        shop.call("POST", f"/coupons/{pool}/end")
        shop.world.deliver()
        types = Counter(event.type for event in shop.events())
        assert types == {"coupon.ended": 1, "coupon_code.expired": 2}
