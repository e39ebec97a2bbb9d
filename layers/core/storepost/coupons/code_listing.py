"""Reads codes for answers: one whose end has passed counts as expired already."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from storepost.coupons.code_repository import CodeRepository
from storepost.coupons.codes import code_id
from storepost.coupons.finding import found_coupon
from storepost.coupons.model import Code, CodeStatus, Coupon, CouponSource
from storepost.coupons.repository import CouponRepository
from storepost.coupons.trees import CodeList, among
from storepost.people.profiles.model import Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.platform.persistence.counted_tree import TreeEntry
from storepost.values import clock
from storepost.values.pagination import (
    MAX_ROWS,
    FilterTooBroad,
    Listing,
    PageRequest,
    cut,
    is_among,
)
from storepost.values.scope import WorkspaceScope
from storepost.values.text import matches


@dataclass(frozen=True)
class CodeView:
    """A code with the person who has it."""

    code: Code
    status: CodeStatus
    profile: Profile | None


@dataclass(frozen=True)
class CodeFilter:
    """The filters of a list of codes; None doesn't filter."""

    q: str | None = None
    statuses: Collection[CodeStatus] | None = None
    profile_id: UUID | None = None


def list_codes(
    workspace: WorkspaceScope, coupon_id: UUID, filters: CodeFilter, page: PageRequest
) -> Listing[CodeView]:
    """Returns a coupon's codes, the newest first.

    Raises FilterTooBroad, but not if `q` is a whole code that Storepost made: a coupon's codes are
    all equally long, so `q` finds no other, in a pool of any size.
    """
    coupon = found_coupon(CouponRepository(workspace), coupon_id)
    if filters.profile_id is not None:
        return _page(coupon, _of_profile(coupon, filters), page)
    try:
        entries = _entries(coupon, filters, page)
    except FilterTooBroad:
        is_ours = coupon.source is CouponSource.PLATFORM
        named = _named(coupon, filters.q) if filters.q and is_ours else None
        if named is None:
            raise
        return _page(coupon, _with_status(coupon, [named], filters), page)
    codes = CodeRepository(workspace).get_many(entry.id for entry in entries.items)
    existing = [codes[entry.id] for entry in entries.items if entry.id in codes]
    return Listing(code_views(coupon, existing), entries.total, page)


def _page(coupon: Coupon, found: Sequence[Code], page: PageRequest) -> Listing[CodeView]:
    """Returns a page of codes that were all read."""
    some = cut(found, page)
    return Listing(code_views(coupon, some.items), some.total, page)


def code_views(coupon: Coupon, codes: Sequence[Code]) -> list[CodeView]:
    """Returns the codes with the people who have them."""
    people = _people(coupon.workspace, codes)
    now = clock.now()
    return [
        CodeView(
            code,
            code.status_shown(coupon, now),
            people.get(code.profile_id) if code.profile_id else None,
        )
        for code in codes
    ]


def codes_of(profile: Profile) -> list[CodeView]:
    """Returns all codes of one person, the newest first."""
    codes, coupons = _newest_first(profile), CouponRepository(profile.workspace)
    named = {each: coupons.get(each) for each in {code.coupon_id for code in codes}}
    now = clock.now()
    return [
        CodeView(code, code.status_shown(coupon, now), profile)
        for code in codes
        if (coupon := named[code.coupon_id])
    ]


def _newest_first(profile: Profile, coupon_id: UUID | None = None) -> list[Code]:
    """Returns one person's codes, of all coupons or one."""
    codes = CodeRepository(profile.workspace)
    pointers = codes.pointers_of(profile.partitions, coupon_id)
    found = codes.get_many(each.code_id for each in pointers).values()
    return sorted(found, key=lambda code: (code.created_at, code.id), reverse=True)


def _people(workspace: WorkspaceScope, codes: Iterable[Code]) -> dict[UUID, Profile]:
    named = {code.profile_id for code in codes if code.profile_id}
    return ProfileRepository(workspace).by_id(named) if named else {}


def _entries(coupon: Coupon, filters: CodeFilter, page: PageRequest) -> Listing[TreeEntry]:
    now = clock.now()
    tree = CodeList(coupon.workspace, coupon.id).tree
    allowed = set(CodeStatus) if filters.statuses is None else set(filters.statuses)
    stored = {each for status in allowed for each in coupon.stored_for(status, now)}
    overdue = _overdue(coupon, allowed)
    if filters.q is None and not overdue:
        by = None if filters.statuses is None else among(stored)
        return tree.page(page, descending=True, by=by)
    if overdue:
        stored |= {CodeStatus.ASSIGNED}

    def keep(entries: Sequence[TreeEntry]) -> list[TreeEntry]:
        return [
            entry
            for entry in entries
            if _shows(coupon, entry, overdue) in allowed
            and (filters.q is None or matches(filters.q, str(entry.payload)))
        ]

    return tree.scan(page, keep, advised="status", descending=True, by=[among(stored)])


def _overdue(coupon: Coupon, allowed: Collection[CodeStatus]) -> frozenset[UUID]:
    """Returns the codes that have passed their own end, if that affects the list."""
    differs = (CodeStatus.ASSIGNED in allowed) != (CodeStatus.EXPIRED in allowed)
    if not differs or not coupon.validity.days:
        return frozenset()
    found = set[UUID]()
    for each in CouponRepository(coupon.workspace).overdue(coupon.id, clock.now()):
        found.add(each)
        if len(found) > MAX_ROWS:
            raise FilterTooBroad("status")
    return frozenset(found)


def _shows(coupon: Coupon, entry: TreeEntry, overdue: Collection[UUID]) -> CodeStatus:
    if entry.id in overdue:
        return CodeStatus.EXPIRED
    return coupon.status_shown(CodeStatus(str(entry.values["status"])), clock.now())


def _named(coupon: Coupon, text: str) -> Code | None:
    """Returns the coupon's code with exactly that text."""
    identifier = code_id(coupon.store_id, text.strip())
    code = CodeRepository(coupon.workspace).get_listed(identifier)
    return code if code and code.coupon_id == coupon.id else None


def _with_status(coupon: Coupon, codes: Iterable[Code], filters: CodeFilter) -> list[Code]:
    """Returns those of the codes that show a requested status."""
    now = clock.now()
    return [c for c in codes if is_among(c.status_shown(coupon, now), filters.statuses)]


def _of_profile(coupon: Coupon, filters: CodeFilter) -> list[Code]:
    """Returns one person's codes, the newest first: they are few."""
    profile = (
        ProfileRepository(coupon.workspace).get(filters.profile_id) if filters.profile_id else None
    )
    if profile is None:
        return []
    of_status = _with_status(coupon, _newest_first(profile, coupon.id), filters)
    return [code for code in of_status if filters.q is None or matches(filters.q, code.text)]
