"""Rows of coupons, of their codes, and of what is to be done with them."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from pynamodb.attributes import BooleanAttribute, NumberAttribute, UnicodeAttribute

from storepost.coupons.model import (
    Code,
    CodeStatus,
    Combinations,
    Coupon,
    CouponKind,
    CouponSource,
    CouponStatus,
    CouponTerms,
    Reissue,
    Use,
    Validity,
    ValueType,
)
from storepost.platform.persistence.item import (
    Identifier,
    Item,
    UtcDateTimeAttribute,
    VersionedItem,
)
from storepost.platform.persistence.records import Record
from storepost.platform.persistence.write_marks import MarkedItem
from storepost.values import clock
from storepost.values.money import Money
from storepost.values.scope import WorkspaceScope


class CouponItem(VersionedItem, discriminator="coupon"):
    """A coupon."""

    id = Identifier()
    store_id = Identifier()
    name = UnicodeAttribute()
    source = UnicodeAttribute()
    coupon_kind = UnicodeAttribute()
    quantity = NumberAttribute(null=True)
    prefix = UnicodeAttribute(null=True)
    terms = Record("value_type", "value", "minimum_subtotal", "combines_with", null=True)
    """`minimum_subtotal` is `[amount, currency]`, `combines_with` `[order, product, shipping]`."""
    days = NumberAttribute(null=True)
    ends_at = UtcDateTimeAttribute(null=True)
    reissue = UnicodeAttribute()
    status = UnicodeAttribute()
    created_at = UtcDateTimeAttribute()
    archived_at = UtcDateTimeAttribute(null=True)
    import_skipped = NumberAttribute(null=True)
    external_id = UnicodeAttribute(null=True)
    on_platform = BooleanAttribute(null=True)
    never_stored = NumberAttribute(null=True)
    failed_syncs = NumberAttribute(null=True)
    retry_at = UtcDateTimeAttribute(attr_name="tells_again_at", null=True)


class CodeRow(VersionedItem):
    """What stands where a code stands, or where it would."""

    id = Identifier()
    use = Record("order_id", "number", "at", null=True)
    """The order that has the code, and when it was placed."""


class CodeItem(CodeRow, MarkedItem, discriminator="coupon_code"):
    """A code of a coupon."""

    coupon_id = Identifier()
    text = UnicodeAttribute(attr_name="code")
    status = UnicodeAttribute()
    created_at = UtcDateTimeAttribute()
    profile_id = Identifier(null=True)
    assigned_at = UtcDateTimeAttribute(null=True)
    expires_at = UtcDateTimeAttribute(null=True)
    ends_by_itself = BooleanAttribute(null=True)
    error = UnicodeAttribute(null=True)
    external_id = UnicodeAttribute(null=True)


class CodeUseItem(CodeRow, discriminator="code_use"):
    """That an order had a code that isn't one of ours, or not yet."""


class CodePointerItem(Item, discriminator="coupon_code_pointer"):
    """That a profile has a code."""

    code_id = Identifier()


class CouponDueItem(Item, discriminator="coupon_due"):
    """Holds when a coupon or one of its codes ends, or when its sync is retried."""

    workspace_id = Identifier()
    coupon_id = Identifier()
    code_id = Identifier(null=True)


class CouponWorkItem(VersionedItem, discriminator="coupon_work"):
    """Codes that are still to be stored: made, or read from what was imported."""

    left = NumberAttribute()
    """How many."""
    content = UnicodeAttribute(null=True)
    """The name of what has the imported ones."""
    done = NumberAttribute(default=0)
    """Lines of it that were dealt with."""


class CodeRemovalItem(Item, discriminator="coupon_code_removal"):
    """Records that a code is still to be deleted at the platform."""

    external_id = UnicodeAttribute()


