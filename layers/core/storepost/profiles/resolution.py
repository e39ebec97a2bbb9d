"""Whose identities are: which profile something that arrives belongs to (semantics, section 1).

The decisions are functions of values; `look_up` brings them what the workspace knows.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from storepost.consent.model import Address
from storepost.consent.repository import address_key
from storepost.consent.states import Channel
from storepost.persistence.item import Key
from storepost.persistence.reads import ReadAhead
from storepost.profiles.keys import claim_key, profile_key
from storepost.profiles.model import (
    Identity,
    IdentityType,
    Profile,
    names_nobody,
    strongest_first,
)
from storepost.profiles.problems import IdentityConflict
from storepost.profiles.repository import Claim, ProfileRepository
from storepost.scope import WorkspaceScope

_CHANNELS = {IdentityType.EMAIL: Channel.EMAIL, IdentityType.PHONE: Channel.SMS}
MOST_IDENTITIES = 1000
"""Of one profile, so that its row stays small; a customer's own id is always taken in."""


@dataclass(frozen=True)
class Known:
    """What a workspace knows of the identities of one arrival."""

    claims: Mapping[Identity, Claim]
    profiles: Mapping[UUID, Profile]
    """The ones that have the claims."""

    def holder_of(self, identity: Identity) -> Profile | None:
        """Whose the identity is; None where it is nobody's."""
        claim = self.claims.get(identity)
        return self.profiles.get(claim.profile_id) if claim else None


def identities_of(
    *,
    store_id: UUID | None = None,
    customer_id: str | None = None,
    email: str | None = None,
    phone: str | None = None,
    anonymous_id: str | None = None,
) -> tuple[Identity, ...]:
    """The identities among these values, the strongest first; what names nobody is left out.

    `customer_id` is one of the store's. Email and phone are in the form that is compared.
    """
    given = (
        (IdentityType.PLATFORM_CUSTOMER_ID, customer_id, store_id),
        (IdentityType.EMAIL, email, None),
        (IdentityType.PHONE, phone, None),
        (IdentityType.ANONYMOUS_ID, anonymous_id, None),
    )
    return tuple(
        Identity(kind, value, store)
        for kind, value, store in given
        if value is not None and not names_nobody(value)
    )


def claim_keys(workspace: WorkspaceScope, identities: Iterable[Identity]) -> dict[Identity, Key]:
    """The rows that say whose identities are, for whoever reads ahead."""
    return {identity: claim_key(workspace, identity) for identity in identities}


def keys_behind(
    workspace: WorkspaceScope, claims: Mapping[Identity, Key], reads: ReadAhead
) -> list[Key]:
    """The rows that an arrival is decided on once its claims were read ahead.

    They are the profiles that have the identities, and the consent of addresses that nobody has.
    """
    holders = {each: reads.text(key, "profile_id") for each, key in claims.items()}
    return [
        *(profile_key(workspace, UUID(holder)) for holder in holders.values() if holder),
        *(
            address_key(workspace, Address(_CHANNELS[each.type], each.value))
            for each, holder in holders.items()
            if holder is None and each.type in _CHANNELS
        ),
    ]


def look_up(repository: ProfileRepository, identities: Iterable[Identity]) -> Known:
    """What the workspace knows of the identities: two batch gets."""
    claims = repository.claims_of(identities)
    ids = dict.fromkeys(claim.profile_id for claim in claims.values())
    return Known(claims, {profile.id: profile for profile in repository.get_many(ids)})


def whose_arrival(identities: Iterable[Identity], known: Known) -> Profile | None:
    """The profile that a store's customer or order belongs to; None for somebody new.

    It is the one with the strongest of the identities. Where something strong contradicts that,
    the weakest identity is dropped and the rest tried again: in the end nothing matches.
    """
    given = strongest_first(identities)
    matched = next((each for each in given if known.holder_of(each)), None)
    holder = known.holder_of(matched) if matched else None
    if matched is None or holder is None or contradicts(holder, matched, given):
        return None
    return holder


def whose_by_hand(identities: Iterable[Identity], known: Known) -> Profile | None:
    """The profile that somebody means who names these identities; None for somebody new.

    Raises IdentityConflict where they are several profiles', or a strong one contradicts.
    """
    given = strongest_first(identities)
    holders = {holder.id for each in given if (holder := known.holder_of(each))}
    if len(holders) > 1:
        raise IdentityConflict()
    matched = whose_arrival(given, known)
    if holders and matched is None:
        raise IdentityConflict()
    return matched


def contradicts(profile: Profile, matched: Identity, given: Iterable[Identity]) -> bool:
    """Whether a strong one of the given identities says that they are not this profile's.

    Two customer ids of one store, or two emails, are two people's; only what is weaker than those
    can be contradicted by them.
    """
    return any(_speaks_against(each, profile, matched) for each in given)


def _speaks_against(strong: Identity, profile: Profile, matched: Identity) -> bool:
    if strong.type.strength <= matched.type.strength:
        return False
    if strong.type is IdentityType.PLATFORM_CUSTOMER_ID and strong.store_id:
        live = profile.live_customer_ids(strong.store_id)
        return bool(live) and strong.value not in live
    if strong.type is IdentityType.EMAIL:
        emails = profile.values_of(IdentityType.EMAIL)
        return bool(emails) and strong.value not in emails
    return False


def takes_in(
    profile: Profile | None, identities: Iterable[Identity], known: Known
) -> list[Identity]:
    """Those of an arrival's identities that are the profile's from now on: its own, and nobody's.

    What was dropped on the way to a new profile is among them where nobody has it, so that the same
    arrival again changes nothing. Past the most that a profile has, only customer ids are.
    """
    room = MOST_IDENTITIES - len(profile.identities if profile else ())
    taken: list[Identity] = []
    for each in strongest_first(identities):
        holder = known.holder_of(each)
        if holder is None and (room > 0 or each.type is IdentityType.PLATFORM_CUSTOMER_ID):
            taken.append(each)
            room -= 1
        elif holder is not None and profile is not None and holder.id == profile.id:
            taken.append(each)
    return taken
