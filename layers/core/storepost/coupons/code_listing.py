"""Codes as they are read, with what has ended counted as moved."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from storepost.coupons.code_repository import CodeRepository
from storepost.coupons.codes import code_id
from storepost.coupons.finding import found_coupon
from storepost.coupons.model import (
    Code,
    CodeStatus,
    Coupon,
    CouponSource,
)
from storepost.coupons.repository import CouponRepository
from storepost.coupons.trees import CodeList, among
from storepost.people.profiles.model import Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.platform.persistence.counted_tree import Entry
from storepost.values import clock
from storepost.values.pagination import MAX_ROWS, FilterTooBroad, Listing, PageRequest, cut
from storepost.values.scope import WorkspaceScope
from storepost.values.text import matches


@dataclass(frozen=True)
class ShownCode:
    """A code with the person who has it."""

    code: Code
    status: CodeStatus
    profile: Profile | None


@dataclass(frozen=True)
class CodeFilter:
    """What a code of the list must be; None asks for nothing."""

    q: str | None = None
    statuses: Collection[CodeStatus] | None = None
    profile_id: UUID | None = None


def list_codes(
    workspace: WorkspaceScope, coupon_id: UUID, asked: CodeFilter, page: PageRequest
) -> Listing[ShownCode]:
    """A coupon's codes, the newest first.

    Raises FilterTooBroad, but not where `q` is a whole code that we made: those of a coupon are
    as long as each other, so it is the only one that `q` finds, in a pool of any size.
    """
    coupon = found_coupon(CouponRepository(workspace), coupon_id)
    if asked.profile_id is not None:
        return _shown(coupon, _of_profile(coupon, asked), page)
    try:
        entries = _entries(coupon, asked, page)
    except FilterTooBroad:
        is_ours = coupon.source is CouponSource.PLATFORM
        named = _named(coupon, asked.q) if asked.q and is_ours else None
        if named is None:
            raise
        return _shown(coupon, _with_status(coupon, [named], asked), page)
    codes = CodeRepository(workspace).get_many(entry.id for entry in entries.items)
    there = [codes[entry.id] for entry in entries.items if entry.id in codes]
    return Listing(shown_codes(coupon, there), entries.total, page)


def _shown(coupon: Coupon, found: Sequence[Code], page: PageRequest) -> Listing[ShownCode]:
    """A page of codes that were read all."""
    some = cut(found, page)
    return Listing(shown_codes(coupon, some.items), some.total, page)


def shown_codes(coupon: Coupon, codes: Sequence[Code]) -> list[ShownCode]:
    """The codes with the people who have them."""
    people = _people(coupon.workspace, codes)
    now = clock.now()
    return [
        ShownCode(
            code,
            code.shown(coupon, now),
            people.get(code.profile_id) if code.profile_id else None,
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


def _people(workspace: WorkspaceScope, codes: Iterable[Code]) -> dict[UUID, Profile]:
    named = {code.profile_id for code in codes if code.profile_id}
    return ProfileRepository(workspace).by_id(named) if named else {}


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
        if len(found) > MAX_ROWS:
            raise FilterTooBroad("status")
    return frozenset(found)


def _shows(coupon: Coupon, entry: Entry, overdue: Collection[UUID]) -> CodeStatus:
    if entry.id in overdue:
        return CodeStatus.EXPIRED
    return coupon.shown(CodeStatus(str(entry.values["status"])), clock.now())


def _named(coupon: Coupon, text: str) -> Code | None:
    """The coupon's code of just that text."""
    identifier = code_id(coupon.store_id, text.strip())
    code = CodeRepository(coupon.workspace).get(identifier)
    return code if code and code.coupon_id == coupon.id else None


def _with_status(coupon: Coupon, codes: Iterable[Code], asked: CodeFilter) -> list[Code]:
    """Those of the codes that show a status that is asked for."""
    now = clock.now()
    return [c for c in codes if asked.statuses is None or c.shown(coupon, now) in asked.statuses]


def _of_profile(coupon: Coupon, asked: CodeFilter) -> list[Code]:
    """The codes of one person, the newest first: they are few."""
    profile = (
        ProfileRepository(coupon.workspace).get(asked.profile_id) if asked.profile_id else None
    )
    if profile is None:
        return []
    codes = CodeRepository(coupon.workspace)
    pointers = codes.pointers_of(profile.partitions, coupon.id)
    found = codes.get_many(each.code_id for each in pointers).values()
    of_status = _with_status(coupon, found, asked)
    kept = [code for code in of_status if asked.q is None or matches(asked.q, code.text)]
    return sorted(kept, key=lambda code: (code.created_at, code.id), reverse=True)
