"""A code on its way to a person, as docs/architecture.md shows it."""

from tests.coupons.coupon_store import Shop
from tests.docs.walks import walking


def test_code_is_assigned(shop: Shop) -> None:
    coupon, ann = shop.pool(3), shop.person()
    with walking("A coupon's code is assigned"):
        assert shop.assign(coupon, ann).status == 201
