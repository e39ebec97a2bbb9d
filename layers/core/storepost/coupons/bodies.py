"""What requests say of coupons and codes."""

from typing import Annotated, Self

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    StrictInt,
    StringConstraints,
    model_validator,
)

from storepost.coupons.files import MAX_BYTES
from storepost.coupons.model import CouponKind, CouponTerms, Validity, ValueType
from storepost.coupons.service import ImportedCoupon, NewCoupon
from storepost.coupons.wire import (
    CouponCombinations,
    CouponName,
    NewValidity,
    ReissueRule,
    ValidForDays,
    ValidForEver,
    ValidUntil,
)
from storepost.values.field_errors import wrong_field
from storepost.values.wire import (
    MAX_MINOR_UNITS,
    Id,
    Name,
    NonNegativeMoney,
    NotNull,
    PartialUpdate,
    RequestBody,
    Text,
)

MAX_CODES_OF_A_POOL = 200_000

Prefix = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,32}$")]
Quantity = Annotated[StrictInt, Field(ge=1, le=MAX_CODES_OF_A_POOL)]

Column = Annotated[
    Text | None,
    Field(
        description="The name of the column that has the codes, as the file's first row says it; "
        "case doesn't count. Where it is left out, the column is found by its content, and the "
        "first row may be a code."
    ),
]


def _of_few_bytes(content: str) -> str:
    if len(content.encode()) > MAX_BYTES:
        raise ValueError(f"Must have at most {MAX_BYTES:,} bytes")
    return content


Content = Annotated[
    str,
    AfterValidator(_of_few_bytes),
    Field(
        description="The file with the codes: CSV as text, at most 3,000,000 bytes in UTF-8. "
        "Commas, semicolons, tabs and `|` separate columns. A code has 1 to 255 characters and "
        "no white space."
    ),
]


class CouponBody(RequestBody):
    """A coupon whose codes Storepost makes."""

    store_id: Id = Field(
        description="The store whose orders may use the codes. It must be connected."
    )
    name: CouponName
    kind: CouponKind = Field(
        examples=["bulk"],
        description="`personal`: a code is made for a person when it is assigned. `bulk`: all "
        "codes are made in advance.",
    )
    quantity: Quantity | None = Field(
        default=None,
        description="How many codes to make. Required for a `bulk` coupon, and not allowed for a "
        "`personal` one.",
    )
    prefix: Prefix | None = Field(
        default=None,
        description="What each code begins with, 1 to 32 of `A-Z`, `a-z`, `0-9`, `_` and `-`. "
        "Ten random letters and digits follow. Where it is left out, these are the whole code.",
    )
    value_type: ValueType = Field(description="What `value` counts: percent, or an amount.")
    value: StrictInt = Field(
        ge=1,
        le=MAX_MINOR_UNITS,
        description="What the order gets off: 1 to 100 percent, so 10 is ten percent, or an "
        "amount in minor units of the store's currency, so 1000 is 10.00 EUR.",
    )
    minimum_subtotal: NonNegativeMoney | None = Field(
        default=None,
        description="The least subtotal of an order that may use a code, in the store's currency "
        "and not negative. Where it is left out, every order may.",
    )
    validity: NewValidity
    combines_with: CouponCombinations | None = Field(
        default=None,
        description="Which other discounts the order may have. Where it is left out, the store's "
        "platform decides.",
    )
    reissue: ReissueRule

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if (self.kind is CouponKind.BULK) != (self.quantity is not None):
            needs = "Required for" if self.kind is CouponKind.BULK else "Must be left out of"
            raise wrong_field(f"{needs} a coupon of kind `{self.kind}`", "quantity")
        if self.value_type is ValueType.PERCENTAGE and self.value > 100:
            raise wrong_field("Must be at most 100 percent", "value")
        return self

    def details(self) -> NewCoupon:
        """Returns the value that the service works with."""
        least, combines = self.minimum_subtotal, self.combines_with
        return self.to_model(
            NewCoupon,
            terms=CouponTerms(
                self.value_type,
                self.value,
                least.value() if least else None,
                combines.value() if combines else None,
            ),
            validity=_validity(self.validity),
        )


class CouponImportCheckBody(RequestBody):
    """A file of codes to check."""

    store_id: Id = Field(description="The store whose orders may use the codes.")
    content: Content
    column: Column = None


class CouponImportBody(CouponImportCheckBody):
    """A coupon whose codes are those of a file. What they are worth, the store alone knows."""

    name: CouponName
    validity: NewValidity
    reissue: ReissueRule

    def details(self) -> ImportedCoupon:
        """Returns the value that the service works with."""
        return ImportedCoupon(self.name, _validity(self.validity), self.reissue)


class CouponTopUp(RequestBody):
    """More codes for a coupon of kind `bulk`: either `quantity` or `content`."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"quantity": 500}]})

    quantity: Quantity | None = Field(
        default=None,
        description="How many codes to make, for a coupon of source `platform`. They are added "
        "to those that it has.",
    )
    content: Content | None = Field(
        default=None,
        description="More codes as CSV, for a coupon of source `import`: text of at most "
        "3,000,000 bytes in UTF-8. Codes that the store has already are skipped.",
    )
    column: Column = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.quantity is None) == (self.content is None):
            raise ValueError("Must have either `quantity` or `content`")
        return self


class CouponUpdate(PartialUpdate):
    """What may change of a coupon; what is left out stays."""

    name: Annotated[Name | None, NotNull()] = Field(
        default=None,
        description="What the coupon is called from now on. A discount that a Shopify shop has "
        "already keeps its title.",
    )
    reissue: Annotated[ReissueRule | None, NotNull()] = Field(
        default=None,
        description="When people get another code from now on: `after_use_or_expiry` or "
        "`every_email`. Codes that people have stay theirs.",
    )


class CodeAssignment(RequestBody):
    """Who gets a code."""

    profile_id: Id = Field(description="The person. Their `storeIds` must have the coupon's store.")
    reference: Text | None = Field(
        default=None,
        description="Your name for the email that the code is for, such as its campaign. Where "
        "`reissue` is `every_email`, the same reference answers the same code again, and a request "
        "without one always gets another code. Otherwise it changes nothing.",
    )


def _validity(value: ValidForDays | ValidUntil | ValidForEver) -> Validity:
    if isinstance(value, ValidForDays):
        return Validity(days=value.days)
    return Validity(ends_at=value.ends_at) if isinstance(value, ValidUntil) else Validity()
