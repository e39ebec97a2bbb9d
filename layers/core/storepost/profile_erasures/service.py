"""Erasing a person: gone in one transaction, whatever they had (semantics, section 1.9)."""

from uuid import UUID

from storepost.consent.model import Address
from storepost.consent.repository import ConsentRepository
from storepost.consent.states import Channel
from storepost.messaging.outbox import Queue, send_with
from storepost.persistence.changes import Changes
from storepost.profiles.erasing import MOST_ADDRESSES, addresses_of, customers_of
from storepost.profiles.model import Profile
from storepost.profiles.repository import ProfileRepository
from storepost.profiles.service import get_profile
from storepost.profiles.shown import shown_address
from storepost.scope import WorkspaceScope


def erase_profile(workspace: WorkspaceScope, profile_id: UUID, changes: Changes) -> None:
    """Erases the person; the profile's id, and what became part of it, is nobody's from then on.

    What it takes to find the rest stands in the profile's place until a worker has removed it.
    """
    profile = get_profile(workspace, profile_id)
    consents = ConsentRepository(workspace)
    addresses = _shown_first(profile)[:MOST_ADDRESSES]
    consents.consents_of(addresses)
    for address in addresses:
        consents.erase(changes, address, customers_of(profile.identities))
    ProfileRepository(workspace).erase(changes, profile)
    erase_rest(changes, workspace, profile.id)


def erase_rest(changes: Changes, workspace: WorkspaceScope, profile_id: UUID) -> None:
    """Tells the worker to remove what is left of the erased profile."""
    told: dict[str, object] = {"workspaceId": str(workspace.id), "profileId": str(profile_id)}
    send_with(changes, Queue.PROFILE_ERASURES, [(told, None)])


def _shown_first(profile: Profile) -> list[Address]:
    """The person's addresses, those first that the profile shows."""
    shown = (shown_address(profile, channel) for channel in Channel)
    own = addresses_of(profile.identities)
    return list(dict.fromkeys([*(each for each in shown if each), *own]))
