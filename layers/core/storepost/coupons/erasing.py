"""What an erased profile leaves in coupons: codes that nobody has, used or not.

A code that was made for it, and that the shop hasn't accepted or refuses, is expired: its coupon is
personal, so nobody else gets an existing code of it.
"""

from uuid import UUID

from storepost.coupons.code_repository import CodeRepository
from storepost.coupons.expiring import CODES_CHANGED_AT_ONCE
from storepost.coupons.model import Code, CodeStatus
from storepost.coupons.repository import CouponRepository
from storepost.people.profiles.erasing import erase_from
from storepost.people.profiles.erasure import Erasure
from storepost.platform.persistence.changes import Changes
from storepost.values.scope import WorkspaceScope

ERASED_AT_ONCE = 40
"""Codes in one transaction: each has two rows, the code and the profile's pointer."""

_UNFINISHED = frozenset({CodeStatus.PENDING, CodeStatus.FAILED})


def erase_holder(erasure: Erasure) -> bool:
    """Removes the erased person from some of the codes; that a code was used stays."""
    return erase_from(erasure.partitions, erasure, _erase_some)


def _erase_some(changes: Changes, erasure: Erasure, profile_id: UUID) -> bool:
    codes = CodeRepository(erasure.workspace)
    some = codes.some_pointers(profile_id, ERASED_AT_ONCE)
    found = codes.get_many(pointer.code_id for pointer in some)
    unfinished = {code.id: code for code in found.values() if code.status in _UNFINISHED}
    now = some[:CODES_CHANGED_AT_ONCE] if unfinished else some
    codes.delete_pointers(changes, (pointer for pointer in now if pointer.code_id not in found))
    finished = found.keys() - unfinished.keys()
    codes.erase(changes, (pointer for pointer in now if pointer.code_id in finished))
    for pointer in now:
        if pointer.code_id in unfinished:
            code = unfinished[pointer.code_id]
            codes.erase_unfinished(changes, pointer, code)
            _queue_removal(changes, erasure.workspace, code)
    return len(some) == ERASED_AT_ONCE or len(now) < len(some)


def _queue_removal(changes: Changes, workspace: WorkspaceScope, code: Code) -> None:
    coupons = CouponRepository(workspace)
    if code.external_id:
        coupons.queue_removal(changes, code)
    else:
        coupons.doubt(changes, code)
    coupons.send(changes, code.coupon_id)
