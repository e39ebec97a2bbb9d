"""Making profiles one, and finding whose what arrives is (docs/semantics.md, section 1.4 to 1.8).

A merge is one transaction, whatever the profiles hold. What belongs to the merged one is moved
afterwards by a worker, whose message the transaction queues.
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
"""Who is one person by these identities, the one that survives first."""


class MergedFirst(LostRace):
    """Several profiles have just become one: whatever comes of that is decided on anew."""


@dataclass(frozen=True)
class Arrival:
    """Identities that name a person, and how it is decided whose they are."""

    workspace: WorkspaceScope
    identities: tuple[Identity, ...]
    decide: Decide
    cause: MergeCause


def person_of(changes: Changes, arrival: Arrival) -> tuple[KnownIdentities, Profile | None]:
    """Returns whose the arrival is, None for somebody new, and what is known of its identities.

    Where several profiles are that person, they are merged first, each in a transaction of its own
    that is right by itself whatever becomes of the arrival. Raises MergedFirst then.
    """
    known = look_up(ProfileRepository(arrival.workspace, changes.reads), arrival.identities)
    people = arrival.decide(arrival.identities, known)
    if len(people) > 1:
        _merge_all(arrival)
        raise MergedFirst()
    return known, next(iter(people), None)


def _merge_all(arrival: Arrival) -> None:
    """Merges the people whom the arrival names. Raises LostRace, as the unit itself would."""
    more = True
    while more:
        changes = Changes()
        more = _merge_some(changes, arrival)
        changes.commit()


def _merge_some(changes: Changes, arrival: Arrival) -> bool:
    """Merges two of the people whom the arrival names; whether there may be more."""
    known = look_up(ProfileRepository(arrival.workspace), arrival.identities)
    people = arrival.decide(arrival.identities, known)
    if len(people) > 1:
        merge(changes, people[0], people[1], arrival.cause)
    return len(people) > 2


def merge(changes: Changes, survivor: Profile, merged: Profile, cause: MergeCause) -> Profile:
    """Makes the second profile a part of the first, in one transaction with nothing else."""
    workspace, now = survivor.workspace, clock.now()
    after = show_consents(changes, survivor, absorbed(survivor, merged), {})
    made = ProfileMerge(timed_id(now), merged.id, now, cause)
    repository = ProfileRepository(workspace)
    repository.merge(changes, survivor, merged, after)
    repository.add_merge(changes, survivor, made)
    send(changes, ProfileMergeMessage(workspace.id, after.id))
    return after
