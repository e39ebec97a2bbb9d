"""What requests say of coupons and codes."""

from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StringConstraints,
    model_validator,
)

from storepost.coupons import model
from storepost.coupons.files import MAX_BYTES
from storepost.coupons.model import CouponKind, CouponTerms, Reissue, Validity, ValueType
from storepost.coupons.service import ImportedCoupon, NewCoupon
from storepost.values import clock
from storepost.values.wire import (
    MAX_MINOR_UNITS,
    Id,
    NonNegativeMoney,
    NotNull,
    RequestBody,
    Text,
    Timestamp,
)

MAX_CODES_OF_A_POOL = 200_000
MAX_DAYS = 365

Prefix = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,32}$")]
Quantity = Annotated[StrictInt, Field(ge=1, le=MAX_CODES_OF_A_POOL)]


def _of_few_bytes(content: str) -> str:
    if len(content.encode()) > MAX_BYTES:
        raise ValueError(f"Must have at most {MAX_BYTES:,} bytes")
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
    days: Annotated[StrictInt, Field(ge=1, le=MAX_DAYS)]


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
        """Returns the value that the service works with."""
        return model.Combinations(
            self.order_discounts, self.product_discounts, self.shipping_discounts
        )


class CouponBody(RequestBody):
    """A coupon to make; `quantity` says how many codes a bulk one has."""

    store_id: Id
    name: Text
    kind: Annotated[CouponKind, Field(examples=["bulk"])]
    quantity: Quantity | None = None
    prefix: Prefix | None = None
    value_type: ValueType
    value: Annotated[StrictInt, Field(ge=1, le=MAX_MINOR_UNITS)]
    minimum_subtotal: NonNegativeMoney | None = None
    validity: NewValidity
    combines_with: CouponCombinations | None = None
    reissue: Reissue

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if (self.kind is CouponKind.BULK) != (self.quantity is not None):
            raise ValueError("`quantity` belongs to a coupon of kind `bulk`, and to no other")
        if self.value_type is ValueType.PERCENTAGE and self.value > 100:
            raise ValueError("`value` must be at most 100 percent")
        return self

    def details(self) -> NewCoupon:
        """Returns the value that the service works with."""
        least, combines = self.minimum_subtotal, self.combines_with
        return NewCoupon(
            name=self.name,
            kind=self.kind,
            quantity=self.quantity,
            prefix=self.prefix,
            terms=CouponTerms(
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

    store_id: Id
    content: Content
    column: Text | None = None


class CouponImportBody(CouponImportCheckBody):
    """A coupon whose codes are those of a file."""

    name: Text
    validity: NewValidity
    reissue: Reissue

    def details(self) -> ImportedCoupon:
        """Returns the value that the service works with."""
        return ImportedCoupon(self.name, _validity(self.validity), self.reissue)


class CouponTopUp(RequestBody):
    """More codes: so many, or those of a file."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"quantity": 500}]})

    quantity: Quantity | None = None
    content: Content | None = None
    column: Text | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.quantity is None) == (self.content is None):
            raise ValueError("Give `quantity` or `content`")
        return self


class CouponUpdate(RequestBody):
    """What may change; what is left out stays."""

    name: Annotated[Text | None, NotNull()] = None
    reissue: Annotated[Reissue | None, NotNull()] = None

    def fields(self) -> dict[str, Any]:
        """The fields that were sent."""
        return {name: getattr(self, name) for name in self.model_fields_set}


class CodeAssignment(RequestBody):
    """Who gets a code; `reference` names the email that it is for."""

    profile_id: Id
    reference: Text | None = None


def _validity(value: ValidForDays | ValidUntil | ValidForEver) -> Validity:
    if isinstance(value, ValidForDays):
        return Validity(days=value.days)
    return Validity(ends_at=value.ends_at) if isinstance(value, ValidUntil) else Validity()
