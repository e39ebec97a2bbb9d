"""Single codes: retries one that failed, and deletes one that nobody has."""

from dataclasses import dataclass, replace
from uuid import UUID

from storepost.coupons.code_repository import CodeRepository
from storepost.coupons.finding import found_coupon
from storepost.coupons.model import Code, CodeStatus, Coupon
from storepost.coupons.problems import CodeAssigned, CodeNotFailed, CouponEnded
from storepost.coupons.repository import CouponRepository
from storepost.people.profiles.repository import ProfileRepository
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.problems import NotFound, needed
from storepost.values.scope import WorkspaceScope

_DELETABLE = frozenset({CodeStatus.AVAILABLE, CodeStatus.FAILED})


@dataclass(frozen=True)
class _Found:
    """A code with its coupon."""

    coupons: CouponRepository
    codes: CodeRepository
    coupon: Coupon
    code: Code


def get_code(workspace: WorkspaceScope, code_id: UUID) -> tuple[Coupon, Code]:
    """Returns the code with its coupon. Raises NotFound."""
    found = _found(workspace, code_id)
    return found.coupon, found.code


def get_stored_code(workspace: WorkspaceScope, code_id: UUID) -> tuple[Coupon, Code]:
    """Returns the same, also of a code that no list shows yet: an order may have it.

    Raises NotFound.
    """
    code = needed(CodeRepository(workspace).get(code_id), NotFound.of("coupon code"))
    return found_coupon(CouponRepository(workspace), code.coupon_id), code


def retry_code(workspace: WorkspaceScope, code_id: UUID, changes: Changes) -> tuple[Coupon, Code]:
    """Queues a code for the platform again. Raises CodeNotFailed and CouponEnded."""
    found = _found(workspace, code_id)
    if found.code.status is not CodeStatus.FAILED:
        raise CodeNotFailed()
    if not found.coupon.is_active(clock.now()):
        raise CouponEnded()
    after = replace(found.code, status=CodeStatus.PENDING, error=None)
    found.codes.save(changes, found.code, after)
    found.coupons.send(changes, found.coupon.id)
    return found.coupon, after


def delete_code(workspace: WorkspaceScope, code_id: UUID, changes: Changes) -> None:
    """Removes a code that nobody has. Raises CodeAssigned."""
    found = _found(workspace, code_id)
    code = found.code
    if code.status_shown(found.coupon, clock.now()) not in _DELETABLE:
        raise CodeAssigned()
    found.codes.delete(changes, code)
    if code.profile_id:
        profile = ProfileRepository(workspace).get(code.profile_id)
        if profile:
            found.codes.unpoint(changes, profile, code)
    found.coupons.queue_removal(changes, code)
    if code.status is CodeStatus.FAILED and code.external_id is None:
        found.coupons.doubt(changes, code)
    if found.coupon.on_platform:
        found.coupons.send(changes, found.coupon.id)


def _found(workspace: WorkspaceScope, code_id: UUID) -> _Found:
    coupons, codes = CouponRepository(workspace), CodeRepository(workspace)
    code = needed(codes.get_listed(code_id), NotFound.of("coupon code"))
    return _Found(coupons, codes, found_coupon(coupons, code.coupon_id), code)
