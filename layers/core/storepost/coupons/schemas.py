"""Coupons and codes on the wire."""

from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import (
    AfterValidator,
    Field,
    StrictBool,
    StrictInt,
    StringConstraints,
    model_validator,
)

from storepost import clock
from storepost.coupons import model
from storepost.coupons.checking import ImportCheck
from storepost.coupons.files import MOST_BYTES, Fault
from storepost.coupons.listing import ShownCode, ShownCoupon
from storepost.coupons.model import (
    CodeStatus,
    CouponKind,
    CouponSource,
    CouponStatus,
    Reissue,
    Terms,
    Validity,
    ValueType,
)
from storepost.coupons.service import ImportedCoupon, NewCoupon
from storepost.stores.model import Platform
from storepost.wire import (
    MOST_MINOR_UNITS,
    MoneyShape,
    RequestBody,
    Shape,
    Text,
    Timestamp,
    Uri,
)

MOST_CODES = 200_000
MOST_DAYS = 365

Prefix = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,32}$")]
Quantity = Annotated[StrictInt, Field(ge=1, le=MOST_CODES)]


def _of_few_bytes(content: str) -> str:
    if len(content.encode()) > MOST_BYTES:
        raise ValueError(f"Must have at most {MOST_BYTES:,} bytes")
    return content


Content = Annotated[
    str,
    AfterValidator(_of_few_bytes),
    Field(description="CSV as text, of at most 3,000,000 bytes in UTF-8."),
]


def _to_come(moment: Timestamp) -> Timestamp:
    if moment <= clock.now():
        raise ValueError("Must be in the future")
    return moment


class ValidForDays(RequestBody):
    """A code holds so many days from its assignment."""

    type: Literal["days"]
    days: Annotated[StrictInt, Field(ge=1, le=MOST_DAYS)]


class ValidUntil(RequestBody):
    """All codes hold until a moment, when the coupon ends."""

    type: Literal["until"]
    ends_at: Timestamp


class NewValidUntil(ValidUntil):
    """All codes hold until a moment to come."""

    ends_at: Annotated[Timestamp, AfterValidator(_to_come)]


class ValidForEver(RequestBody):
    """Codes hold without an end."""

    type: Literal["none"]


CouponValidity = Annotated[ValidForDays | ValidUntil | ValidForEver, Field(discriminator="type")]
NewValidity = Annotated[ValidForDays | NewValidUntil | ValidForEver, Field(discriminator="type")]


class CouponCombinations(RequestBody):
    """Which other discounts a coupon's may be combined with."""

    order_discounts: StrictBool
    product_discounts: StrictBool
    shipping_discounts: StrictBool

    def value(self) -> model.Combinations:
        """What the service is told."""
        return model.Combinations(
            self.order_discounts, self.product_discounts, self.shipping_discounts
        )


class CouponBody(RequestBody):
    """A coupon to make; `quantity` says how many codes a bulk one has."""

    store_id: UUID
    name: Text
    kind: CouponKind
    quantity: Quantity | None = None
    prefix: Prefix | None = None
    value_type: ValueType
    value: Annotated[StrictInt, Field(ge=1, le=MOST_MINOR_UNITS)]
    minimum_subtotal: MoneyShape | None = None
    validity: NewValidity
    combines_with: CouponCombinations | None = None
    reissue: Reissue

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if (self.kind is CouponKind.BULK) != (self.quantity is not None):
            raise ValueError("`quantity` belongs to a coupon of kind `bulk`, and to no other")
        if self.value_type is ValueType.PERCENTAGE and self.value > 100:
            raise ValueError("`value` must be at most 100 percent")
        if self.minimum_subtotal and self.minimum_subtotal.amount < 0:
            raise ValueError("`minimumSubtotal` must not be negative")
        return self

    def given(self) -> NewCoupon:
        """What the service is told."""
        least, combines = self.minimum_subtotal, self.combines_with
        return NewCoupon(
            name=self.name,
            kind=self.kind,
            quantity=self.quantity,
            prefix=self.prefix,
            terms=Terms(
                self.value_type,
                self.value,
                least.value() if least else None,
                combines.value() if combines else None,
            ),
            validity=_validity(self.validity),
            reissue=self.reissue,
        )


