"""Puts and deletes a store's customers."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.people.consent.model import Address, ConsentOrigin
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.statements import origin_of
from storepost.people.consent.states import Channel
from storepost.people.customers.attribution import with_customer
from storepost.people.customers.customer_consent import Push, assert_and_save
from storepost.people.customers.model import Customer, IncomingCustomer, customer_of
from storepost.people.customers.repository import CustomerRepository
from storepost.people.profiles.merges import MergeCause
from storepost.people.profiles.merging import Arrival, person_of
from storepost.people.profiles.model import Identity, IdentityType, Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.resolution import KnownIdentities, people_of_arrival, takes_in
from storepost.platform.persistence.changes import Changes, LostRace
from storepost.stores.stores.finding import active_custom_store, found_store
from storepost.stores.stores.model import Store
from storepost.stores.stores.problems import StaleUpdate
from storepost.stores.stores.repository import StoreRepository
from storepost.values import clock
from storepost.values.problems import NotFound
from storepost.values.scope import WorkspaceScope


@dataclass(frozen=True)
class PutCustomer:
    """The result of a put."""

    customer: Customer
    store: Store
    is_new: bool


def get_customer(
    workspace: WorkspaceScope, store_id: UUID, external_id: str
) -> tuple[Customer, Store]:
    """Returns a store's customer by its external id, a deleted one too. Raises NotFound."""
    store = found_store(StoreRepository(workspace), store_id)
    customer = CustomerRepository(workspace).get(store.id, external_id)
    if customer is None:
        raise _unknown()
    return customer, store


def _unknown() -> NotFound:
    return NotFound("No customer with this external id exists in this store.")


def put_customer(
    caller: WorkspaceCaller,
    store_id: UUID,
    external_id: str,
    incoming_of: Callable[[Store], IncomingCustomer],
    changes: Changes,
) -> PutCustomer:
    """Writes a custom store's customer, new or known, and their profile.

    `incoming_of` makes the customer from the request for that store. Raises StaleUpdate, and
    whatever `incoming_of` raises.
    """
    store = active_custom_store(caller.workspace, store_id)
    origin = origin_of(caller, store_id=store.id)
    return write_customer(store, external_id, incoming_of(store), origin, changes)


def write_customer(
    store: Store,
    external_id: str,
    incoming: IncomingCustomer,
    origin: ConsentOrigin,
    changes: Changes,
) -> PutCustomer:
    """Adds an incoming customer of a store to a unit of work.

    `origin` is the sender. Raises StaleUpdate where the stored customer is newer, or was deleted or
    redacted and isn't older, and LostRace; before either it has added nothing.
    """
    customers = CustomerRepository(store.workspace, changes.reads)
    profiles = ProfileRepository(store.workspace, changes.reads)
    stored = customers.get(store.id, external_id)
    if stored and stored.holds_newer_than(incoming.external_updated_at):
        # The rest of an erased person's customer doesn't refuse updates, unless a shop deleted it.
        is_for_good = stored.deleted_at is not None and not store.is_custom
        if is_for_good or profiles.get(stored.profile_id):
            raise StaleUpdate()
    if not store.is_custom and customers.bars(store.id, external_id, incoming.external_updated_at):
        raise StaleUpdate()
    identities = incoming.identities(store, external_id)
    cause = MergeCause(store.platform, external_id)
    arrival = Arrival(store.workspace, identities, people_of_arrival, cause)
    known, before = person_of(changes, arrival)
    _expect_unredacted(store, external_id, incoming, known)
    if stored and stored.profile_id not in known.profiles and not profiles.get(stored.profile_id):
        stored = None  # left from an erased person
    incoming = incoming.without_old_consent(stored)
    profile = with_customer(store, before, stored, incoming, takes_in(before, identities, known))
    customer = customer_of(store, external_id, profile.id, stored, incoming)
    customer = customer.refused_until(_refused_at(changes, store, stored, customer))
    customer = customer.following(stored, clock.now())
    push = Push(store, incoming, stored, customer, origin)
    assert_and_save(changes, push, known, before, profile)
    profiles.claim(changes, profile, known.claims, identities)
    if customer != stored:
        customers.save(changes, customer)
    return PutCustomer(customer, store, stored is None)


def _expect_unredacted(
    store: Store, external_id: str, incoming: IncomingCustomer, known: KnownIdentities
) -> None:
    """Raises LostRace where the customer was redacted after that was checked.

    A redaction frees the claim of the customer's id, which was read later.
    """
    own = Identity(IdentityType.PLATFORM_CUSTOMER_ID, external_id, store.id)
    claim, customers = known.claims.get(own), CustomerRepository(store.workspace)
    is_freed = claim is not None and claim.is_free and not store.is_custom
    if is_freed and customers.redacts(store.id, external_id, incoming.external_updated_at):
        raise LostRace


def _refused_at(
    changes: Changes, store: Store, stored: Customer | None, customer: Customer
) -> dict[Channel, datetime | None]:
    """When a former address of the customer was last unsubscribed, by channel."""
    if stored is None:
        return {}
    consents = ConsentRepository(store.workspace, changes.reads)
    refused = dict[Channel, datetime | None]()
    for channel in Channel:
        former, moments = stored.address(channel), [stored.refused_at(channel)]
        if former is not None and former != customer.address(channel):
            moments.append(consents.consent_of(Address(channel, former)).refused_at)
        refused[channel] = max((moment for moment in moments if moment), default=None)
    return refused


def delete_customer(
    caller: WorkspaceCaller, store_id: UUID, external_id: str, changes: Changes
) -> None:
    """Marks a custom store's customer as deleted there; the profile stays. Repeatable."""
    delete_customer_of(active_custom_store(caller.workspace, store_id), external_id, changes)


def delete_customer_of(
    store: Store, external_id: str, changes: Changes, at: datetime | None = None
) -> None:
    """Adds a store's deletion of a customer to a unit of work. Raises NotFound.

    `at` is the store's time of it, if known: no older data restores the customer.
    """
    customers, profiles = CustomerRepository(store.workspace), ProfileRepository(store.workspace)
    customer = customers.get(store.id, external_id)
    if customer is None:
        raise _unknown()
    if customer.deleted_at is not None:
        return
    customers.save(changes, customer.deleted(clock.now(), at))
    profile = profiles.get(customer.profile_id)
    if profile:
        profiles.save(changes, profile, _without(profile, customer))


def tombstone_customer(store: Store, external_id: str, changes: Changes, at: datetime) -> None:
    """Adds a shop's deletion of a customer at `at` to a unit of work, whether it is stored or not.

    No older data creates the customer, in whatever sequence the data arrives.
    """
    customers = CustomerRepository(store.workspace)
    if customers.get(store.id, external_id) is None:
        customers.tombstone(changes, store.id, external_id, at)
    else:
        delete_customer_of(store, external_id, changes, at)


def _without(profile: Profile, customer: Customer) -> Profile:
    """The profile after the deletion: the customer's id no longer prevents its merges."""
    own = IdentityType.PLATFORM_CUSTOMER_ID
    identity = Identity(own, customer.external_id, customer.store_id)
    return replace(profile, former=profile.former | {identity})
