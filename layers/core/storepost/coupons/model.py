"""Coupons and their codes as values, and what they show at a moment.

Anything whose end has passed counts as ended, whether or not a schedule has updated its row: rows
have the stored status, `status_at` and `status_shown` return the current one.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from storepost.values.money import Money
from storepost.values.scope import WorkspaceScope
from storepost.values.stored_enum import StoredEnum


class CouponSource(StoredEnum):
    """Where a coupon's codes come from: `platform`, Storepost made them, or `import`, a file."""

    PLATFORM = "platform"
    IMPORT = "import"


class CouponKind(StoredEnum):
    """When a coupon's codes are made: `personal`, for each person, or `bulk`, all in advance."""

    PERSONAL = "personal"
    BULK = "bulk"


class ValueType(StoredEnum):
    """What a coupon's value counts: percent, or minor units of the store's currency."""

    PERCENTAGE = "percentage"
    AMOUNT = "amount"


class Reissue(StoredEnum):
    """When a person gets another code: once theirs is used or expired, or for every email."""

    AFTER_USE_OR_EXPIRY = "after_use_or_expiry"
    EVERY_EMAIL = "every_email"


class CouponStatus(StoredEnum):
    """How far a coupon has come.

    `active` gives codes out; `ended` gives out none; `archived` has ended and is hidden from lists.
    """

    ACTIVE = "active"
    ENDED = "ended"
    ARCHIVED = "archived"


class CodeStatus(StoredEnum):
    """How far a code has come.

    `pending`: it is being made, or the shop hasn't taken it yet. `available`: nobody has it.
    `assigned`: a person has it. `used`: an order had it. `expired`: its time is over. `failed`: the
    shop didn't accept it.
    """

    PENDING = "pending"
    AVAILABLE = "available"
    ASSIGNED = "assigned"
    USED = "used"
    EXPIRED = "expired"
    FAILED = "failed"


UNASSIGNED = frozenset({CodeStatus.PENDING, CodeStatus.AVAILABLE})
"""The statuses that a coupon's end turns into `expired`."""


@dataclass(frozen=True)
class Validity:
    """How long a code is valid: days from its assignment, until a moment, or without an end."""

    days: int | None = None
    ends_at: datetime | None = None

    def end_of(self, assigned_at: datetime) -> datetime | None:
        """Returns when a code ends that is assigned at that moment."""
        return assigned_at + timedelta(days=self.days) if self.days else self.ends_at


@dataclass(frozen=True)
class Combinations:
    """Which other discounts a coupon's may be combined with."""

    order_discounts: bool
    product_discounts: bool
    shipping_discounts: bool


@dataclass(frozen=True)
class CouponTerms:
    """What a coupon of the platform is worth, and under which conditions."""

    value_type: ValueType
    value: int
    """Percent, or minor units of the store's currency."""
    minimum_subtotal: Money | None
    combines_with: Combinations | None


@dataclass(frozen=True)
class Coupon:
    """A coupon of a store."""

    id: UUID
    workspace: WorkspaceScope
    store_id: UUID
    name: str
    source: CouponSource
    kind: CouponKind
    quantity: int | None
    """Codes that were requested, including top-ups; None for personal and imported ones."""
    prefix: str | None
    terms: CouponTerms | None
    validity: Validity
    reissue: Reissue
    status: CouponStatus
    created_at: datetime
    archived_at: datetime | None = None
    import_skipped: int | None = None
    external_id: str | None = None
    """The id of the platform's discount, once there is one."""
    on_platform: bool = False
    """Whether the store's platform must accept each code: it is made here, and redeemed there."""
    failed_syncs: int = 0
    """How many times in a row deleting codes on the platform failed."""
    never_stored: int = 0
    """Codes that were requested, and weren't stored before the coupon ended."""
    retry_at: datetime | None = None
    """When the next retry is, or the last one was."""

    def has_passed(self, now: datetime) -> bool:
        """Returns whether its codes' common end has passed."""
        return self.validity.ends_at is not None and self.validity.ends_at <= now

    def status_at(self, now: datetime) -> CouponStatus:
        """Returns the status that it shows: `ended`, if its end has passed."""
        if self.status is CouponStatus.ACTIVE and self.has_passed(now):
            return CouponStatus.ENDED
        return self.status

    def is_active(self, now: datetime) -> bool:
        """Returns whether it gives codes out."""
        return self.status_at(now) is CouponStatus.ACTIVE

    def status_shown(self, stored: CodeStatus, now: datetime) -> CodeStatus:
        """Returns the status that a code with this stored one shows, unless it ends by itself."""
        ends = stored in UNASSIGNED and not self.is_active(now)
        if ends or (stored is CodeStatus.ASSIGNED and self.has_passed(now)):
            return CodeStatus.EXPIRED
        return stored

    def stored_for(self, status: CodeStatus, now: datetime) -> frozenset[CodeStatus]:
        """Returns the stored statuses that show as this one."""
        return frozenset(each for each in CodeStatus if self.status_shown(each, now) is status)


