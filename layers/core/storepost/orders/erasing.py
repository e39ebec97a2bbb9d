"""What an erased profile leaves in orders, deleted ones too: they stay, without the buyer."""

from itertools import islice
from uuid import UUID

from storepost.orders.repository import OrderRepository
from storepost.people.profiles.erasing import erase_from
from storepost.people.profiles.erasure import Erasure
from storepost.platform.persistence.changes import Changes

MAX_ORDERS = 40
"""In one transaction: each is two rows, the order and its place with the profile."""


def erase_buyer(erasure: Erasure) -> bool:
    """Takes the buyer out of some of the erased person's orders."""
    return erase_from(erasure.partitions, erasure, _erase_some)


def _erase_some(changes: Changes, erasure: Erasure, profile_id: UUID) -> bool:
    repository = OrderRepository(erasure.workspace)
    pointers = repository.pointers_of(profile_id, MAX_ORDERS, deleted_too=True)
    some = list(islice(pointers, MAX_ORDERS))
    for pointer in some:
        repository.erase_buyer(changes, pointer, profile_id)
    return len(some) == MAX_ORDERS
