"""Moves a merged profile's own rows: its claims, and the merges into it.

A mover moves some rows of one kind and returns whether there may be more. Each row is moved by its
own write or in a transaction, on the condition that it still is the merged profile's. So a mover
may be killed anywhere and run twice, late, or beside another one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from uuid import UUID

from storepost.people.profiles.keys import claim_key
from storepost.people.profiles.model import Identity
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.rows import IdentityItem
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.item import amend
from storepost.values.scope import WorkspaceScope

MAX_MERGES = 25
"""Merges per transaction: each deletes a row, writes one, and updates the merged profile's row."""


@dataclass(frozen=True)
class Move:
    """A merged profile, and the survivor that its rows move to."""

    workspace: WorkspaceScope
    source: UUID
    into: UUID
    identities: tuple[Identity, ...]
    """Those that the merged profile had."""


type Mover = Callable[[Move], bool]
"""Moves some rows; returns whether there may be more."""


def move_claims(move: Move) -> bool:
    """Sets the surviving profile in the claims of the merged profile's identities."""
    for identity in move.identities:
        claim = IdentityItem(*claim_key(move.workspace, identity))
        into, is_there = IdentityItem.profile_id.set(move.into), IdentityItem.profile_id
        amend(claim, [into], is_there == move.source)
    return False


def move_merges(move: Move) -> bool:
    """Moves some of the merges into the merged profile; their ids resolve to the survivor then."""
    return commit_anew(lambda changes: _move_some_merges(changes, move))


def _move_some_merges(changes: Changes, move: Move) -> bool:
    repository = ProfileRepository(move.workspace)
    some = list(islice(repository.own_merges_of(move.source, MAX_MERGES), MAX_MERGES))
    for merge in some:
        repository.move_merge(changes, merge, move.source, move.into)
    return len(some) == MAX_MERGES
