"""What an erased profile leaves in requests for opt-in: only when its addresses got some.

That stands under their keyed hashes, and ends by itself.
"""

from uuid import UUID

from storepost.people.opt_in.repository import OptInRepository, OptInRequestItem
from storepost.people.profiles.erasing import erase_from
from storepost.people.profiles.erasure import Erasure
from storepost.platform.persistence.changes import Changes

MAX_REQUESTS = 80
"""In one transaction."""


def erase_opt_in_requests(erasure: Erasure) -> bool:
    """Removes some of the requests: they stand where the evidence of their forms does."""
    return erase_from(erasure.histories, erasure, _erase_some)


def _erase_some(changes: Changes, erasure: Erasure, profile_id: UUID) -> bool:
    some = OptInRepository(erasure.workspace).some_of(profile_id, MAX_REQUESTS)
    for key in some:
        changes.delete(OptInRequestItem(*key))
    return len(some) == MAX_REQUESTS
