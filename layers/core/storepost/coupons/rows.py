"""Rows of coupons, of their codes, and of the work on them."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from pynamodb.attributes import BooleanAttribute, NumberAttribute, UnicodeAttribute

from storepost.coupons.model import (
    Code,
    Combinations,
    Coupon,
    CouponKind,
    CouponTerms,
    LoadMark,
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
from storepost.platform.persistence.mapping import as_value, attributes_of, write_to
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
    """The attributes of both rows that a code's key can have: the code, or an unknown one's use."""

    id = Identifier()
    use = Record("order_id", "number", "at", null=True)
    """The order that used the code, and when it was placed."""


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
    load = Record("work_id", "begin", null=True)
    """A LoadMark."""


class CodeUseItem(CodeRow, discriminator="code_use"):
    """An order's use of a code that no coupon has, or doesn't have yet."""


class CodePointerItem(Item, discriminator="coupon_code_pointer"):
    """Points from a profile to a code that is assigned to it."""

    code_id = Identifier()


class CouponDueItem(Item, discriminator="coupon_due"):
    """When a coupon or one of its codes ends, or when its sync is retried."""

    workspace_id = Identifier()
    coupon_id = Identifier()
    code_id = Identifier(null=True)


class CouponWorkItem(VersionedItem, discriminator="coupon_work"):
    """Codes that a worker has still to store: generated ones, or lines of an imported file."""

    remaining = NumberAttribute(attr_name="left")
    """How many codes."""
    object_name = UnicodeAttribute(attr_name="content", null=True)
    """The S3 object with the imported codes, one on a line; None where they are generated."""
    next_byte = NumberAttribute(attr_name="done", default=0)
    """The offset in the object at which the next line begins, or how many codes were made."""
    seed = UnicodeAttribute(null=True)
    """The seed of generated codes."""
    chunk = Record("created_at", "codes", "end", "listed", "listed_to", null=True)
    """The codes up to `end` that are being stored, all created at one moment; how many of them are
    in the coupon's list, and the key of the last one there. None if no row of the next codes may be
    written yet.
    """
    touched = NumberAttribute(null=True)
    """How often a code that is stored and not in the list yet was changed."""


class RemovalRow(Item):
    """A code that isn't valid, and that the platform has, or may have."""


class CodeRemovalItem(RemovalRow, discriminator="coupon_code_removal"):
    """Records that a code is still to be deleted at the platform."""

    external_id = UnicodeAttribute()


class CodeInDoubtItem(RemovalRow, discriminator="coupon_code_in_doubt"):
    """Records that the platform may have a code: it was sent, and the answer is unknown."""

    code_id = Identifier()
    text = UnicodeAttribute(attr_name="code")


def write_coupon(item: CouponItem, coupon: Coupon) -> None:
    """Sets the attributes of a coupon's row."""
    write_to(
        item,
        coupon,
        coupon_kind=coupon.kind,
        terms=_terms_row(coupon.terms),
        days=coupon.validity.days,
        ends_at=coupon.validity.ends_at,
        on_platform=coupon.on_platform or None,
        never_stored=coupon.never_stored or None,
        failed_syncs=coupon.failed_syncs or None,
    )


def as_coupon(workspace: WorkspaceScope, item: CouponItem) -> Coupon:
    """Returns the coupon of a row."""
    return as_value(
        Coupon,
        item,
        workspace=workspace,
        kind=CouponKind(item.coupon_kind),
        terms=_as_terms(item.terms),
        validity=Validity(_whole(item.days), item.ends_at),
        on_platform=bool(item.on_platform),
        never_stored=int(item.never_stored or 0),
        failed_syncs=int(item.failed_syncs or 0),
    )


def code_attributes(code: Code) -> Mapping[str, Any]:
    """Returns a code as its row's attributes."""
    return attributes_of(
        CodeItem,
        code,
        use=use_row(code.use) if code.use else None,
        ends_by_itself=code.ends_by_itself or None,
        load=[str(code.load.work_id), code.load.begin] if code.load else None,
    )


def as_code(item: CodeItem) -> Code:
    """Returns the code of a row."""
    return as_value(
        Code,
        item,
        use=as_use(item.use) if item.use else None,
        ends_by_itself=bool(item.ends_by_itself),
        load=LoadMark(UUID(item.load[0]), item.load[1]) if item.load else None,
    )


def use_row(use: Use) -> list[str]:
    """Returns a code's use as a row has it."""
    return [str(use.order_id), use.number, clock.to_text(use.at)]


def as_use(row: list[str]) -> Use:
    """Returns the use that `use_row` was given."""
    order_id, number, at = row
    return Use(UUID(order_id), number, clock.from_text(at))


def _terms_row(terms: CouponTerms | None) -> list[Any] | None:
    if terms is None:
        return None
    minimum, combines = terms.minimum_subtotal, terms.combines_with
    return [
        terms.value_type,
        terms.value,
        [minimum.amount, minimum.currency] if minimum else None,
        [combines.order_discounts, combines.product_discounts, combines.shipping_discounts]
        if combines
        else None,
    ]


def _as_terms(row: list[Any] | None) -> CouponTerms | None:
    if row is None:
        return None
    value_type, value, minimum, combines = row
    return CouponTerms(
        ValueType(value_type),
        value,
        Money(*minimum[:2]) if minimum else None,
        Combinations(*combines[:3]) if combines else None,
    )


def _whole(number: float | None) -> int | None:
    return None if number is None else int(number)
