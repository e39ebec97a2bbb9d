"""The worker that moves the remaining rows of merged profiles to the surviving profile.

A message only names the survivor. Its row names the profiles that it absorbs; those that were
merged into another one of them are first. If the survivor is merged itself meanwhile, the next run
moves on the rows that this run moves into it: it processes the survivor only after those. So a
message may arrive twice, late, or after a run that was killed anywhere (docs/adr/0031).
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
"""Each is in the slice that has the rows."""


def absorb(run: Run[ProfileMergeMessage]) -> None:
    """Moves all rows of the profiles that a profile absorbs to it."""
    workspace = run.message.workspace
    with marking(WriteMark.UPKEEP):
        while move := _next_move(workspace, run.message.profile_id):
            run.do(*(partial(mover, move) for mover in MOVERS))
            commit_anew(partial(_note_end, repository=ProfileRepository(workspace), move=move))
            run.check_time()


def _next_move(workspace: WorkspaceScope, profile_id: UUID) -> Move | None:
    """The next move; None once nothing is left."""
    repository = ProfileRepository(workspace)
    profile = repository.get(profile_id)
    if profile is None or not profile.pending_sources:
        return None
    source = profile.pending_sources[0]
    return Move(workspace, source, profile.id, repository.residual_identities(source))


def _note_end(changes: Changes, repository: ProfileRepository, move: Move) -> None:
    """Records that the merged profile has no rows left, and points its row to the survivor."""
    profile = repository.get(move.into)
    if profile and move.source in profile.pending_sources:
        repository.save(changes, profile, _without(profile, move.source))
        repository.repoint(changes, move.source, profile.id)


def _without(profile: Profile, source: UUID) -> Profile:
    pending_sources = tuple(each for each in profile.pending_sources if each != source)
    return replace(profile, pending_sources=pending_sources)
