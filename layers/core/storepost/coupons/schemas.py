"""Coupons and codes in answers."""

from uuid import UUID

from pydantic import Field

from storepost.coupons import model
from storepost.coupons.checking import ImportCheck
from storepost.coupons.listing import CouponView
from storepost.coupons.model import (
    CodeStatus,
    CouponKind,
    CouponSource,
    CouponStatus,
    Validity,
    ValueType,
)
from storepost.coupons.wire import (
    CouponCombinations,
    CouponName,
    CouponValidity,
    ReissueRule,
    ValidForDays,
    ValidForEver,
    ValidUntil,
)
from storepost.stores.stores.model import Platform
from storepost.values.wire import MoneyShape, Shape, Timestamp, Uri


class CouponStore(Shape):
    """The store whose orders may use a coupon's codes."""

    id: UUID = Field(description="The store, as `GET /stores/{id}` takes it.")
    name: str = Field(description="What the store is called today.")
    platform: Platform = Field(
        description="Whether it is a Shopify shop or a custom store of your own."
    )
    currency: str = Field(
        description="The store's currency as an ISO 4217 code, in which `value` counts an amount."
    )


class CouponCounts(Shape):
    """How many of a coupon's codes have each status."""

    available: int = Field(description="Codes of a pool that nobody has.")
    assigned: int = Field(description="Codes that people have and can still use.")
    used: int = Field(description="Codes that an order had.")
    expired: int = Field(
        description="Codes whose time is over without an order, and codes that nobody had when "
        "the coupon ended."
    )
    pending: int = Field(
        description="Codes that aren't ready yet: they are still to be made or stored, or the "
        "shop hasn't taken them."
    )
    failed: int = Field(
        description="Codes that the shop didn't take. Each code's `error` says why."
    )

    @classmethod
    def of(cls, counts: model.Counts) -> "CouponCounts":
        """Returns the counts in this shape."""
        return cls(**{status.value: counts[status] for status in CodeStatus})


class Coupon(Shape):
    """A coupon: what its codes are worth, how long they are valid, and how many there are."""

    id: UUID = Field(description="The id that paths of coupons take.")
    store: CouponStore = Field(description="The store whose orders may use the codes.")
    name: CouponName
    source: CouponSource = Field(description="Whether Storepost made the codes or a file had them.")
    kind: CouponKind = Field(
        description="When codes are made: one at a time for each person, or all in advance. It "
        "is always `bulk` for a coupon of source `import`."
    )
    quantity: int | None = Field(
        description="How many codes were requested, later ones too; null for a `personal` and for "
        "an imported coupon."
    )
    prefix: str | None = Field(
        description="What each code begins with; null where there is no prefix, and for an "
        "imported coupon."
    )
    value_type: ValueType | None = Field(
        description="What `value` counts: percent, or an amount; null for an imported coupon, "
        "whose worth the store alone knows."
    )
    value: int | None = Field(
        description="What the order gets off: percent, so 10 is ten percent, or minor units of "
        "the store's currency, so 1000 is 10.00 EUR; null for an imported coupon."
    )
    minimum_subtotal: MoneyShape | None = Field(
        description="The least subtotal of an order that may use a code; null where every order "
        "may, and for an imported coupon."
    )
    validity: CouponValidity
    combines_with: CouponCombinations | None = Field(
        description="Which other discounts the order may have; null where the store's platform "
        "decides, and for an imported coupon."
    )
    reissue: ReissueRule
    status: CouponStatus = Field(
        description="Whether the coupon gives codes out. It has `ended` from its `endsAt` on, or "
        "once somebody ended it."
    )
    external_id: str | None = Field(
        description="The number of the discount in the Shopify shop; null until there is one, "
        "after it was deleted there, and for custom stores and imported coupons."
    )
    admin_url: Uri | None = Field(
        description="Where the shop's staff see the discount; null where `externalId` is null."
    )
    import_skipped: int | None = Field(
        description="How many rows of the coupon's files added no code, because the code was there "
        "twice, was in the store already or was none; null where nothing was imported."
    )
    codes: CouponCounts = Field(description="How many codes there are, by status.")
    created_at: Timestamp = Field(description="When the coupon was made.")
    archived_at: Timestamp | None = Field(
        description="When the coupon was archived; null where it isn't."
    )

    @classmethod
    def of(cls, view: CouponView) -> "Coupon":
        """Returns the coupon in this shape."""
        coupon, store, terms = view.coupon, view.store, view.coupon.terms
        least = terms.minimum_subtotal if terms else None
        combines = terms.combines_with if terms else None
        return cls.of_stored(
            coupon,
            store=CouponStore.from_model(store),
            value_type=terms.value_type if terms else None,
            value=terms.value if terms else None,
            minimum_subtotal=MoneyShape.of(least) if least else None,
            validity=_as_validity(coupon.validity),
            combines_with=CouponCombinations.of_stored(combines) if combines else None,
            status=view.status,
            admin_url=view.admin_url,
            codes=CouponCounts.of(view.counts),
        )


class CouponImportProblem(Shape):
    """A row that has no valid code."""

    row: int = Field(description="The row's number in the file, from 1, the first row included.")
    value: str = Field(description="What the row has where the code should be.")
    reason: str = Field(
        description="Why that is no code, as a sentence for people: it is blank, has white space, "
        "is too long, or was rounded by a spreadsheet."
    )


class CouponImportCheck(Shape):
    """What importing a file of codes would do. A file with one column of codes has `rows = valid +
    duplicates + existing + invalid`; with several columns, a row can have more than one code.
    """

    column: str | None = Field(
        description="The column that has the codes, as the first row names it; null where the "
        "first row is a code already."
    )
    rows: int = Field(
        description="How many rows the file has, without empty ones and without the row of names."
    )
    valid: int = Field(description="How many codes would be imported.")
    samples: list[str] = Field(description="Up to five codes that would be imported.")
    duplicates: int = Field(
        description="How many codes are in the file earlier already; case doesn't matter."
    )
    existing: int = Field(
        description="How many codes the store has already, in any of its coupons."
    )
    existing_samples: list[str] = Field(description="Up to five codes that the store has already.")
    invalid: int = Field(
        description="How many values can't be codes; a row without any value counts as one."
    )
    problems: list[CouponImportProblem] = Field(
        description="The first hundred of the invalid values, each with its row and its reason."
    )

    @classmethod
    def of(cls, check: ImportCheck) -> "CouponImportCheck":
        """Returns the check in this shape."""
        return cls.from_model(
            check,
            samples=list(check.samples),
            existing_samples=list(check.existing_samples),
            problems=[CouponImportProblem.from_model(fault) for fault in check.faults],
        )


def _as_validity(validity: Validity) -> ValidForDays | ValidUntil | ValidForEver:
    if validity.days:
        return ValidForDays.of_stored(type="days", days=validity.days)
    if validity.ends_at:
        return ValidUntil.of_stored(type="until", ends_at=validity.ends_at)
    return ValidForEver.of_stored(type="none")
