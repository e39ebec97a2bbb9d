"""A code as it goes over the wire."""

from uuid import UUID

from storepost.coupons.code_listing import CodeView
from storepost.coupons.model import (
    CodeStatus,
)
from storepost.values.wire import Shape, Timestamp


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
    def of(cls, view: CodeView) -> "CouponCode":
        """The code in this shape."""
        code, profile, use = view.code, view.profile, view.code.use
        return cls(
            id=code.id,
            code=code.text,
            status=view.status,
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
