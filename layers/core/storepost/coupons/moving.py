"""Moves a merged profile's codes to the profile that answers for it."""

from storepost.coupons.code_repository import CodeRepository
from storepost.people.profiles.moving import Move
from storepost.platform.persistence.changes import Changes, commit_anew

MOVED_AT_ONCE = 40
"""Codes in one transaction: each has two rows, the pointers of both profiles."""


def move_codes(move: Move) -> bool:
    """Moves some of the merged profile's codes; returns whether there may be more.

    The codes themselves still name the merged profile, for which the other one answers.
    """
    return commit_anew(lambda changes: _move_some(changes, move))


def _move_some(changes: Changes, move: Move) -> bool:
    codes = CodeRepository(move.workspace)
    some = codes.some_pointers(move.source, MOVED_AT_ONCE)
    codes.move(changes, some, move.source, move.into)
    return len(some) == MOVED_AT_ONCE
