"""Reads orders, products, coupons and their codes for the messages of events."""

from collections.abc import Mapping
from uuid import UUID

from storepost.catalog.products.repository import ProductRepository
from storepost.catalog.products.schemas import ProductSummary
from storepost.coupons.changing import get_stored_code
from storepost.coupons.code_listing import code_views
from storepost.coupons.code_schemas import CouponCode
from storepost.coupons.listing import get_coupon
from storepost.coupons.schemas import Coupon
from storepost.orders.repository import OrderRepository
from storepost.orders.schemas import OrderSummary
from storepost.values.problems import NotFound, needed
from storepost.values.scope import WorkspaceScope
from storepost.values.wire import Shape
from storepost.webhooks.events.resources.reader import Ids, Reader


def _order(scope: WorkspaceScope, order_id: UUID, _ids: Ids) -> Shape:
    order = needed(OrderRepository(scope).get(order_id), NotFound.of("order"))
    return OrderSummary.of(order.summary)


def _product(scope: WorkspaceScope, product_id: UUID, _ids: Ids) -> Shape:
    product = needed(ProductRepository(scope).get(product_id), NotFound.of("product"))
    return ProductSummary.of(product)


def _coupon(scope: WorkspaceScope, coupon_id: UUID, _ids: Ids) -> Shape:
    return Coupon.of(get_coupon(scope, coupon_id))


def _coupon_code(scope: WorkspaceScope, code_id: UUID, _ids: Ids) -> Shape:
    coupon, code = get_stored_code(scope, code_id)
    [view] = code_views(coupon, [code])
    return CouponCode.of(view)


READERS: Mapping[str, Reader] = {
    "order": _order,
    "product": _product,
    "coupon": _coupon,
    "coupon_code": _coupon_code,
}
"""The reader of each kind of resource."""
