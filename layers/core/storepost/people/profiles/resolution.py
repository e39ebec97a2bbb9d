"""Resolves identities: decides which profile an arrival belongs to.

docs/semantics.md, section 1 has the rules. The decisions are functions of values; `look_up` reads
the values.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from uuid import UUID

from storepost.people.consent.keys import address_key, erased_key
from storepost.people.consent.model import Address
from storepost.people.consent.states import Channel
from storepost.people.profiles.keys import claim_key, profile_key
from storepost.people.profiles.merges import survivor_first
from storepost.people.profiles.model import Identity, IdentityType, Profile, strongest_first
from storepost.people.profiles.problems import IdentityConflict
from storepost.people.profiles.repository import Claim, ProfileRepository
from storepost.people.suppressions.keys import digest_of, suppressed_key
from storepost.platform.persistence.item import Key
from storepost.platform.persistence.reads import ReadAhead
from storepost.values.placeholders import names_nobody
from storepost.values.scope import WorkspaceScope

_CHANNELS = {IdentityType.EMAIL: Channel.EMAIL, IdentityType.PHONE: Channel.SMS}
MAX_IDENTITIES = 1000
"""The most identities of one profile, so that its row stays small; a customer's own id is always
added.
"""


@dataclass(frozen=True)
class KnownIdentities:
    """A workspace's claims and profiles for the identities of one arrival."""

    claims: Mapping[Identity, Claim]
    profiles: Mapping[UUID, Profile]
    """The profiles that have the claims, by the ids in the claims."""

    def holder_of(self, identity: Identity) -> Profile | None:
        """Returns the profile that has the identity, or None."""
        claim = self.claims.get(identity)
        return self.profiles.get(claim.profile_id) if claim and not claim.is_free else None


def identities_of(
    *,
    store_id: UUID | None = None,
    customer_id: str | None = None,
    email: str | None = None,
    phone: str | None = None,
    anonymous_id: str | None = None,
) -> tuple[Identity, ...]:
    """Returns the identities among these values, strongest first; placeholders are left out.

    `customer_id` is one of the store's. Email and phone are normalised.
    """
    values = (
        (IdentityType.PLATFORM_CUSTOMER_ID, customer_id, store_id),
        (IdentityType.EMAIL, email, None),
        (IdentityType.PHONE, phone, None),
        (IdentityType.ANONYMOUS_ID, anonymous_id, None),
    )
    return tuple(
        Identity(kind, value, store)
        for kind, value, store in values
        if value is not None and not names_nobody(value)
    )


def claim_keys(workspace: WorkspaceScope, identities: Iterable[Identity]) -> dict[Identity, Key]:
    """Returns the keys of the identities' claims, for reading them ahead."""
    return {identity: claim_key(workspace, identity) for identity in identities}


def keys_behind(
    workspace: WorkspaceScope, claims: Mapping[Identity, Key], reads: ReadAhead
) -> list[Key]:
    """Returns the rows that an arrival's decision reads, once its claims were read ahead.

    They are the profiles that have the identities, and for each address without a profile its
    consent, its erasure and its suppressions.
    """
    holders = {each: reads.text(key, "profile_id") for each, key in claims.items()}
    return [
        *(profile_key(workspace, UUID(each)) for each in dict.fromkeys(holders.values()) if each),
        *(
            key
            for each, holder in holders.items()
            if holder is None and each.type in _CHANNELS
            for key in _keys_of(workspace, Address(_CHANNELS[each.type], each.value))
        ),
    ]


def _keys_of(workspace: WorkspaceScope, address: Address) -> tuple[Key, Key, Key]:
    suppressed = suppressed_key(workspace, digest_of(workspace, address))
    return address_key(workspace, address), erased_key(workspace, address), suppressed


def look_up(repository: ProfileRepository, identities: Iterable[Identity]) -> KnownIdentities:
    """Returns the claims and profiles of the identities, in two batch gets.

    A profile that is read without an identity has lost it since its claim was read: the claim
    counts as free, and a writer that takes it loses the race.
    """
    claims = repository.claims_of(identities)
    profiles = repository.by_id({claim.profile_id for claim in claims.values()})
    known = {
        identity: claim if _has(profiles.get(claim.profile_id), identity) else _freed(claim)
        for identity, claim in claims.items()
    }
    return KnownIdentities(known, profiles)


