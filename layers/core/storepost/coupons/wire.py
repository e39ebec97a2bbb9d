"""What coupons have in requests and in answers, each described once."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StrictBool, StrictInt

from storepost.coupons import model
from storepost.coupons.model import Reissue
from storepost.values import clock
from storepost.values.wire import Name, RequestBody, Timestamp

MAX_DAYS = 365

CouponName = Annotated[
    Name,
    Field(
        description="What the coupon is called. In a Shopify shop it becomes the title of the "
        "discount when that is made. A code doesn't contain it."
    ),
]
ReissueRule = Annotated[
    Reissue,
    Field(
        description="When a person who has a code of the coupon gets another one. "
        "`after_use_or_expiry`: they keep one code until it is used or expired. `every_email`: "
        "each `reference` of an assignment gets another code."
    ),
]


def _to_come(moment: Timestamp) -> Timestamp:
    if moment <= clock.now():
        raise ValueError("Must be in the future")
    return moment


class ValidForDays(RequestBody):
    """A code is valid for some days from its assignment."""

    type: Literal["days"] = Field(description="Each code has an end of its own.")
    days: StrictInt = Field(
        ge=1, le=MAX_DAYS, description="Days of 24 hours, from the code's `assignedAt`."
    )


class ValidUntil(RequestBody):
    """All codes are valid until a moment, when the coupon ends."""

    type: Literal["until"] = Field(description="All codes end together.")
    ends_at: Timestamp = Field(
        description="When the coupon and all of its codes end, assigned ones too."
    )


class NewValidUntil(ValidUntil):
    """All codes are valid until a moment in the future, when the coupon ends."""

    ends_at: Annotated[Timestamp, AfterValidator(_to_come)] = Field(
        description="When the coupon and all of its codes end, assigned ones too. It must be in "
        "the future, and can't be changed later."
    )


class ValidForEver(RequestBody):
    """Codes are valid without an end."""

    type: Literal["none"] = Field(description="No code ends by time.")


_VALIDITY = (
    "How long a code can be used: some days from its assignment, until a moment, or without an end."
)
CouponValidity = Annotated[
    ValidForDays | ValidUntil | ValidForEver, Field(discriminator="type", description=_VALIDITY)
]
NewValidity = Annotated[
    ValidForDays | NewValidUntil | ValidForEver, Field(discriminator="type", description=_VALIDITY)
]


class CouponCombinations(RequestBody):
    """Which other discounts the same order may have beside the coupon's.

    A Shopify shop keeps to it; a custom store has to do so itself.
    """

    order_discounts: StrictBool = Field(
        description="True where other discounts on the whole order are allowed."
    )
    product_discounts: StrictBool = Field(
        description="True where discounts on single products are allowed."
    )
    shipping_discounts: StrictBool = Field(
        description="True where discounts on shipping are allowed."
    )

    def value(self) -> model.Combinations:
        """Returns the value that the service works with."""
        return model.Combinations(
            self.order_discounts, self.product_discounts, self.shipping_discounts
        )
