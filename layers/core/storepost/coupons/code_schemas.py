"""A code as it goes over the wire."""

from uuid import UUID

from pydantic import Field

from storepost.coupons.code_listing import CodeView
from storepost.coupons.model import CodeStatus
from storepost.values.wire import Shape, Timestamp


class CodeProfile(Shape):
    """Who has a code, as the profile says now."""

    id: UUID = Field(
        description="The person's profile. After a merge it is the profile that remains."
    )
    name: str | None = Field(description="The profile's name today; null where none is known.")
    email: str | None = Field(
        description="The email address that the profile shows today; null where it has none."
    )


class CodeOrder(Shape):
    """The order that a buyer used a code in."""

    id: UUID = Field(description="The order, as `GET /orders/{id}` takes it.")
    number: str = Field(description="The order's number as the buyer sees it, such as `#1001`.")


class CouponCode(Shape):
    """A code of a coupon, with the person who has it and the order that used it."""

    id: UUID = Field(description="The code's id. Use it to retry or delete the code.")
    code: str = Field(
        description="What the buyer enters. It is unique in its store, whatever its case."
    )
    status: CodeStatus = Field(
        description="How far the code has come, from being made to being used or expired."
    )
    profile: CodeProfile | None = Field(
        description="Who has the code; null where nobody has, or where the person was erased. It "
        "stays the person that it was assigned to, no matter who uses it in an order."
    )
    order: CodeOrder | None = Field(
        description="The order that used the code, the earliest where there were several; null "
        "where none did. A cancelled order stays in this field."
    )
    assigned_at: Timestamp | None = Field(
        description="When the person got the code; null where nobody has. A personal code of a "
        "Shopify shop is assigned once the shop has taken it."
    )
    expires_at: Timestamp | None = Field(
        description="When the code ends for the person who has it; null where nobody has it, and "
        "where it has no end."
    )
    used_at: Timestamp | None = Field(
        description="When the order that used the code was placed; null where none did."
    )
    error: str | None = Field(
        description="Why the shop didn't take the code, in the shop's words; null unless the "
        "status is `failed`."
    )
    created_at: Timestamp = Field(description="When the code was made, or stored from a file.")

    @classmethod
    def of(cls, view: CodeView) -> "CouponCode":
        """Returns the code in this shape."""
        code, profile, use = view.code, view.profile, view.code.use
        return cls.from_model(
            code,
            code=code.text,
            status=view.status,
            profile=CodeProfile.from_model(profile) if profile else None,
            order=CodeOrder(id=use.order_id, number=use.number) if use else None,
            used_at=use.at if use else None,
        )