def _has(profile: Profile | None, identity: Identity) -> bool:
    return profile is not None and identity in profile.sightings


def _freed(claim: Claim) -> Claim:
    return replace(claim, is_free=True)


def people_of_arrival(
    identities: Iterable[Identity], known: KnownIdentities
) -> tuple[Profile, ...]:
    """Returns the profiles that are one person, by a store's record with these identities.

    The survivor is first; none are returned for a new person. If a strong identity contradicts, the
    weakest one is dropped and the rest tried again: in the end nothing matches.
    """
    remaining = strongest_first(identities)
    while remaining:
        people = _one_person(remaining, known)
        if people is not None:
            return people
        remaining = remaining[:-1]
    return ()


def people_of_request(
    identities: Iterable[Identity], known: KnownIdentities
) -> tuple[Profile, ...]:
    """Returns the profiles that a request's identities name; its caller means every one of them.

    Raises IdentityConflict where they are several people's.
    """
    people = _one_person(strongest_first(identities), known)
    if people is None:
        raise IdentityConflict()
    return people


def _one_person(
    identities: Sequence[Identity], known: KnownIdentities
) -> tuple[Profile, ...] | None:
    """The profiles that have one of the identities, if all can be one person; else None."""
    matched: dict[UUID, _Match] = {}
    for identity in identities:
        holder = known.holder_of(identity)
        if holder:
            matched.setdefault(holder.id, _Match(holder, identity))
    matches, people = matched.values(), [match.profile for match in matched.values()]
    if any(contradicts(each.profile, each.by, identities) for each in matches):
        return None
    if any(_are_two_people(one, other) for one, other in combinations(matches, 2)):
        return None
    if len(people) > 1 and not fit_together(people):
        return None
    return survivor_first(people)


@dataclass(frozen=True)
class _Match:
    """A profile that has some of the given identities, and the strongest of these."""

    profile: Profile
    by: Identity


def fit_together(people: Iterable[Profile]) -> bool:
    """Returns whether one profile may have the identities of all of them."""
    return sum(len(each.identities) for each in people) <= MAX_IDENTITIES


def _are_two_people(one: _Match, other: _Match) -> bool:
    """Whether two profiles must not be merged automatically.

    Two profiles with emails, or with customers of the same store, are two people; and a weak
    identity merges two profiles only if one of them is anonymous.
    """
    profiles, by_weak = (one.profile, other.profile), one.by.type.is_weak or other.by.type.is_weak
    if by_weak and not any(each.is_anonymous for each in profiles):
        return True
    if all(each.values_of(IdentityType.EMAIL) for each in profiles):
        return True
    stores = ({customer.store_id for customer in each.live_customers} for each in profiles)
    return not set.isdisjoint(*stores)


def contradicts(profile: Profile, matched: Identity, identities: Iterable[Identity]) -> bool:
    """Returns whether a strong one of the identities contradicts that they are this profile's.

    Two customer ids of one store, or two emails, belong to two people; they only contradict
    identities that are weaker.
    """
    return any(_speaks_against(each, profile, matched) for each in identities)


def _speaks_against(strong: Identity, profile: Profile, matched: Identity) -> bool:
    if strong.type.strength <= matched.type.strength:
        return False
    if strong.type is IdentityType.PLATFORM_CUSTOMER_ID:
        live = {each for each in profile.live_customers if each.store_id == strong.store_id}
        return bool(live) and strong not in live
    if strong.type is IdentityType.EMAIL:
        emails = profile.values_of(IdentityType.EMAIL)
        return bool(emails) and strong.value not in emails
    return False


def takes_in(
    profile: Profile | None, identities: Iterable[Identity], known: KnownIdentities
) -> list[Identity]:
    """Returns the identities of an arrival that the profile has from now on: its own and free ones.

    Identities that were dropped before a new profile was decided are among them if they are free,
    so that the same arrival again changes nothing. Above the limit of identities, only customer ids
    are added.
    """
    room = MAX_IDENTITIES - len(profile.identities if profile else ())
    accepted: list[Identity] = []
    for each in strongest_first(identities):
        holder = known.holder_of(each)
        if holder is None and (room > 0 or each.type is IdentityType.PLATFORM_CUSTOMER_ID):
            accepted.append(each)
            room -= 1
        elif holder is not None and profile is not None and holder.id == profile.id:
            accepted.append(each)
    return accepted
