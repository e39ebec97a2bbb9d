"""Reads coupons for answers: one whose end has passed counts as ended already."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from storepost.coupons.assigning import Assigned
from storepost.coupons.code_listing import CodeView
from storepost.coupons.coupon_work import WorkRepository
from storepost.coupons.finding import found_coupon
from storepost.coupons.model import (
    CodeStatus,
    Counts,
    Coupon,
    CouponKind,
    CouponSource,
    CouponStatus,
    counts_at,
)
from storepost.coupons.repository import CouponRepository
from storepost.coupons.service import FilledCoupon
from storepost.coupons.trees import CodeList
from storepost.stores.stores.finding import found_store
from storepost.stores.stores.model import Store
from storepost.stores.stores.repository import StoreRepository
from storepost.values import clock
from storepost.values.pagination import Listing, PageRequest, cut, in_order, is_among
from storepost.values.scope import WorkspaceScope
from storepost.values.text import matches, sort_key

HIDDEN = frozenset({CouponStatus.ARCHIVED})


@dataclass(frozen=True)
class CouponView:
    """A coupon with its store and how many codes it has."""

    coupon: Coupon
    store: Store
    status: CouponStatus
    counts: Counts

    @property
    def admin_url(self) -> str | None:
        """Returns the discount's address in the store's admin, once there is a discount."""
        if self.coupon.external_id is None:
            return None
        return f"{self.store.admin_url.rstrip('/')}/discounts/{self.coupon.external_id}"


@dataclass(frozen=True)
class CouponFilter:
    """The filters of a list of coupons; None doesn't filter, but hides archived ones."""

    store_id: UUID | None = None
    statuses: Collection[CouponStatus] | None = None
    sources: Collection[CouponSource] | None = None
    kinds: Collection[CouponKind] | None = None
    q: str | None = None

    def takes(self, coupon: Coupon, status: CouponStatus) -> bool:
        """Returns whether the coupon passes the filters."""
        return (
            self.store_id in {None, coupon.store_id}
            and is_among(coupon.source, self.sources)
            and is_among(coupon.kind, self.kinds)
            and is_among(status, self.statuses or set(CouponStatus) - HIDDEN)
            and (self.q is None or matches(self.q, coupon.name))
        )


def list_coupons(
    workspace: WorkspaceScope, filters: CouponFilter, sort: str, page: PageRequest
) -> Listing[CouponView]:
    """Returns the coupons that pass the filters, in the order of `createdAt` or `name`."""
    now = clock.now()
    found = [c for c in CouponRepository(workspace).all() if filters.takes(c, c.status_at(now))]
    ordered = in_order(
        found,
        sort,
        {
            "name": lambda coupon: (sort_key(coupon.name), coupon.id),
            "createdAt": lambda coupon: (coupon.created_at, coupon.id),
        },
    )
    listing = cut(ordered, page)
    stores = {
        store.id: store
        for store in StoreRepository(workspace).named({c.store_id for c in listing.items})
    }
    views = [_with_counts(coupon, stores[coupon.store_id]) for coupon in listing.items]
    return Listing(views, listing.total, page)


def get_coupon(workspace: WorkspaceScope, coupon_id: UUID) -> CouponView:
    """Returns a coupon; 404 where the workspace has none of that id."""
    coupon = found_coupon(CouponRepository(workspace), coupon_id)
    return _with_counts(coupon, found_store(StoreRepository(workspace), coupon.store_id))


def as_filled(filled: FilledCoupon) -> CouponView:
    """Returns a coupon as it will be once the unit of work that fills its pool is committed."""
    return _with_counts(filled.coupon, filled.store, filled.added, filled.waiting)


def as_changed(coupon: Coupon) -> CouponView:
    """Returns a coupon as it will be after a unit of work that leaves its codes alone."""
    return _with_counts(coupon, found_store(StoreRepository(coupon.workspace), coupon.store_id))


def as_assigned(assigned: Assigned) -> CodeView:
    """Returns a code that was just assigned, or that the person keeps."""
    return CodeView(
        assigned.code, assigned.code.status_shown(assigned.coupon, clock.now()), assigned.profile
    )


def _with_counts(coupon: Coupon, store: Store, added: int = 0, coming: int = 0) -> CouponView:
    coupons, now = CouponRepository(coupon.workspace), clock.now()
    stored = dict(CodeList(coupon.workspace, coupon.id).stored())
    stored[CodeStatus.AVAILABLE] += added
    overdue = 0
    if coupon.validity.days and stored[CodeStatus.ASSIGNED]:
        overdue = sum(1 for _ in coupons.overdue(coupon.id, now))
    waiting = 0
    if coupon.kind is CouponKind.BULK:
        waiting = coming + _waiting(coupon)
    counts = counts_at(coupon, stored, overdue, waiting, now)
    return CouponView(coupon, store, coupon.status_at(now), counts)


def _waiting(coupon: Coupon) -> int:
    works = WorkRepository(coupon.workspace, coupon.id).all()
    return sum(work.remaining for work in works)