def coupon_attributes(coupon: Coupon) -> dict[str, Any]:
    """A coupon as its row's attributes."""
    return {
        "id": coupon.id,
        "store_id": coupon.store_id,
        "name": coupon.name,
        "source": coupon.source,
        "coupon_kind": coupon.kind,
        "quantity": coupon.quantity,
        "prefix": coupon.prefix,
        "terms": _terms_row(coupon.terms),
        "days": coupon.validity.days,
        "ends_at": coupon.validity.ends_at,
        "reissue": coupon.reissue,
        "status": coupon.status,
        "created_at": coupon.created_at,
        "archived_at": coupon.archived_at,
        "import_skipped": coupon.import_skipped,
        "external_id": coupon.external_id,
        "on_platform": coupon.on_platform or None,
        "never_stored": coupon.never_stored or None,
        "failed_syncs": coupon.failed_syncs or None,
        "retry_at": coupon.retry_at,
    }


def as_coupon(workspace: WorkspaceScope, item: CouponItem) -> Coupon:
    """The coupon of a row."""
    return Coupon(
        id=item.id,
        workspace=workspace,
        store_id=item.store_id,
        name=item.name,
        source=CouponSource(item.source),
        kind=CouponKind(item.coupon_kind),
        quantity=_whole(item.quantity),
        prefix=item.prefix,
        terms=_as_terms(item.terms),
        validity=Validity(_whole(item.days), item.ends_at),
        reissue=Reissue(item.reissue),
        status=CouponStatus(item.status),
        created_at=item.created_at,
        archived_at=item.archived_at,
        import_skipped=_whole(item.import_skipped),
        external_id=item.external_id,
        on_platform=bool(item.on_platform),
        never_stored=int(item.never_stored or 0),
        failed_syncs=int(item.failed_syncs or 0),
        retry_at=item.retry_at,
    )


def code_attributes(code: Code) -> Mapping[str, Any]:
    """A code as its row's attributes."""
    return {
        "id": code.id,
        "coupon_id": code.coupon_id,
        "text": code.text,
        "status": code.status,
        "created_at": code.created_at,
        "profile_id": code.profile_id,
        "assigned_at": code.assigned_at,
        "expires_at": code.expires_at,
        "use": use_row(code.use) if code.use else None,
        "error": code.error,
        "external_id": code.external_id,
        "ends_by_itself": code.ends_by_itself or None,
    }


def as_code(item: CodeItem) -> Code:
    """The code of a row."""
    return Code(
        id=item.id,
        coupon_id=item.coupon_id,
        text=item.text,
        status=CodeStatus(item.status),
        created_at=item.created_at,
        profile_id=item.profile_id,
        assigned_at=item.assigned_at,
        expires_at=item.expires_at,
        use=as_use(item.use) if item.use else None,
        error=item.error,
        external_id=item.external_id,
        ends_by_itself=bool(item.ends_by_itself),
    )


def use_row(use: Use) -> list[str]:
    """What a row says of a code's use."""
    return [str(use.order_id), use.number, clock.to_text(use.at)]


def as_use(row: list[str]) -> Use:
    """What `use_row` wrote."""
    order_id, number, at = row
    return Use(UUID(order_id), number, clock.from_text(at))


def _terms_row(terms: CouponTerms | None) -> list[Any] | None:
    if terms is None:
        return None
    least, combines = terms.minimum_subtotal, terms.combines_with
    return [
        terms.value_type,
        terms.value,
        [least.amount, least.currency] if least else None,
        [combines.order_discounts, combines.product_discounts, combines.shipping_discounts]
        if combines
        else None,
    ]


def _as_terms(row: list[Any] | None) -> CouponTerms | None:
    if row is None:
        return None
    value_type, value, least, combines = row
    return CouponTerms(
        ValueType(value_type),
        value,
        Money(*least[:2]) if least else None,
        Combinations(*combines[:3]) if combines else None,
    )


def _whole(number: float | None) -> int | None:
    return None if number is None else int(number)
