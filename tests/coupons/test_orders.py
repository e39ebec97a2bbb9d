"""Codes that orders carry, by every way in which a store sends orders."""

from itertools import permutations

import pytest

from tests.coupons.coupon_store import Shop, counts, day


class TestUse:
    """An order marks its codes used."""

    def test_used_code_has_order_and_its_person(self, shop: Shop) -> None:
        coupon, ann, bob = shop.pool(2), shop.person(), shop.person()
        code = shop.assigned(coupon, ann)
        buyer = {"email": shop.get(f"/profiles/{bob}")["email"]}
        order = shop.use(code["code"].lower(), at=3, buyer=buyer, number="#77").json
        [used] = shop.codes(coupon, status="used")
        assert used == {
            **code,
            "status": "used",
            "order": {"id": order["id"], "number": "#77"},
            "usedAt": day(3),
        }
        assert shop.counts(coupon) == counts(available=1, used=1)
        shop.check()

    def test_unassigned_code_is_used_and_not_assigned_later(self, shop: Shop) -> None:
        coupon = shop.pool(1)
        [code] = shop.texts(coupon)
        shop.use(code)
        assert shop.counts(coupon) == counts(used=1)
        assert shop.assign(coupon, shop.person()).problem() == (409, "no_codes_left")

    def test_order_before_code_marks_it_used(self, shop: Shop) -> None:
        order = shop.use("GIFT-1", "gift-2 ").json
        made = shop.import_codes("gift-1\nGIFT-2\nGIFT-3\n").json["id"]
        shop.world.deliver()
        assert shop.counts(made) == counts(available=1, used=2)
        for code in shop.codes(made, status="used"):
            assert code["order"] == {"id": order["id"], "number": order["number"]}
        shop.check()

    def test_order_of_other_store_uses_no_code(self, shop: Shop) -> None:
        coupon = shop.pool(1)
        [code] = shop.texts(coupon)
        shop.order(shop.store("Outlet"), "1", discountCodes=[code])
        assert shop.counts(coupon) == counts(available=1)

    def test_cancelled_or_deleted_order_frees_no_code(self, shop: Shop) -> None:
        coupon = shop.pool(2)
        one, two = shop.texts(coupon)
        shop.use(one)
        shop.use(one, cancelledAt=day(1), updatedAt=day(1))
        shop.use(two, order="2")
        assert shop.call("DELETE", f"/stores/{shop.store_id}/orders/2").status == 204
        assert shop.counts(coupon) == counts(used=2)

    def test_code_added_to_order_later_is_used(self, shop: Shop) -> None:
        coupon = shop.pool(2)
        one, two = shop.texts(coupon)
        shop.use(one)
        shop.use(one, two, updatedAt=day(1))
        shop.use(updatedAt=day(2))
        assert shop.counts(coupon) == counts(used=2)

    def test_expired_code_in_order_is_used(self, shop: Shop) -> None:
        coupon, ann = shop.pool(1, validity={"type": "days", "days": 1}), shop.person()
        code = shop.assigned(coupon, ann)
        shop.world.advance(days=2)
        assert shop.counts(coupon) == counts(expired=1)
        shop.use(code["code"])
        assert shop.counts(coupon) == counts(used=1)
        shop.run_expiry()
        assert shop.counts(coupon) == counts(used=1)
        shop.check()

    def test_same_code_twice_in_order_is_used_once(self, shop: Shop) -> None:
        coupon = shop.pool(1)
        [code] = shop.texts(coupon)
        shop.use(code, code.lower(), f" {code} ")
        assert shop.counts(coupon) == counts(used=1)
        shop.check()

    @pytest.mark.parametrize("order", list(permutations(("first", "second", "code"))))
    def test_order_placed_first_counts_in_any_arrival_order(
        self, shop: Shop, order: tuple[str, ...]
    ) -> None:
        made = ""
        for step in order:
            if step == "code":
                made = shop.import_codes("gift-1").json["id"]
                shop.world.deliver()
            else:
                shop.use("GIFT-1", order=step, at=1 if step == "first" else 2, number=step)
        [code] = shop.codes(made)
        assert (code["order"]["number"], code["usedAt"]) == ("first", day(1))
        assert shop.counts(made) == counts(used=1)
        shop.check()

    def test_code_shows_changed_number_and_date_of_its_order(self, shop: Shop) -> None:
        """Shops number an order anew once it is paid, and correct when it was placed."""
        one = shop.pool(1)
        code = shop.texts(one)[0]
        shop.use(code, "LATER", number="#D1")
        made = shop.import_codes("LATER").json["id"]
        shop.world.deliver()
        for placed in (0, 2, 1):
            order = shop.use(code, "LATER", at=placed, number="#1001", updatedAt=day(9)).json
            for coupon in (one, made):
                [used] = shop.codes(coupon)
                assert used["order"] == {"id": order["id"], "number": "#1001"}
                assert used["usedAt"] == order["placedAt"]
        shop.check()

    def test_order_moved_later_yields_the_code_to_an_earlier_order(self, shop: Shop) -> None:
        code = shop.texts(shop.pool(1))[0]
        shop.use(code, order="1", number="#1", at=1)
        shop.use(code, order="1", number="#1", placedAt=day(5), updatedAt=day(6))
        shop.use(code, order="2", number="#2", at=3)
        [used] = shop.get("/coupons")["items"]
        assert [each["order"]["number"] for each in shop.codes(used["id"])] == ["#2"]

    def test_order_in_batch_marks_codes_used_like_put(self, shop: Shop) -> None:
        coupon = shop.pool(3)
        codes = shop.texts(coupon)
        alone = shop.use(codes[0], order="a").json
        body = {
            **shop_order(),
            "discountCodes": [codes[1], "SHARED"],
        }
        batch = {
            "orders": [
                {**body, "externalId": "b"},
                {
                    **body,
                    "externalId": "c",
                    "discountCodes": [codes[1].lower(), codes[2], "shared"],
                },
            ]
        }
        answer = shop.call("POST", f"/stores/{shop.store_id}/batches", batch)
        assert answer.status == 202, answer.body
        shop.world.deliver()
        assert shop.counts(coupon) == counts(used=3)
        by_code = {code["code"]: code["order"]["id"] for code in shop.codes(coupon)}
        assert by_code[codes[0]] == alone["id"]
        assert len({by_code[codes[1]], alone["id"]}) == 2
        made = shop.import_codes("SHARED").json["id"]
        shop.world.deliver()
        assert shop.counts(made) == counts(used=1)
        shop.check()


def shop_order() -> dict[str, object]:
    """An order as a batch has it."""
    zero = {"amount": 0, "currency": "EUR"}
    return {
        "number": "#9",
        "placedAt": day(4),
        "updatedAt": day(4),
        "financialStatus": "paid",
        "fulfillmentStatus": "unfulfilled",
        "total": zero,
        "subtotal": zero,
        "totalDiscounts": zero,
        "totalShipping": zero,
        "totalTax": zero,
        "totalRefunded": zero,
        "lineItems": [],
    }
