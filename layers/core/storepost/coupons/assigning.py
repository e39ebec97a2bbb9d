"""Assigns codes to people in one conditional transaction, so that no code is assigned twice."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from storepost.coupons.code_repository import CodeRepository, Pointer
from storepost.coupons.codes import code_id, made_code
from storepost.coupons.finding import found_coupon
from storepost.coupons.model import Code, CodeStatus, Coupon, CouponKind, Reissue
from storepost.coupons.pool import first_status
from storepost.coupons.problems import CouponEnded, NoCodesLeft, ProfileNotInStore
from storepost.coupons.repository import CouponRepository
from storepost.coupons.trees import CodeList, among
from storepost.people.profiles.model import Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.service import profile_in_body
from storepost.platform.persistence.changes import Changes, LostRace
from storepost.values import clock
from storepost.values.ids import derived_id, short
from storepost.values.scope import WorkspaceScope

_ORDINAL = "n"
_DIGITS = 9


@dataclass(frozen=True)
class Assigned:
    """A code with its coupon and the person who has it."""

    coupon: Coupon
    code: Code
    profile: Profile
    is_new: bool


def assign_code(
    workspace: WorkspaceScope,
    coupon_id: UUID,
    profile_id: UUID,
    reference: str | None,
    changes: Changes,
) -> Assigned:
    """Assigns a code of the coupon to the person, or returns the one that they keep.

    Raises CouponEnded, NoCodesLeft and ProfileNotInStore.
    """
    coupons, codes = CouponRepository(workspace), CodeRepository(workspace)
    coupon = found_coupon(coupons, coupon_id)
    profile = profile_in_body(workspace, profile_id, "/profileId")
    if not coupon.is_active(clock.now()):
        raise CouponEnded()
    if coupon.store_id not in profile.store_ids:
        raise ProfileNotInStore()
    occasion = _occasion(coupon, reference)
    pointers, assigned_code = _assigned_before(coupon, codes, profile, occasion)
    of_pool = coupon.kind is not CouponKind.PERSONAL
    before = _available(coupon, codes) if of_pool and not assigned_code else None
    if of_pool and not (assigned_code or before):
        # The last one may have been assigned for the same occasion since it was looked up.
        pointers, assigned_code = _assigned_before(coupon, codes, profile, occasion)
    if assigned_code:
        return Assigned(coupon, assigned_code, profile, is_new=False)
    code = _with_owner(before or _made(coupon, codes), coupon, profile)
    codes.save(changes, before, code)
    codes.point(changes, profile.id, code, _name(occasion, code, pointers))
    ProfileRepository(workspace).expect_live(changes, profile)
    if code.status is CodeStatus.PENDING:
        coupons.send(changes, coupon.id)
    return Assigned(coupon, code, profile, is_new=True)


def _assigned_before(
    coupon: Coupon, codes: CodeRepository, profile: Profile, occasion: str | None
) -> tuple[Sequence[Pointer], Code | None]:
    """Returns the person's pointers for such an occasion, and the code that they keep."""
    if occasion is None:
        return (), None
    # Codes that were assigned while each email had its own count as well.
    keeps_any = coupon.reissue is Reissue.AFTER_USE_OR_EXPIRY
    names = "" if keeps_any else occasion
    pointers = codes.pointers_of(profile.partitions, coupon.id, names)
    found = codes.get_many(each.code_id for each in pointers)
    if keeps_any:
        over, now = {CodeStatus.USED, CodeStatus.EXPIRED}, clock.now()
        found = {
            each: code for each, code in found.items() if code.status_shown(coupon, now) not in over
        }
    # A merge may have joined two: the older one counts.
    oldest = min(found.values(), key=lambda code: (code.created_at, code.id), default=None)
    return pointers, oldest


def _available(coupon: Coupon, codes: CodeRepository) -> Code | None:
    """Returns a free code of the pool, each equally likely; None if none is left."""
    entry = CodeList(coupon.workspace, coupon.id).tree.any_of(among([CodeStatus.AVAILABLE]))
    if entry is None:
        return None
    code = codes.get_many_listed([entry.id]).get(entry.id)
    if code is None or code.status is not CodeStatus.AVAILABLE:
        raise LostRace()
    return code


def _made(coupon: Coupon, codes: CodeRepository) -> Code:
    """Returns a new code of a personal coupon. Raises NoCodesLeft for a pool."""
    if coupon.kind is not CouponKind.PERSONAL:
        raise NoCodesLeft()
    text = made_code(coupon.prefix)
    identifier = code_id(coupon.store_id, text)
    if codes.find_stored([identifier]):
        raise LostRace()
    return Code(identifier, coupon.id, text, first_status(coupon), clock.now())


def _with_owner(code: Code, coupon: Coupon, profile: Profile) -> Code:
    """Returns the code as the person's: assigned, unless the platform must accept it first."""
    of_person = replace(code, profile_id=profile.id)
    return of_person if code.status is CodeStatus.PENDING else assigned(of_person, coupon)


def assigned(code: Code, coupon: Coupon) -> Code:
    """Returns the code as assigned now, when its days of validity begin."""
    now = clock.now()
    return replace(
        code,
        status=CodeStatus.ASSIGNED,
        assigned_at=now,
        expires_at=coupon.validity.end_of(now),
        ends_by_itself=coupon.validity.days is not None,
    )


def _occasion(coupon: Coupon, reference: str | None) -> str | None:
    """Returns the prefix of the pointer's name; None if each code has a name of its own."""
    if coupon.reissue is Reissue.AFTER_USE_OR_EXPIRY:
        return _ORDINAL
    return f"r{short(derived_id(coupon.id, 'reference', reference))}" if reference else None


def _name(occasion: str | None, code: Code, pointers: Sequence[Pointer]) -> str:
    """Returns the pointer's name: two concurrent assignments can't both create the same."""
    if occasion == _ORDINAL:
        ordinals = (p.name[1 : 1 + _DIGITS] for p in pointers if p.name.startswith(_ORDINAL))
        return f"{_ORDINAL}{max(map(int, ordinals), default=0) + 1:0{_DIGITS}}"
    return occasion or f"c{short(code.id)}"
