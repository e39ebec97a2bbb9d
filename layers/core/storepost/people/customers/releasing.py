"""Removes an identity from a profile, such as an address that somebody mistyped."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from storepost.people.consent.decision import AddressConsent
from storepost.people.consent.repository import ConsentRepository
from storepost.people.customers.attribution import without_identity
from storepost.people.customers.model import Customer
from storepost.people.customers.repository import CustomerRepository
from storepost.people.profiles.consent_summary import show_consents
from storepost.people.profiles.erasing import addresses_of
from storepost.people.profiles.model import Identity, IdentityType
from storepost.people.profiles.problems import IdentityOfCustomer, LastIdentity
from storepost.people.profiles.repository import Claim, ProfileRepository
from storepost.people.profiles.service import get_profile
from storepost.platform.persistence.changes import Changes
from storepost.values.problems import NotFound, needed
from storepost.values.scope import WorkspaceScope


def release_identity(
    workspace: WorkspaceScope, profile_id: UUID, identity_id: UUID, changes: Changes
) -> None:
    """Removes an identity from the profile.

    An address keeps its consent, and the profile keeps the history of it. Raises NotFound where the
    profile has no such identity, IdentityOfCustomer and LastIdentity.
    """
    before, profiles = get_profile(workspace, profile_id), ProfileRepository(workspace)
    claim = needed(
        _claim_of(profiles.claims_of(before.identities).values(), identity_id),
        NotFound("No identity with this id exists in this profile."),
    )
    customers = CustomerRepository(workspace).of_profile(before)
    if _is_a_customers(claim.identity, customers):
        raise IdentityOfCustomer()
    if len(before.identities) == 1:
        raise LastIdentity()
    after = without_identity(before, claim.identity, customers)
    profiles.save(changes, before, show_consents(changes, before, after, {}))
    if _has_consent(workspace, claim.identity):
        # A concurrent writer that claims it may have read that it has no consent (docs/adr/0069).
        profiles.hold_back(changes, claim.identity, claim)
    else:
        profiles.release(changes, [claim])


def _has_consent(workspace: WorkspaceScope, identity: Identity) -> bool:
    """Whether the address has any consent, which stays with it."""
    consents = ConsentRepository(workspace)
    return any(consents.consent_of(each) != AddressConsent() for each in addresses_of([identity]))


def _claim_of(claims: Iterable[Claim], identity_id: UUID) -> Claim | None:
    return next((claim for claim in claims if claim.id == identity_id), None)


def _is_a_customers(identity: Identity, customers: Sequence[Customer]) -> bool:
    """Whether it is a customer's id, or the address of a customer that isn't deleted.

    A deleted customer's id stays, as the customer does.
    """
    if identity.type is IdentityType.PLATFORM_CUSTOMER_ID:
        return True
    live = [each for each in customers if each.deleted_at is None]
    own = {
        IdentityType.EMAIL: [c.email for c in live],
        IdentityType.PHONE: [c.phone for c in live],
    }
    return identity.value in own.get(identity.type, ())
