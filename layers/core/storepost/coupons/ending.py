"""What a coupon's end does to its codes, some in a transaction, until none is left to move."""

from functools import partial
from uuid import UUID

from storepost.coupons.expiring import CODES_CHANGED_AT_ONCE, Repositories, expire
from storepost.coupons.model import CodeStatus
from storepost.coupons.trees import CodeList, among
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.values import clock
from storepost.values.pagination import PageRequest
from storepost.values.scope import WorkspaceScope


def expire_some(workspace: WorkspaceScope, coupon_id: UUID) -> bool:
    """Makes some of an ended coupon's codes what they show; whether there may be more."""
    return commit_anew(partial(_expire_some, workspace=workspace, coupon_id=coupon_id))


def _expire_some(changes: Changes, workspace: WorkspaceScope, coupon_id: UUID) -> bool:
    repositories, now = Repositories.of(workspace), clock.now()
    coupon = repositories.coupons.get(coupon_id)
    if coupon is None or coupon.is_active(now):
        return False
    left = coupon.stored_for(CodeStatus.EXPIRED, now) - {CodeStatus.EXPIRED}
    tree = CodeList(workspace, coupon_id).tree
    entries = tree.page(PageRequest(1, CODES_CHANGED_AT_ONCE), by=among(left)).items
    for code in repositories.codes.get_shown(entry.id for entry in entries).values():
        if code.status in left:
            expire(changes, repositories, code)
    return bool(entries)
