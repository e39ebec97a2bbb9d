"""One profile: read, and made or added to by hand."""

from dataclasses import dataclass, replace
from uuid import UUID

from storepost import clock
from storepost.ids import new_id
from storepost.persistence.changes import Changes
from storepost.problems import NotFound
from storepost.profiles.model import Profile
from storepost.profiles.problems import IdentityLimit
from storepost.profiles.repository import ProfileRepository
from storepost.profiles.resolution import identities_of, look_up, takes_in, whose_by_hand
from storepost.profiles.shown import show_consents
from storepost.scope import WorkspaceScope
from storepost.stores.model import Store
from storepost.stores.repository import StoreRepository


@dataclass(frozen=True)
class GivenPerson:
    """What somebody says of a person; None says nothing."""

    email: str | None = None
    phone: str | None = None
    anonymous_id: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    locale: str | None = None


def upsert_profile(
    workspace: WorkspaceScope, given: GivenPerson, changes: Changes
) -> tuple[Profile, bool]:
    """The profile that the identifiers name, with what is given by hand; whether it is new.

    Raises IdentityConflict and IdentityLimit.
    """
    repository, now = ProfileRepository(workspace), clock.now()
    identities = identities_of(
        email=given.email, phone=given.phone, anonymous_id=given.anonymous_id
    )
    known = look_up(repository, identities)
    before = whose_by_hand(identities, known)
    if len(takes_in(before, identities, known)) < len(identities):
        raise IdentityLimit()
    profile = before or Profile(new_id(), workspace, first_seen_at=now, last_seen_at=now)
    seen = dict.fromkeys(identities, (now,))
    after = _told(profile.seen(now).identified(seen), given)
    after = show_consents(changes, before, after, {})
    repository.save(changes, before, after)
    repository.claim(changes, after, known.claims, identities)
    return after, before is None


def get_profile(workspace: WorkspaceScope, profile_id: UUID) -> Profile:
    """The profile; 404 where the workspace has none of that id."""
    profile = ProfileRepository(workspace).get(profile_id)
    if profile is None:
        raise NotFound()
    return profile


def stores_of(profile: Profile) -> list[Store]:
    """The stores that know the person, disconnected ones too."""
    return StoreRepository(profile.workspace).named(profile.store_ids)


def _told(profile: Profile, given: GivenPerson) -> Profile:
    """The profile with what is given by hand: it is shown, and a locale beats every signal."""
    told = replace(
        profile,
        email=given.email or profile.email,
        phone=given.phone or profile.phone,
        first_name=given.first_name or profile.first_name,
        last_name=given.last_name or profile.last_name,
    )
    return replace(told, locale=given.locale, locale_source=None) if given.locale else told
