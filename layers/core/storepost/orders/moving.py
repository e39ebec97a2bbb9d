"""Moves a merged profile's orders to the surviving profile."""

from itertools import islice

from storepost.orders.repository import OrderRepository
from storepost.people.profiles.moving import Move
from storepost.platform.persistence.changes import Changes, commit_anew

MAX_ORDERS = 25
"""Orders per transaction: each takes three rows, the order and both profiles' pointers."""


def move_orders(move: Move) -> bool:
    """Moves some of the merged profile's orders; returns whether there may be more."""
    return commit_anew(lambda changes: _move_some(changes, move))


def _move_some(changes: Changes, move: Move) -> bool:
    repository = OrderRepository(move.workspace)
    pointers = repository.pointers_of(move.source, MAX_ORDERS, deleted_too=True)
    some = list(islice(pointers, MAX_ORDERS))
    for pointer in some:
        repository.move(changes, pointer, move.source, move.into)
    return len(some) == MAX_ORDERS
