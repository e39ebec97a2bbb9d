"""Reads a profile, its identities, and the merges into it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from storepost.people.profiles.merges import ProfileMerge
from storepost.people.profiles.model import Identity, IdentityType, Profile, Sighting
from storepost.people.profiles.repository import ProfileRepository
from storepost.stores.stores.model import Store
from storepost.stores.stores.repository import StoreRepository
from storepost.values.pagination import Listing, PageRequest, cut
from storepost.values.problems import NotFound, handles, needed, unknown_id
from storepost.values.scope import WorkspaceScope


@dataclass(frozen=True)
class KnownIdentity:
    """An identity of a profile, with its store if it belongs to one."""

    id: UUID
    identity: Identity
    seen: Sighting
    store: Store | None


def get_profile(workspace: WorkspaceScope, profile_id: UUID) -> Profile:
    """Returns the profile, or its survivor. Raises NotFound where the workspace has neither."""
    return needed(ProfileRepository(workspace).get(profile_id), NotFound.of("profile"))


@handles(NotFound)
def profile_in_body(workspace: WorkspaceScope, profile_id: UUID, path: str) -> Profile:
    """Returns the profile that a body names at `path`. Raises ValidationFailed."""
    try:
        return get_profile(workspace, profile_id)
    except NotFound as error:
        raise unknown_id(path, error) from error


def stores_of(profile: Profile) -> list[Store]:
    """Returns the stores that know the person, disconnected ones too."""
    return StoreRepository(profile.workspace).named(profile.store_ids)


def list_identities(
    workspace: WorkspaceScope,
    profile_id: UUID,
    types: Collection[IdentityType] | None,
    page: PageRequest,
) -> Listing[KnownIdentity]:
    """Returns the person's identities, of some types or of all, newest first by `firstSeenAt`."""
    profile = get_profile(workspace, profile_id)
    sightings = profile.sightings
    listed = [each for each in sightings if types is None or each.type in types]
    listed.sort(key=lambda each: (sightings[each].first, each.type, each.value), reverse=True)
    listing = cut(listed, page)
    return Listing(_known(profile, listing.items), listing.total, page)


def list_merges(
    workspace: WorkspaceScope, profile_id: UUID, page: PageRequest
) -> Listing[ProfileMerge]:
    """Returns the merges into the profile, direct and indirect, newest first."""
    profile = get_profile(workspace, profile_id)
    until = page.skipped + page.size
    found = ProfileRepository(workspace).merges_of(profile, until)
    # A merge that is being moved may be found in both partitions.
    merges = sorted({each.id: each for each in found}.values(), key=lambda each: each.id)
    return Listing(merges[::-1][page.skipped : until], profile.merges, page)


def _known(profile: Profile, identities: Sequence[Identity]) -> list[KnownIdentity]:
    claims = ProfileRepository(profile.workspace).claims_of(identities)
    ids = {each.store_id for each in identities if each.store_id}
    stores = {store.id: store for store in StoreRepository(profile.workspace).named(ids)}
    return [
        KnownIdentity(
            claims[each].id,
            each,
            profile.sightings[each],
            stores[each.store_id] if each.store_id else None,
        )
        for each in identities
        if each in claims
    ]