class CouponImportCheckBody(RequestBody):
    """A file of codes to check; without `column` it is found by what stands in it."""

    store_id: UUID
    content: Content
    column: Text | None = None


class CouponImportBody(CouponImportCheckBody):
    """A coupon whose codes are those of a file."""

    name: Text
    validity: NewValidity
    reissue: Reissue

    def given(self) -> ImportedCoupon:
        """What the service is told."""
        return ImportedCoupon(self.name, _validity(self.validity), self.reissue)


class CouponTopUp(RequestBody):
    """More codes: so many, or those of a file."""

    quantity: Quantity | None = None
    content: Content | None = None
    column: Text | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.quantity is None) == (self.content is None):
            raise ValueError("Give `quantity` or `content`")
        return self


def _not_null[T](value: T | None) -> T:
    if value is None:
        raise ValueError("Must not be null")
    return value


class CouponUpdate(RequestBody):
    """What may change; what is left out stays."""

    name: Annotated[Text | None, AfterValidator(_not_null)] = None
    reissue: Annotated[Reissue | None, AfterValidator(_not_null)] = None

    def given(self) -> dict[str, Any]:
        """The fields that were sent."""
        return {name: getattr(self, name) for name in self.model_fields_set}


class CodeAssignment(RequestBody):
    """Who gets a code; `reference` names the email that it is for."""

    profile_id: UUID
    reference: Text | None = None


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
    def of(cls, shown: ShownCoupon) -> "Coupon":
        """The coupon in this shape."""
        coupon, store, terms = shown.coupon, shown.store, shown.coupon.terms
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
            status=shown.status,
            external_id=coupon.external_id,
            admin_url=shown.admin_url,
            import_skipped=coupon.import_skipped,
            codes=CouponCounts.of(shown.counts),
            created_at=coupon.created_at,
            archived_at=coupon.archived_at,
        )


class CodeProfile(Shape):
    """Who has a code, as the profile says now."""

    id: UUID
    name: str | None
    email: str | None


class CodeOrder(Shape):
    """The order that used a code."""

    id: UUID
    number: str


class CouponCode(Shape):
    """A code of a coupon."""

    id: UUID
    code: str
    status: CodeStatus
    profile: CodeProfile | None
    order: CodeOrder | None
    assigned_at: Timestamp | None
    expires_at: Timestamp | None
    used_at: Timestamp | None
    error: str | None
    created_at: Timestamp

    @classmethod
    def of(cls, shown: ShownCode) -> "CouponCode":
        """The code in this shape."""
        code, profile, use = shown.code, shown.profile, shown.code.use
        return cls(
            id=code.id,
            code=code.text,
            status=shown.status,
            profile=CodeProfile(id=profile.id, name=profile.name, email=profile.email)
            if profile
            else None,
            order=CodeOrder(id=use.order_id, number=use.number) if use else None,
            assigned_at=code.assigned_at,
            expires_at=code.expires_at,
            used_at=use.at if use else None,
            error=code.error,
            created_at=code.created_at,
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


def _validity(given: ValidForDays | ValidUntil | ValidForEver) -> Validity:
    if isinstance(given, ValidForDays):
        return Validity(days=given.days)
    return Validity(ends_at=given.ends_at) if isinstance(given, ValidUntil) else Validity()


def _as_validity(validity: Validity) -> ValidForDays | ValidUntil | ValidForEver:
    if validity.days:
        return ValidForDays(type="days", days=validity.days)
    if validity.ends_at:
        return ValidUntil(type="until", ends_at=validity.ends_at)
    return ValidForEver(type="none")
