"""Reads profiles, changes of consent and suppressions for the messages of events."""

from collections.abc import Mapping
from uuid import UUID

from storepost.people.consent_changes.listing import get_change, store_names
from storepost.people.consent_changes.schemas import ConsentChange
from storepost.people.deliverability.listing import get_suppression
from storepost.people.deliverability.schemas import Suppression
from storepost.people.profiles.consent_summary import identity_of
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.resolution import look_up
from storepost.people.profiles.schemas import ProfileSummary
from storepost.people.profiles.service import get_profile
from storepost.people.suppressions.model import Suppression as SuppressionValue
from storepost.people.suppressions.model import address_of
from storepost.values.scope import WorkspaceScope
from storepost.values.wire import Shape
from storepost.webhooks.events.resources.reader import Ids, Reader


def _profile(scope: WorkspaceScope, profile_id: UUID, _ids: Ids) -> Shape:
    return ProfileSummary.of(get_profile(scope, profile_id))


def _consent_change(scope: WorkspaceScope, change_id: UUID, ids: Ids) -> Shape:
    change = get_change(scope, UUID(ids["profileId"]), change_id)
    return ConsentChange.of(change, store_names(scope, [change]))


def _suppression(scope: WorkspaceScope, suppression_id: UUID, _ids: Ids) -> Shape:
    suppression = get_suppression(scope, suppression_id)
    return Suppression.from_model(
        suppression.erased() if _is_erased(scope, suppression) else suppression
    )


def _is_erased(scope: WorkspaceScope, suppression: SuppressionValue) -> bool:
    """Returns whether the address's person was erased, as its claim says until a worker deletes it.

    Before that, the worker removes the address from the suppression.
    """
    address = address_of(suppression)
    if address is None:
        return False
    identity, profiles = identity_of(address), ProfileRepository(scope)
    known = look_up(profiles, [identity])
    claim = known.claims.get(identity)
    return claim is not None and profiles.was_erased(claim.profile_id)


READERS: Mapping[str, Reader] = {
    "profile": _profile,
    "consent_change": _consent_change,
    "suppression": _suppression,
}
"""The reader of each kind of resource."""
