"""The worker: moves what merged profiles still have to the profile that answers for them.

A message says no more than which profile. Its row names the profiles that it absorbs, those first
that went into another one of them. Where it is merged itself meanwhile, rows that this run moves
into it are moved on by the next one, which comes to it only after those. So a message may come
twice, late, or after a run that was killed anywhere (docs/adr/0031).
"""

from dataclasses import replace
from functools import partial
from uuid import UUID

from storepost.coupons.moving import move_codes
from storepost.orders.moving import move_orders
from storepost.people.customers.moving import move_customers
from storepost.people.events.moving import move_events
from storepost.people.profiles.messages import ProfileMergeMessage
from storepost.people.profiles.model import Profile
from storepost.people.profiles.moving import Move, Mover, move_claims, move_merges
from storepost.people.profiles.repository import ProfileRepository
from storepost.platform.jobs.runs import Run
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.write_marks import WriteMark, marking
from storepost.values.scope import WorkspaceScope

MOVERS: tuple[Mover, ...] = (
    move_claims,
    move_customers,
    move_orders,
    move_events,
    move_codes,
    move_merges,
)
"""Each in the slice that has the rows."""


def absorb(run: Run[ProfileMergeMessage]) -> None:
    """Moves to a profile everything of those that it absorbs."""
    workspace = run.message.workspace
    with marking(WriteMark.UPKEEP):
        while move := _next_move(workspace, run.message.profile_id):
            run.do(*(partial(mover, move) for mover in MOVERS))
            commit_anew(partial(_note_end, repository=ProfileRepository(workspace), move=move))
            run.check_time()


def _next_move(workspace: WorkspaceScope, profile_id: UUID) -> Move | None:
    """What is to be moved next; None once nothing is left."""
    repository = ProfileRepository(workspace)
    profile = repository.get(profile_id)
    if profile is None or not profile.pending_sources:
        return None
    source = profile.pending_sources[0]
    return Move(workspace, source, profile.id, repository.residual_identities(source))


def _note_end(changes: Changes, repository: ProfileRepository, move: Move) -> None:
    """Notes that nothing is left of the merged profile but the way to the one that has it all."""
    profile = repository.get(move.into)
    if profile and move.source in profile.pending_sources:
        repository.save(changes, profile, _without(profile, move.source))
        repository.repoint(changes, move.source, profile.id)


def _without(profile: Profile, source: UUID) -> Profile:
    pending_sources = tuple(each for each in profile.pending_sources if each != source)
    return replace(profile, pending_sources=pending_sources)
