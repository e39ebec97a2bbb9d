"""What a merged profile leaves in the profiles' own rows: claims, and what was merged into it.

A mover moves some of one kind of rows and says whether there may be more. Each row moves by a write
of its own or a transaction, on the condition that it still is the merged profile's. So a mover may
be killed anywhere and run twice, late, or beside another one.
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
"""In one transaction: each is a row that goes, one that comes, and where the merged id leads."""


@dataclass(frozen=True)
class Move:
    """A merged profile, and the one that answers for it."""

    workspace: WorkspaceScope
    source: UUID
    into: UUID
    identities: tuple[Identity, ...]
    """Those that the merged profile had."""


type Mover = Callable[[Move], bool]
"""Moves some rows; whether there may be more."""


def move_claims(move: Move) -> bool:
    """Lets the claims of the merged profile's identities name the other one."""
    for identity in move.identities:
        claim = IdentityItem(*claim_key(move.workspace, identity))
        into, is_there = IdentityItem.profile_id.set(move.into), IdentityItem.profile_id
        amend(claim, [into], is_there == move.source)
    return False


def move_merges(move: Move) -> bool:
    """Moves some of what was merged into the merged profile; their ids lead on from then on."""
    return commit_anew(lambda changes: _move_some_merges(changes, move))


def _move_some_merges(changes: Changes, move: Move) -> bool:
    repository = ProfileRepository(move.workspace)
    some = list(islice(repository.own_merges_of(move.source, MAX_MERGES), MAX_MERGES))
    for merge in some:
        repository.move_merge(changes, merge, move.source, move.into)
    return len(some) == MAX_MERGES
