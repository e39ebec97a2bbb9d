"""Coupons of a connected shop: pools, personal codes, ends and use."""

from typing import Any
from unittest import mock
from uuid import UUID

import pytest

from local.shopify.discount_records import Discount
from storepost.coupons import shop_sync
from storepost.coupons.erasing import erase_holder
from storepost.coupons.keys import DUE_PARTITION
from storepost.coupons.model import Coupon
from storepost.coupons.rows import CouponDueItem
from storepost.coupons.shop_discounts import add_codes
from storepost.coupons.shop_sync import ShopSync
from storepost.people.profiles.repository import ProfileRepository
from storepost.shopify.errors import NeedsReauth
from storepost.sync.pulls import running
from tests.coupons.coupon_store import counts
from tests.coupons.shopify.on_shopify import OnShopify, used_by
from tests.coupons.test_coupons import in_days
from tests.shopify.hooks import Hooks, order_body
from tests.shopify.pulls import order_node
from tests.shopify.shops import SHOP


class TestPools:
    """Codes that the shop has to accept before they can be assigned."""

    def test_pool_is_created_as_discount_with_codes(self, shop: OnShopify) -> None:
        made = shop.coupon(
            quantity=30,
            validity={"type": "until", "endsAt": "2099-01-01T00:00:00Z"},
            minimumSubtotal={"amount": 5000, "currency": "EUR"},
            combinesWith={
                "orderDiscounts": True,
                "productDiscounts": False,
                "shippingDiscounts": True,
            },
        )
        assert made["codes"] == counts(pending=30)
        assert (made["externalId"], made["adminUrl"]) == (None, None)
        shop.world.deliver()
        after = shop.get(f"/coupons/{made['id']}")
        assert after["codes"] == counts(available=30)
        [discount] = shop.discounts
        assert after["externalId"] == str(discount.number)
        assert after["adminUrl"].endswith(f"{SHOP}/admin/discounts/{discount.number}")
        assert shop.there(made["id"]) == set(shop.texts(made["id"]))
        assert discount.content["title"] == "Spring"
        assert discount.content["customerGets"] == {
            "items": {"all": True},
            "value": {"percentage": 0.1},
        }
        assert discount.content["minimumRequirement"] == {
            "subtotal": {"greaterThanOrEqualToSubtotal": "50.00"}
        }
        assert discount.content["combinesWith"] == {
            "orderDiscounts": True,
            "productDiscounts": False,
            "shippingDiscounts": True,
        }
        assert discount.content["usageLimit"] == 1
        shop.check()

    def test_amount_is_sent_in_major_units(self, shop: OnShopify) -> None:
        shop.pool(1, valueType="amount", value=1250)
        shop.world.deliver()
        assert shop.discounts[0].content["customerGets"]["value"] == {
            "discountAmount": {"amount": "12.50", "appliesOnEachItem": False}
        }

    def test_many_codes_are_sent_in_several_calls(self, shop: OnShopify) -> None:
        coupon = shop.pool(260)
        shop.world.deliver()
        assert shop.get(f"/coupons/{coupon}")["codes"] == counts(available=260)
        assert [len(c.results) for c in shop.shopify.shop().creations] == [250, 10]
        assert len(shop.there(coupon)) == 260

    def test_codes_refused_by_shop_fail_individually(self, shop: OnShopify) -> None:
        coupon = shop.pool(3)
        shop.store_codes()
        texts = shop.texts(coupon)
        shop.discounts.append(Discount(99, {}, {texts[1].lower(): 99}))
        shop.work(coupon)
        assert shop.counts(coupon) == counts(available=2, failed=1)
        [failed] = shop.codes(coupon, status="failed")
        assert (failed["code"], failed["profile"]) == (texts[1], None)
        assert failed["error"] == "Code must be unique. Please try a different code."
        assert shop.there(coupon) == {texts[0], texts[2]}
        assert shop.call("DELETE", f"/coupon-codes/{failed['id']}").status == 204
        assert shop.counts(coupon) == counts(available=2)
        shop.check()

    def test_added_codes_are_sent_to_same_discount(self, shop: OnShopify) -> None:
        coupon = shop.pool(2)
        shop.world.deliver()
        shop.call("POST", f"/coupons/{coupon}/codes", {"quantity": 3})
        shop.world.deliver()
        assert shop.counts(coupon) == counts(available=5)
        assert shop.there(coupon) == set(shop.texts(coupon))
        assert len(shop.discounts) == 1


