"""Coupons and codes as they are read, with what has ended counted as moved."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from storepost import clock
from storepost.coupons.assigning import Assigned
from storepost.coupons.code_repository import CodeRepository
from storepost.coupons.model import (
    Code,
    CodeStatus,
    Counts,
    Coupon,
    CouponKind,
    CouponSource,
    CouponStatus,
    counts_at,
)
from storepost.coupons.repository import CouponRepository
from storepost.coupons.service import FilledCoupon, found_coupon
from storepost.coupons.trees import CodeList, among
from storepost.pagination import MOST_ROWS, FilterTooBroad, Listing, PageRequest, cut, in_order
from storepost.persistence.counted_tree import Entry
from storepost.profiles.model import Profile
from storepost.profiles.repository import ProfileRepository
from storepost.scope import WorkspaceScope
from storepost.stores.finding import found_store
from storepost.stores.model import Store
from storepost.stores.repository import StoreRepository
from storepost.text import matches, sort_key

HIDDEN = frozenset({CouponStatus.ARCHIVED})


@dataclass(frozen=True)
class ShownCoupon:
    """A coupon with its store and how many codes it has."""

    coupon: Coupon
    store: Store
    status: CouponStatus
    counts: Counts

    @property
    def admin_url(self) -> str | None:
        """Where the store's platform shows the discount, once there is one."""
        if self.coupon.external_id is None:
            return None
        return f"{self.store.admin_url.rstrip('/')}/discounts/{self.coupon.external_id}"


@dataclass(frozen=True)
class ShownCode:
    """A code with the person who has it."""

    code: Code
    status: CodeStatus
    profile: Profile | None


@dataclass(frozen=True)
class CouponFilter:
    """What a coupon of the list must be; None asks for nothing, but archived ones are hidden."""

    store_id: UUID | None = None
    statuses: Collection[CouponStatus] | None = None
    sources: Collection[CouponSource] | None = None
    kinds: Collection[CouponKind] | None = None
    q: str | None = None

    def takes(self, coupon: Coupon, status: CouponStatus) -> bool:
        """Whether the coupon is what is asked for."""
        asked: tuple[tuple[Collection[object] | None, object], ...] = (
            ([self.store_id] if self.store_id else None, coupon.store_id),
            (self.sources, coupon.source),
            (self.kinds, coupon.kind),
            (self.statuses or set(CouponStatus) - HIDDEN, status),
        )
        if any(wanted is not None and value not in wanted for wanted, value in asked):
            return False
        return self.q is None or matches(self.q, coupon.name)


@dataclass(frozen=True)
class CodeFilter:
    """What a code of the list must be; None asks for nothing."""

    q: str | None = None
    statuses: Collection[CodeStatus] | None = None
    profile_id: UUID | None = None


def list_coupons(
    workspace: WorkspaceScope, asked: CouponFilter, sort: str, page: PageRequest
) -> Listing[ShownCoupon]:
    """The coupons that are asked for, in the order of `createdAt` or `name`."""
    now = clock.now()
    found = [c for c in CouponRepository(workspace).all() if asked.takes(c, c.status_at(now))]
    ordered = in_order(
        found,
        sort,
        {
            "name": lambda coupon: (sort_key(coupon.name), coupon.id),
            "createdAt": lambda coupon: (coupon.created_at, coupon.id),
        },
    )
    listing = cut(ordered, page)
    stores = {
        store.id: store
        for store in StoreRepository(workspace).named({c.store_id for c in listing.items})
    }
    shown = [_with_counts(coupon, stores[coupon.store_id]) for coupon in listing.items]
    return Listing(shown, listing.total, page)


def get_coupon(workspace: WorkspaceScope, coupon_id: UUID) -> ShownCoupon:
    """A coupon; 404 where the workspace has none of that id."""
    coupon = found_coupon(CouponRepository(workspace), coupon_id)
    return _with_counts(coupon, found_store(StoreRepository(workspace), coupon.store_id))


def as_filled(filled: FilledCoupon) -> ShownCoupon:
    """A coupon as it will be once a unit of work that fills its pool is written."""
    return _with_counts(filled.coupon, filled.store, filled.added, filled.waiting)


def as_changed(coupon: Coupon) -> ShownCoupon:
    """A coupon as it will be once a unit of work is written that leaves its codes alone."""
    return _with_counts(coupon, found_store(StoreRepository(coupon.workspace), coupon.store_id))


def list_codes(
    workspace: WorkspaceScope, coupon_id: UUID, asked: CodeFilter, page: PageRequest
) -> Listing[ShownCode]:
    """A coupon's codes, the newest first. Raises FilterTooBroad."""
    coupon = found_coupon(CouponRepository(workspace), coupon_id)
    if asked.profile_id is not None:
        found = _of_profile(coupon, asked)
        return Listing(shown_codes(coupon, found[page.skipped :][: page.size]), len(found), page)
    entries = _entries(coupon, asked, page)
    codes = CodeRepository(workspace).get_many(entry.id for entry in entries.items)
    there = [codes[entry.id] for entry in entries.items if entry.id in codes]
    return Listing(shown_codes(coupon, there), entries.total, page)


