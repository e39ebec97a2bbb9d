"""The coupon that a request names."""

from uuid import UUID

from storepost.coupons.model import Coupon
from storepost.coupons.repository import CouponRepository
from storepost.values.problems import NotFound, needed


def found_coupon(coupons: CouponRepository, coupon_id: UUID) -> Coupon:
    """Returns the coupon; 404 where the workspace has none of that id."""
    return needed(coupons.get(coupon_id), NotFound.of("coupon"))