class TestPersonalCodes:
    """Codes that are made for a person."""

    def test_code_is_pending_until_shop_accepts_it(self, shop: OnShopify) -> None:
        coupon, ann = shop.personal(validity={"type": "days", "days": 1}), shop.buyer()
        code = shop.assigned(coupon, ann)
        assert (code["status"], code["assignedAt"], code["expiresAt"]) == ("pending", None, None)
        assert shop.assign(coupon, ann).json == code
        shop.world.deliver()
        [made] = shop.codes(coupon)
        assert (made["status"], made["code"]) == ("assigned", code["code"])
        assert made["expiresAt"] > made["assignedAt"] >= code["createdAt"]
        assert shop.there(coupon) == {code["code"]}
        shop.check()

    def test_discount_is_created_with_coupon(self, shop: OnShopify) -> None:
        coupon = shop.personal()
        shop.world.deliver()
        assert shop.get(f"/coupons/{coupon}")["externalId"] == str(shop.discounts[0].number)
        assert shop.there(coupon) == set()

    def test_code_refused_by_shop_fails_and_can_be_retried(self, shop: OnShopify) -> None:
        coupon, ann = shop.personal(), shop.buyer()
        shop.world.deliver()
        code = shop.assigned(coupon, ann)
        theirs = Discount(99, {}, {code["code"].lower(): 99})
        shop.discounts.append(theirs)
        shop.world.deliver()
        [failed] = shop.codes(coupon)
        assert (failed["status"], failed["profile"]["id"]) == ("failed", ann)
        assert failed["error"] == "Code must be unique. Please try a different code."
        assert shop.counts(coupon) == counts(failed=1)
        shop.discounts.remove(theirs)
        again = shop.call("POST", f"/coupon-codes/{code['id']}/retry")
        assert (again.status, again.json["status"], again.json["error"]) == (200, "pending", None)
        shop.world.deliver()
        assert shop.counts(coupon) == counts(assigned=1)
        shop.check()

    @pytest.mark.parametrize("fails", [False, True])
    def test_unassigned_code_expires_with_erasure(self, shop: OnShopify, *, fails: bool) -> None:
        coupon, ann = shop.personal(), shop.buyer()
        shop.world.deliver()
        code = shop.assigned(coupon, ann)
        if fails:
            shop.discounts.append(Discount(99, {}, {code["code"]: 99}))
            shop.world.deliver()
        # The coupon's message comes late: the person is gone by then.
        with mock.patch.object(ShopSync, "sync_some", return_value=False):
            assert shop.call("DELETE", f"/profiles/{ann}").status == 204
            shop.world.deliver()
        shop.work(coupon)
        assert shop.counts(coupon) == counts(expired=1)
        [ended] = shop.codes(coupon)
        assert (ended["profile"], ended["error"]) == (None, None)
        assert shop.there(coupon) == set()
        answer = shop.call("POST", f"/coupon-codes/{code['id']}/retry")
        assert answer.problem() == (409, "code_not_failed")
        shop.check()

    def test_code_accepted_during_erasure_is_deleted_in_shop(self, shop: OnShopify) -> None:
        coupon, ann = shop.personal(), shop.buyer()
        shop.world.deliver()
        shop.assigned(coupon, ann)
        accepted = list[str]()

        def add_and_erase(*args: Any) -> Any:
            results = add_codes(*args)
            accepted.extend(shop.there(coupon))
            erasure = ProfileRepository(shop.workspace).erasure_of(UUID(ann))
            assert erasure
            assert erase_holder(erasure) is False
            return results

        with mock.patch.object(ShopSync, "sync_some", return_value=False):
            assert shop.call("DELETE", f"/profiles/{ann}").status == 204
        with mock.patch.object(shop_sync, "add_codes", add_and_erase):
            shop.work(coupon)
        assert (len(accepted), shop.there(coupon)) == (1, set())
        assert shop.counts(coupon) == counts(expired=1)
        shop.check()

    @pytest.mark.parametrize("takes", [True, False])
    def test_code_sent_while_coupon_ends_expires(self, shop: OnShopify, *, takes: bool) -> None:
        coupon, ann = shop.personal(), shop.buyer()
        shop.world.deliver()
        shop.assigned(coupon, ann)

        def add_and_end(*args: Any) -> Any:
            results = add_codes(*args)
            assert shop.call("POST", f"/coupons/{coupon}/end").status == 200
            if not takes:
                raise NeedsReauth("not any more")
            return results

        with mock.patch.object(shop_sync, "add_codes", add_and_end):
            shop.work(coupon)
        assert shop.counts(coupon) == counts(expired=1)
        assert [row.status for row in shop.code_rows()] == ["expired"]
        if takes:
            shop.world.deliver()
            assert shop.discounts == []
        shop.check()

    def test_deleted_failed_code_does_not_block_erasure(self, shop: OnShopify) -> None:
        coupon, ann = shop.personal(), shop.buyer()
        shop.world.deliver()
        code = shop.assigned(coupon, ann)
        shop.discounts.append(Discount(99, {}, {code["code"]: 99}))
        shop.world.deliver()
        assert shop.call("DELETE", f"/profiles/{ann}").status == 204
        assert shop.call("DELETE", f"/coupon-codes/{code['id']}").status == 204
        shop.world.deliver()
        assert ProfileRepository(shop.workspace).erasure_of(UUID(ann)) is None
        assert [row for row in shop.world.rows() if row.pk.endswith(ann)] == []
        assert shop.counts(coupon) == counts()
        shop.check()

    def test_failed_code_can_be_deleted_and_replaced(self, shop: OnShopify) -> None:
        coupon, ann = shop.personal(), shop.buyer()
        shop.world.deliver()
        code = shop.assigned(coupon, ann)
        shop.discounts.append(Discount(99, {}, {code["code"]: 99}))
        shop.world.deliver()
        assert shop.assign(coupon, ann).json["status"] == "failed"
        assert shop.call("DELETE", f"/coupon-codes/{code['id']}").status == 204
        other = shop.assigned(coupon, ann)
        assert other["code"] != code["code"]
        shop.world.deliver()
        assert shop.counts(coupon) == counts(assigned=1)
        shop.call("POST", f"/coupons/{coupon}/end")

    def test_retry_is_refused_once_coupon_has_ended(self, shop: OnShopify) -> None:
        coupon, ann = shop.personal(), shop.buyer()
        shop.world.deliver()
        code = shop.assigned(coupon, ann)
        shop.discounts.append(Discount(99, {}, {code["code"]: 99}))
        shop.world.deliver()
        shop.call("POST", f"/coupons/{coupon}/end")
        answer = shop.call("POST", f"/coupon-codes/{code['id']}/retry")
        assert answer.problem() == (409, "coupon_ended")