@dataclass(frozen=True)
class Use:
    """The order that used a code: of several the one that was placed first."""

    order_id: UUID
    number: str
    at: datetime

    def replaces(self, stored: "Use") -> bool:
        """Returns whether this use is to be stored instead: it is the same order's, or earlier.

        So any order of arrival keeps the same one.
        """
        if self.order_id == stored.order_id:
            return self != stored
        return (self.at, self.order_id) < (stored.at, stored.order_id)


@dataclass(frozen=True)
class LoadMark:
    """The load that wrote a code, as long as the coupon's list may not show the code."""

    work_id: UUID
    begin: int
    """Where the code's chunk begins, in the file or among the generated codes."""


@dataclass(frozen=True)
class Code:
    """A code of a coupon."""

    id: UUID
    coupon_id: UUID
    text: str
    status: CodeStatus
    created_at: datetime
    profile_id: UUID | None = None
    assigned_at: datetime | None = None
    expires_at: datetime | None = None
    """The end of an assigned code; None if it has none."""
    use: Use | None = None
    error: str | None = None
    external_id: str | None = None
    """The id of the platform's own code."""
    ends_by_itself: bool = False
    """Whether it has an end of its own, at which a schedule expires it."""
    load: LoadMark | None = None

    @property
    def is_due(self) -> bool:
        """Returns whether a row says when it ends, which is so while it is assigned."""
        return self.ends_by_itself and self.status is CodeStatus.ASSIGNED

    def status_shown(self, coupon: Coupon, now: datetime) -> CodeStatus:
        """Returns the status that it shows: `expired`, if its end has passed."""
        ended = self.expires_at is not None and self.expires_at <= now
        if self.status is CodeStatus.ASSIGNED and ended:
            return CodeStatus.EXPIRED
        return coupon.status_shown(self.status, now)


@dataclass(frozen=True)
class Counts:
    """How many codes of each status a coupon shows."""

    by_status: Mapping[CodeStatus, int]

    def __getitem__(self, status: CodeStatus) -> int:
        """Returns the number of one status."""
        return self.by_status.get(status, 0)


def counts_at(
    coupon: Coupon, stored: Mapping[CodeStatus, int], overdue: int, waiting: int, now: datetime
) -> Counts:
    """Returns what a coupon shows, from what is stored.

    `overdue` codes have passed their own end and are still `assigned`; `waiting` ones are still to
    be stored. Once the coupon is over they won't be: they expire, as stored codes that nobody has
    do.
    """
    by_status = Counter[CodeStatus]()
    for status, count in stored.items():
        by_status[coupon.status_shown(status, now)] += count
    by_status[CodeStatus.ASSIGNED] -= overdue
    by_status[CodeStatus.EXPIRED] += overdue
    by_status[coupon.status_shown(CodeStatus.PENDING, now)] += waiting
    by_status[CodeStatus.EXPIRED] += coupon.never_stored
    return Counts(by_status)
