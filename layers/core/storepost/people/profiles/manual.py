"""Creates, changes and merges profiles by requests of people and keys."""

from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.people.profiles.consent_summary import show_consents
from storepost.people.profiles.merges import MergeCause
from storepost.people.profiles.merging import Arrival, merge, person_of
from storepost.people.profiles.model import Identity, Profile
from storepost.people.profiles.problems import IdentityConflict, IdentityLimit, SameProfile
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.resolution import (
    fit_together,
    identities_of,
    look_up,
    people_of_request,
    takes_in,
)
from storepost.people.profiles.service import get_profile, profile_in_body
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.scope import WorkspaceScope


@dataclass(frozen=True)
class IncomingPerson:
    """A person's data in a request; a field is None where the request leaves it out."""

    email: str | None = None
    phone: str | None = None
    anonymous_id: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    locale: str | None = None

    @property
    def identities(self) -> tuple[Identity, ...]:
        """Returns the identities of the person."""
        return identities_of(email=self.email, phone=self.phone, anonymous_id=self.anonymous_id)


def cause_of(caller: WorkspaceCaller) -> MergeCause:
    """Returns the cause of a merge that a request demands or leads to."""
    return MergeCause("api" if caller.key else "manual")


def upsert_profile(
    workspace: WorkspaceScope, incoming: IncomingPerson, cause: MergeCause, changes: Changes
) -> tuple[Profile, bool]:
    """Writes the profile with these identities; returns it, and whether it is new.

    Where several profiles that can be one person have them, these are merged. Raises
    IdentityConflict and IdentityLimit.
    """
    repository, now = ProfileRepository(workspace), clock.now()
    arrival = Arrival(workspace, incoming.identities, people_of_request, cause)
    known, before = person_of(changes, arrival)
    if len(takes_in(before, arrival.identities, known)) < len(arrival.identities):
        raise IdentityLimit()
    profile = before or Profile(new_id(), workspace, first_seen_at=now, last_seen_at=now)
    seen = dict.fromkeys(arrival.identities, (now,))
    after = _with_fields(profile.seen(now).identified(seen), incoming)
    after = show_consents(changes, before, after, {})
    repository.save(changes, before, after)
    repository.claim(changes, after, known.claims, arrival.identities)
    return after, before is None


def update_profile(
    workspace: WorkspaceScope, profile_id: UUID, fields: dict[str, Any], changes: Changes
) -> Profile:
    """Changes the given fields, by their names in the model.

    A given address becomes an identity of the person; an address that is no longer shown stays one.
    Raises IdentityConflict and IdentityLimit.
    """
    before, repository = get_profile(workspace, profile_id), ProfileRepository(workspace)
    identities = identities_of(email=fields.get("email"), phone=fields.get("phone"))
    known = look_up(repository, identities)
    if any((known.holder_of(each) or before).id != before.id for each in identities):
        raise IdentityConflict()
    added = [each for each in identities if each not in before.sightings]
    if len(takes_in(before, added, known)) < len(added):
        raise IdentityLimit()
    after = replace(before.identified(dict.fromkeys(added, (clock.now(),))), **fields)
    if "locale" in fields:
        after = replace(after, locale_source=None)
    after = show_consents(changes, before, after, {})
    if after != before:
        repository.save(changes, before, after)
        repository.claim(changes, after, known.claims, added)
    return after


def merge_profiles(
    workspace: WorkspaceScope, into: UUID, other: UUID, cause: MergeCause, changes: Changes
) -> Profile:
    """Merges the other profile into `into`, even where they look like two people.

    Raises SameProfile, and IdentityLimit where they have too many identities together.
    """
    survivor = get_profile(workspace, into)
    merged = profile_in_body(workspace, other, "/profileId")
    if survivor.id == merged.id:
        raise SameProfile()
    if not fit_together([survivor, merged]):
        raise IdentityLimit()
    return merge(changes, survivor, merged, cause)


def _with_fields(profile: Profile, incoming: IncomingPerson) -> Profile:
    """The profile with a request's data, which is shown; its locale overrides every signal."""
    updated = replace(
        profile,
        email=incoming.email or profile.email,
        phone=incoming.phone or profile.phone,
        first_name=incoming.first_name or profile.first_name,
        last_name=incoming.last_name or profile.last_name,
    )
    return (
        replace(updated, locale=incoming.locale, locale_source=None) if incoming.locale else updated
    )