class TestRemovalFromShop:
    """Codes that are to be removed from the shop."""

    def test_ending_coupon_deletes_unassigned_codes(self, shop: OnShopify) -> None:
        coupon, ann = shop.pool(3), shop.buyer()
        shop.world.deliver()
        code = shop.assigned(coupon, ann)
        shop.call("POST", f"/coupons/{coupon}/end")
        shop.world.deliver()
        assert shop.counts(coupon) == counts(assigned=1, expired=2)
        assert shop.there(coupon) == {code["code"]}
        assert shop.get(f"/coupons/{coupon}")["externalId"] is not None
        shop.check()

    def test_last_use_after_end_deletes_discount(self, shop: OnShopify) -> None:
        coupon = shop.pool(3)
        shop.world.deliver()
        first, second = (shop.assigned(coupon, shop.buyer())["code"] for _ in range(2))
        used_by(shop, first)
        shop.call("POST", f"/coupons/{coupon}/end")
        shop.world.deliver()
        assert shop.there(coupon) == {first, second}
        used_by(shop, second)
        assert shop.discounts == []
        assert shop.get(f"/coupons/{coupon}")["codes"] == counts(used=2, expired=1)
        shop.check()

    def test_use_concurrent_with_end_deletes_discount_later(self, shop: OnShopify) -> None:
        coupon = shop.pool(1)
        shop.world.deliver()
        code = shop.assigned(coupon, shop.buyer())["code"]
        shop.call("POST", f"/coupons/{coupon}/end")
        shop.world.deliver()
        with mock.patch.object(Coupon, "is_active", return_value=True):
            used_by(shop, code)
        assert shop.there(coupon) == {code}
        shop.world.advance(minutes=20)
        shop.run_expiry()
        assert shop.discounts == []
        assert [
            row for row in shop.world.rows(DUE_PARTITION) if isinstance(row, CouponDueItem)
        ] == []

    def test_ending_without_assigned_codes_deletes_discount(self, shop: OnShopify) -> None:
        coupon = shop.pool(3)
        shop.world.deliver()
        shop.call("POST", f"/coupons/{coupon}/end")
        shop.world.deliver()
        assert shop.discounts == []
        after = shop.get(f"/coupons/{coupon}")
        assert (after["externalId"], after["adminUrl"]) == (None, None)
        assert after["codes"] == counts(expired=3)

    def test_code_with_validity_days_is_deleted_on_expiry(self, shop: OnShopify) -> None:
        coupon, ann = shop.pool(2, validity={"type": "days", "days": 1}), shop.buyer()
        shop.world.deliver()
        code = shop.assigned(coupon, ann)
        shop.world.advance(days=1)
        shop.run_expiry()
        assert shop.counts(coupon) == counts(available=1, expired=1)
        assert code["code"] not in shop.there(coupon)
        assert len(shop.there(coupon)) == 1
        shop.check()

    def test_discount_is_deleted_when_coupon_expires(self, shop: OnShopify) -> None:
        coupon, ann = shop.pool(2, validity={"type": "until", "endsAt": in_days(1)}), shop.buyer()
        shop.world.deliver()
        shop.assigned(coupon, ann)
        shop.world.advance(days=1)
        shop.run_expiry()
        assert shop.counts(coupon) == counts(expired=2)
        assert shop.discounts == []
        shop.check()

    def test_deleted_code_is_deleted_in_shop(self, shop: OnShopify) -> None:
        coupon = shop.pool(2)
        shop.world.deliver()
        gone, stays = shop.codes(coupon)
        assert shop.call("DELETE", f"/coupon-codes/{gone['id']}").status == 204
        shop.world.deliver()
        assert shop.there(coupon) == {stays["code"]}

    def test_codes_expired_before_sync_are_never_sent(self, shop: OnShopify) -> None:
        coupon = shop.pool(2)
        ended = shop.call("POST", f"/coupons/{coupon}/end")
        assert ended.json["codes"] == counts(expired=2)
        shop.world.deliver()
        assert shop.get(f"/coupons/{coupon}")["codes"] == counts(expired=2)
        assert shop.discounts == []


class TestUse:
    """Orders that the shop's own webhooks bring."""

    def test_order_webhook_marks_code_used(self, shop: OnShopify) -> None:
        coupon = shop.pool(2)
        shop.world.deliver()
        code = shop.texts(coupon)[0]
        hooks = Hooks(shop.world, shop.workspace, shop.connected, shop.shopify)
        discount = {"code": code.lower(), "amount": "1.00", "type": "percentage"}
        hooks.notify("orders/create", order_body(discount_codes=[discount]))
        [used] = shop.codes(coupon, status="used")
        order = hooks.order()
        assert order is not None
        assert (used["code"], used["order"]["id"]) == (code, str(order.id))
        shop.check()

    def test_order_import_marks_code_used(
        self, shop: OnShopify, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(running, "sleep", lambda _seconds: None)
        coupon = shop.pool(2)
        shop.world.deliver()
        code = shop.texts(coupon)[0]
        shop.shopify.shop().orders.append(order_node(7, None, discountCodes=[code]))
        path = f"/stores/{shop.store_id}/imports"
        assert shop.call("POST", path, {"scope": "customers_orders"}).status == 202
        shop.world.deliver()
        assert shop.texts(coupon, status="used") == [code]
        shop.check()
