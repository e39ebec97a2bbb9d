"""Merges profiles, and finds the profile of an arrival (docs/semantics.md, section 1.4 to 1.8).

A merge is one transaction, whatever the profiles hold. A worker then moves the merged profile's
rows; the transaction queues its message.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from storepost.people.profiles.consent_summary import show_consents
from storepost.people.profiles.merges import MergeCause, ProfileMerge, absorbed
from storepost.people.profiles.messages import ProfileMergeMessage
from storepost.people.profiles.model import Identity, Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.resolution import KnownIdentities, look_up
from storepost.platform.messaging.messages import send
from storepost.platform.persistence.changes import Changes, LostRace
from storepost.values import clock
from storepost.values.ids import timed_id
from storepost.values.scope import WorkspaceScope

type Decide = Callable[[Iterable[Identity], KnownIdentities], tuple[Profile, ...]]
"""Returns the profiles that are one person by these identities, the survivor first."""


class MergedFirst(LostRace):
    """Several profiles have just been merged: the unit of work must be decided again."""


@dataclass(frozen=True)
class Arrival:
    """Identities that name a person, and the function that decides which profiles they are."""

    workspace: WorkspaceScope
    identities: tuple[Identity, ...]
    decide: Decide
    cause: MergeCause


def person_of(changes: Changes, arrival: Arrival) -> tuple[KnownIdentities, Profile | None]:
    """Returns the arrival's profile, or None for a new one, and what its identities resolve to.

    If several profiles are that person, they are merged first, each in its own transaction, which
    is valid even if the arrival fails. Then MergedFirst is raised.
    """
    known = look_up(ProfileRepository(arrival.workspace, changes.reads), arrival.identities)
    people = arrival.decide(arrival.identities, known)
    if len(people) > 1:
        _merge_all(arrival)
        raise MergedFirst()
    return known, next(iter(people), None)


def _merge_all(arrival: Arrival) -> None:
    """Merges the profiles that the arrival names. Raises LostRace, as the unit itself would."""
    more = True
    while more:
        changes = Changes()
        more = _merge_some(changes, arrival)
        changes.commit()


def _merge_some(changes: Changes, arrival: Arrival) -> bool:
    """Merges two of the profiles that the arrival names; returns whether there may be more."""
    known = look_up(ProfileRepository(arrival.workspace), arrival.identities)
    people = arrival.decide(arrival.identities, known)
    if len(people) > 1:
        merge(changes, people[0], people[1], arrival.cause)
    return len(people) > 2


def merge(changes: Changes, survivor: Profile, merged: Profile, cause: MergeCause) -> Profile:
    """Merges the second profile into the first, in a transaction with nothing else."""
    workspace, now = survivor.workspace, clock.now()
    after = show_consents(changes, survivor, absorbed(survivor, merged), {})
    made = ProfileMerge(timed_id(now), merged.id, now, cause)
    repository = ProfileRepository(workspace)
    repository.merge(changes, survivor, merged, after)
    repository.add_merge(changes, survivor, made)
    send(changes, ProfileMergeMessage(workspace.id, after.id))
    return after
