"""Removes an erased profile from its orders and tombstones, which stay without a buyer."""

from itertools import islice
from uuid import UUID

from storepost.orders.repository import OrderRepository
from storepost.people.profiles.erasing import erase_from
from storepost.people.profiles.erasure import Erasure
from storepost.platform.persistence.changes import Changes

MAX_ORDERS = 40
"""Orders per transaction: each takes two rows, the order and the profile's pointer to it."""


def erase_buyer(erasure: Erasure) -> bool:
    """Removes the buyer from some of an erased person's orders; returns whether more may follow."""
    return erase_from(erasure.partitions, erasure, _erase_some)


def _erase_some(changes: Changes, erasure: Erasure, profile_id: UUID) -> bool:
    repository = OrderRepository(erasure.workspace)
    pointers = repository.pointers_of(profile_id, MAX_ORDERS, deleted_too=True)
    some = list(islice(pointers, MAX_ORDERS))
    for pointer in some:
        repository.erase_buyer(changes, pointer, profile_id)
    return len(some) == MAX_ORDERS