def shown_codes(coupon: Coupon, codes: Sequence[Code]) -> list[ShownCode]:
    """The codes with the people who have them."""
    people = _people(coupon.workspace, codes)
    now = clock.now()
    return [
        ShownCode(
            code, code.shown(coupon, now), people.get(code.profile_id) if code.profile_id else None
        )
        for code in codes
    ]


def codes_of(profile: Profile) -> list[ShownCode]:
    """Everything that one person has of codes, the newest first."""
    codes = CodeRepository(profile.workspace)
    found = codes.get_many(each.code_id for each in codes.pointers_of(profile.partitions)).values()
    coupons = CouponRepository(profile.workspace)
    named = {each: coupons.get(each) for each in {code.coupon_id for code in found}}
    now = clock.now()
    return [
        ShownCode(code, code.shown(coupon, now), profile)
        for code in sorted(found, key=lambda code: (code.created_at, code.id), reverse=True)
        if (coupon := named[code.coupon_id])
    ]


def as_assigned(given: Assigned) -> ShownCode:
    """A code that somebody has just got, or had."""
    return ShownCode(given.code, given.code.shown(given.coupon, clock.now()), given.profile)


def _people(workspace: WorkspaceScope, codes: Iterable[Code]) -> dict[UUID, Profile]:
    named = {code.profile_id for code in codes if code.profile_id}
    return ProfileRepository(workspace).by_id(named) if named else {}


def _with_counts(coupon: Coupon, store: Store, added: int = 0, coming: int = 0) -> ShownCoupon:
    coupons, now = CouponRepository(coupon.workspace), clock.now()
    stored = dict(CodeList(coupon.workspace, coupon.id).stored())
    stored[CodeStatus.AVAILABLE] += added
    overdue = 0
    if coupon.validity.days and stored[CodeStatus.ASSIGNED]:
        overdue = sum(1 for _ in coupons.overdue(coupon.id, now))
    waiting = 0
    if coupon.kind is CouponKind.BULK and coupon.is_active(now):
        waiting = coming + sum(work.left for work in coupons.works(coupon.id))
    counts = counts_at(coupon, stored, overdue, waiting, now)
    return ShownCoupon(coupon, store, coupon.status_at(now), counts)


def _entries(coupon: Coupon, asked: CodeFilter, page: PageRequest) -> Listing[Entry]:
    now = clock.now()
    tree = CodeList(coupon.workspace, coupon.id).tree
    wanted = set(CodeStatus) if asked.statuses is None else set(asked.statuses)
    stored = {each for shown in wanted for each in coupon.stored_for(shown, now)}
    overdue = _overdue(coupon, wanted)
    if asked.q is None and not overdue:
        by = None if asked.statuses is None else among(stored)
        return tree.page(page, descending=True, by=by)
    if overdue:
        stored |= {CodeStatus.ASSIGNED}

    def keep(entries: Sequence[Entry]) -> list[Entry]:
        return [
            entry
            for entry in entries
            if _shows(coupon, entry, overdue) in wanted
            and (asked.q is None or matches(asked.q, str(entry.payload)))
        ]

    return tree.scan(page, keep, advised="status", descending=True, by=[among(stored)])


def _overdue(coupon: Coupon, wanted: Collection[CodeStatus]) -> frozenset[UUID]:
    """The codes that have passed their own end, where that makes a difference to the list."""
    differs = (CodeStatus.ASSIGNED in wanted) != (CodeStatus.EXPIRED in wanted)
    if not differs or not coupon.validity.days:
        return frozenset()
    found = set[UUID]()
    for each in CouponRepository(coupon.workspace).overdue(coupon.id, clock.now()):
        found.add(each)
        if len(found) > MOST_ROWS:
            raise FilterTooBroad("status")
    return frozenset(found)


def _shows(coupon: Coupon, entry: Entry, overdue: Collection[UUID]) -> CodeStatus:
    if entry.id in overdue:
        return CodeStatus.EXPIRED
    return coupon.shown(CodeStatus(str(entry.values["status"])), clock.now())


def _of_profile(coupon: Coupon, asked: CodeFilter) -> list[Code]:
    """The codes of one person, the newest first: they are few."""
    profile = (
        ProfileRepository(coupon.workspace).get(asked.profile_id) if asked.profile_id else None
    )
    if profile is None:
        return []
    codes, now = CodeRepository(coupon.workspace), clock.now()
    pointers = codes.pointers_of(profile.partitions, coupon.id)
    found = codes.get_many(each.code_id for each in pointers).values()
    kept = [
        code
        for code in found
        if (asked.statuses is None or code.shown(coupon, now) in asked.statuses)
        and (asked.q is None or matches(asked.q, code.text))
    ]
    return sorted(kept, key=lambda code: (code.created_at, code.id), reverse=True)
