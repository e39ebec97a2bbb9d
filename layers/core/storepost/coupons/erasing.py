"""What an erased profile leaves in coupons: codes that nobody has, used or not."""

from uuid import UUID

from storepost.coupons.code_repository import CodeRepository
from storepost.persistence.changes import Changes
from storepost.profiles.erasing import erase_from
from storepost.profiles.erasure import Erasure

MOST_CODES = 40
"""In one transaction: each is two rows, the code and its place with the profile."""


def erase_holder(erasure: Erasure) -> bool:
    """Takes the erased person away from some of the codes; that one was used stays."""
    return erase_from(erasure.partitions, erasure, _erase_some)


def _erase_some(changes: Changes, erasure: Erasure, profile_id: UUID) -> bool:
    codes = CodeRepository(erasure.workspace)
    some = codes.some_pointers(profile_id, MOST_CODES)
    codes.erase(changes, some)
    return len(some) == MOST_CODES
