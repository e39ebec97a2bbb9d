"""The events of a change of the row of a product, a coupon or a code."""

from storepost.catalog.products.rows import ProductItem
from storepost.coupons.model import CodeStatus, CouponStatus
from storepost.coupons.rows import CodeItem, CouponItem
from storepost.platform.persistence.item import Item
from storepost.webhooks.events.causes.cause import Cause, Comparisons, one_cause
from storepost.webhooks.events.model import Resource

_CODE_TYPES = {
    CodeStatus.ASSIGNED: "coupon_code.assigned",
    CodeStatus.USED: "coupon_code.used",
    CodeStatus.EXPIRED: "coupon_code.expired",
}


def product_cause(old: Item | None, new: Item | None) -> Cause | None:
    """Compares a product's row: a removed product still has one, and returns as a new one.

    `changed_at` changes when a source says something new, and only then.
    """
    if not isinstance(new, ProductItem):
        return None
    before = old if isinstance(old, ProductItem) else None
    was_there = before is not None and before.removed_at is None
    is_there = new.removed_at is None
    types = [
        (is_there and not was_there, "product.created"),
        (was_there and not is_there, "product.removed"),
        (before is not None and _is_changed(before, new), "product.updated"),
    ]
    happened = tuple(name for holds, name in types if holds)
    resource = Resource("product", new.id)
    return Cause(happened, resource, {"storeId": new.store_id}) if happened else None


def _is_changed(before: ProductItem, after: ProductItem) -> bool:
    seen = [(each.changed_at, each.removed_at, each.summaries) for each in (before, after)]
    return seen[0] != seen[1]


def coupon_cause(old: Item | None, new: Item | None) -> Cause | None:
    """Compares a coupon's row; archiving one that still gives codes out ends it, too."""
    if not isinstance(new, CouponItem):
        return None
    resource = Resource("coupon", new.id)
    if not isinstance(old, CouponItem):
        return Cause(("coupon.created",), resource)
    has_ended = old.status == CouponStatus.ACTIVE and new.status != CouponStatus.ACTIVE
    return Cause(("coupon.ended",), resource) if has_ended else None


def code_cause(old: Item | None, new: Item | None) -> Cause | None:
    """Compares a code's row: another status, or another order that used it."""
    if not isinstance(new, CodeItem):
        return None
    before = old if isinstance(old, CodeItem) else None
    name = _CODE_TYPES.get(CodeStatus(new.status))
    seen = (before.status, before.use) if before else None
    if name is None or seen == (new.status, new.use):
        return None
    return Cause((name,), Resource("coupon_code", new.id), {"couponId": new.coupon_id})


COMPARISONS: Comparisons = {
    ProductItem: one_cause(product_cause),
    CouponItem: one_cause(coupon_cause),
    CodeItem: one_cause(code_cause),
}
"""The comparisons of these kinds of rows."""
