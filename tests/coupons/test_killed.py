"""Work that is killed at any of its calls to AWS ends as if undisturbed once it is retried."""

from collections.abc import Callable
from typing import Any

import pytest

from local.events import pumps
from tests.coupons.coupon_store import Shop, counts
from tests.coupons.shopify.on_shopify import OnShopify
from tests.harness.crash_points import KEY, crashes, until_answered
from tests.harness.world import Answer, World
from tests.shopify.shops import Shopify


def each_kill(
    shop: Shop,
    work: Callable[[], object],
    then: Callable[[], object],
    *,
    delivers: bool = True,
) -> None:
    """Kills the work at each of its calls; `then` checks the result.

    A message's work begins before the message is delivered.
    """
    found = crashes(shop.world, work, deliver=delivers)
    assert len(found.positions) > 3
    for _ in found:
        then()


@pytest.mark.parametrize(
    ("make", "overrides"),
    [
        ("pool", {"validity": {"type": "days", "days": 2}, "reissue": "every_email"}),
        ("personal", {}),
    ],
)
def test_assignment_killed_at_any_call(shop: Shop, make: str, overrides: dict[str, Any]) -> None:
    coupon, ann = getattr(shop, make)(**overrides), shop.person()
    available = 3 if make == "pool" else 0

    def assign() -> Answer:
        return shop.assign(coupon, ann, key=KEY)

    def then() -> None:
        answer = until_answered(shop.world, assign)
        assert answer.status == 201
        assert assign().json == answer.json
        shop.world.deliver()
        remaining = available - 1 if available else 0
        assert shop.counts(coupon) == counts(available=remaining, assigned=1)
        assert shop.texts(coupon, profileId=ann) == [answer.json["code"]]
        shop.check()

    each_kill(shop, assign, then)


def test_pool_creation_killed_at_any_call(shop: Shop) -> None:
    coupon = shop.pool(100)

    def then() -> None:
        shop.work(coupon)
        shop.work(coupon)
        assert shop.get(f"/coupons/{coupon}")["codes"] == counts(available=100)
        assert len(shop.code_rows()) == 100
        shop.check()

    each_kill(shop, lambda: shop.work(coupon), then, delivers=False)


def test_file_import_killed_at_any_call(shop: Shop) -> None:
    coupon = shop.import_codes("\n".join(f"C-{n}" for n in range(90)), reissue="every_email").json[
        "id"
    ]
    shop.use("c-3")
    shop.pool(1)

    def then() -> None:
        shop.work(coupon)
        shop.work(coupon)
        assert shop.get(f"/coupons/{coupon}")["codes"] == counts(available=89, used=1)
        shop.check()

    each_kill(shop, lambda: shop.work(coupon), then, delivers=False)


def test_end_killed_at_any_call(shop: Shop) -> None:
    coupon, ann = shop.pool(30), shop.person()
    shop.assigned(coupon, ann)
    shop.call("POST", f"/coupons/{coupon}/end")

    def then() -> None:
        shop.work(coupon)
        shop.work(coupon)
        assert sorted({row.status for row in shop.code_rows()}) == ["assigned", "expired"]
        assert shop.counts(coupon) == counts(assigned=1, expired=29)
        shop.check()

    each_kill(shop, lambda: shop.work(coupon), then, delivers=False)


def test_expiry_killed_at_any_call(shop: Shop) -> None:
    coupon = shop.pool(30, validity={"type": "days", "days": 1}, reissue="every_email")
    ann = shop.person()
    for number in range(25):
        shop.assigned(coupon, ann, f"mail-{number}")
    shop.world.deliver()
    shop.world.advance(days=1)

    def then() -> None:
        assert shop.counts(coupon) == counts(available=5, expired=25)
        pumps.run_schedule("coupon_expiry")
        assert [row.status for row in shop.code_rows()].count("expired") == 25
        assert shop.counts(coupon) == counts(available=5, expired=25)
        shop.check()

    each_kill(shop, lambda: pumps.run_schedule("coupon_expiry"), then)


def test_marking_used_killed_at_any_call(shop: Shop) -> None:
    coupon, ann = shop.pool(2, validity={"type": "days", "days": 1}), shop.person()
    code = shop.assigned(coupon, ann)["code"]

    def put() -> Answer:
        return shop.use(code, "SOMEBODY-ELSES")

    def then() -> None:
        shop.use(code, "SOMEBODY-ELSES")
        assert shop.counts(coupon) == counts(available=1, used=1)
        shop.check()

    each_kill(shop, put, then)


class TestShop:
    """What a shop is sent: exactly once more."""

    def test_codes_are_created_and_deleted_in_shop_once(
        self, world: World, shopify: Shopify
    ) -> None:
        shop = OnShopify(world, shopify)
        coupon = shop.pool(3)

        def then() -> None:
            shop.work(coupon)
            assert shop.counts(coupon) == counts(available=3)
            assert len(shop.discounts) == 1
            assert shop.there(coupon) == set(shop.texts(coupon))
            shop.check()

        def work() -> None:
            shop.work(coupon)

        outside = [vars(shopify.shop())]
        for _ in crashes(world, work, outside=outside, deliver=False):
            then()
        shop.call("POST", f"/coupons/{coupon}/end")
        for _ in crashes(world, work, outside=outside, deliver=False):
            shop.work(coupon)
            assert shop.counts(coupon) == counts(expired=3)
            assert shop.discounts == []
            shop.check()
