"""Erases a profile's opt-in requests.

When its addresses got requests stays: those rows have keyed hashes of the addresses, and expire.
"""

from uuid import UUID

from storepost.people.opt_in.repository import OptInRepository, OptInRequestItem
from storepost.people.profiles.erasing import erase_from
from storepost.people.profiles.erasure import Erasure
from storepost.platform.persistence.changes import Changes

MAX_REQUESTS = 80
"""Requests per transaction."""


def erase_opt_in_requests(erasure: Erasure) -> bool:
    """Deletes some of the requests, in the partitions of the forms' evidence.

    Returns whether there may be more.
    """
    return erase_from(erasure.histories, erasure, _erase_some)


def _erase_some(changes: Changes, erasure: Erasure, profile_id: UUID) -> bool:
    some = OptInRepository(erasure.workspace).some_of(profile_id, MAX_REQUESTS)
    for key in some:
        changes.delete(OptInRequestItem(*key))
    return len(some) == MAX_REQUESTS
