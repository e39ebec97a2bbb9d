"""Coupons and codes in answers."""

from uuid import UUID

from storepost.coupons import model
from storepost.coupons.bodies import (
    CouponCombinations,
    CouponValidity,
    ValidForDays,
    ValidForEver,
    ValidUntil,
)
from storepost.coupons.checking import ImportCheck
from storepost.coupons.files import Fault
from storepost.coupons.listing import CouponView
from storepost.coupons.model import (
    CodeStatus,
    CouponKind,
    CouponSource,
    CouponStatus,
    Reissue,
    Validity,
    ValueType,
)
from storepost.stores.stores.model import Platform
from storepost.values.wire import MoneyShape, Shape, Timestamp, Uri


class CouponStore(Shape):
    """The store that a coupon is for."""

    id: UUID
    name: str
    platform: Platform
    currency: str


class CouponCounts(Shape):
    """How many of a coupon's codes have each status."""

    available: int
    assigned: int
    used: int
    expired: int
    pending: int
    failed: int

    @classmethod
    def of(cls, counts: model.Counts) -> "CouponCounts":
        """The counts in this shape."""
        return cls(**{status.value: counts[status] for status in CodeStatus})


class Coupon(Shape):
    """A coupon."""

    id: UUID
    store: CouponStore
    name: str
    source: CouponSource
    kind: CouponKind
    quantity: int | None
    prefix: str | None
    value_type: ValueType | None
    value: int | None
    minimum_subtotal: MoneyShape | None
    validity: CouponValidity
    combines_with: CouponCombinations | None
    reissue: Reissue
    status: CouponStatus
    external_id: str | None
    admin_url: Uri | None
    import_skipped: int | None
    codes: CouponCounts
    created_at: Timestamp
    archived_at: Timestamp | None

    @classmethod
    def of(cls, view: CouponView) -> "Coupon":
        """The coupon in this shape."""
        coupon, store, terms = view.coupon, view.store, view.coupon.terms
        least = terms.minimum_subtotal if terms else None
        combines = terms.combines_with if terms else None
        return cls(
            id=coupon.id,
            store=CouponStore(
                id=store.id, name=store.name, platform=store.platform, currency=store.currency
            ),
            name=coupon.name,
            source=coupon.source,
            kind=coupon.kind,
            quantity=coupon.quantity,
            prefix=coupon.prefix,
            value_type=terms.value_type if terms else None,
            value=terms.value if terms else None,
            minimum_subtotal=MoneyShape.of(least) if least else None,
            validity=_as_validity(coupon.validity),
            combines_with=CouponCombinations(
                order_discounts=combines.order_discounts,
                product_discounts=combines.product_discounts,
                shipping_discounts=combines.shipping_discounts,
            )
            if combines
            else None,
            reissue=coupon.reissue,
            status=view.status,
            external_id=coupon.external_id,
            admin_url=view.admin_url,
            import_skipped=coupon.import_skipped,
            codes=CouponCounts.of(view.counts),
            created_at=coupon.created_at,
            archived_at=coupon.archived_at,
        )


class CouponImportProblem(Shape):
    """A row that has no code."""

    row: int
    value: str
    reason: str

    @classmethod
    def of(cls, fault: Fault) -> "CouponImportProblem":
        """The row in this shape."""
        return cls(row=fault.row, value=fault.value, reason=fault.reason)


class CouponImportCheck(Shape):
    """What importing a file would do; `problems` are the first hundred of the invalid rows."""

    column: str | None
    rows: int
    valid: int
    samples: list[str]
    duplicates: int
    existing: int
    existing_samples: list[str]
    invalid: int
    problems: list[CouponImportProblem]

    @classmethod
    def of(cls, check: ImportCheck) -> "CouponImportCheck":
        """The check in this shape."""
        return cls(
            column=check.column,
            rows=check.rows,
            valid=check.valid,
            samples=list(check.samples),
            duplicates=check.duplicates,
            existing=check.existing,
            existing_samples=list(check.existing_samples),
            invalid=check.invalid,
            problems=[CouponImportProblem.of(fault) for fault in check.faults],
        )


def _as_validity(validity: Validity) -> ValidForDays | ValidUntil | ValidForEver:
    if validity.days:
        return ValidForDays(type="days", days=validity.days)
    if validity.ends_at:
        return ValidUntil(type="until", ends_at=validity.ends_at)
    return ValidForEver(type="none")
