"""Erases a person in one transaction, however much they have (docs/semantics.md, section 1.9)."""

from collections.abc import Callable, Collection, Iterable
from functools import partial
from uuid import UUID

from storepost.lifecycle.erasures.messages import ProfileErasureMessage
from storepost.people.consent.decision import AddressConsent
from storepost.people.consent.model import Address
from storepost.people.consent.owed_opt_outs import add_owed, may_be_owed
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.consent.write_back_messages import OF_ERASED, NamedAttempt
from storepost.people.consent.write_back_queue import queue_write_backs
from storepost.people.customers.model import Customer
from storepost.people.customers.repository import CustomerRepository
from storepost.people.profiles.consent_summary import primary_address
from storepost.people.profiles.erasing import MAX_ADDRESSES, addresses_of, customers_of
from storepost.people.profiles.model import Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.service import get_profile
from storepost.platform.messaging.messages import send
from storepost.platform.persistence.changes import Changes
from storepost.stores.stores.repository import StoreRepository
from storepost.values.scope import WorkspaceScope


def erase_profile(workspace: WorkspaceScope, profile_id: UUID, changes: Changes) -> Profile:
    """Erases the person; the ids of the profile and of those merged into it name nobody then.

    Returns the erased profile. A row in the profile's place locates the rest until a worker has
    removed it. An unsubscription that a store hasn't accepted yet is kept for the store.
    """
    profile = get_profile(workspace, profile_id)
    erase_as_read(changes, profile)
    return profile


def erase_as_read(changes: Changes, profile: Profile) -> None:
    """Erases a person whom the caller has read and decided on.

    Loses the race if the profile has changed since: another store may have named them.
    """
    workspace = profile.workspace
    consents = ConsentRepository(workspace)
    addresses = _primary_first(profile)[:MAX_ADDRESSES]
    consents_by_address = consents.consents_of(addresses)
    for address in addresses:
        consent = consents_by_address[address]
        customers = partial(
            CustomerRepository(workspace).of_profile, profile, others=consent.other_customers
        )
        owe_opt_out(changes, workspace, customers, address, consent)
        consents.erase(changes, address, customers_of(profile.identities))
    ProfileRepository(workspace).erase(changes, profile)
    send(changes, ProfileErasureMessage(workspace.id, profile.id))


def takes_all(addresses: Collection[Address]) -> bool:
    """Returns whether the erasure itself erases all of a person's addresses."""
    return len(addresses) <= MAX_ADDRESSES


def owe_opt_out(
    changes: Changes,
    workspace: WorkspaceScope,
    customers_of_address: Callable[[], Iterable[Customer]],
    address: Address,
    consent: AddressConsent,
) -> None:
    """Keeps an unsubscription for the stores that don't have it yet, and queues write-backs.

    `customers_of_address` reads the person's customers, and other people's with the address.
    """
    holds = consent.holds
    if holds is None or holds.state is not ConsentState.UNSUBSCRIBED:
        return
    change = ConsentRepository(workspace).get(holds.change)
    waiting = {each.store_id for each in change.write_backs if may_be_owed(each)} if change else ()
    if change is None or not waiting:
        return
    customers = dict[UUID, list[str]]()
    for each in customers_of_address():
        is_there = each.deleted_at is None and each.address(address.channel) == address.value
        if is_there and each.store_id in waiting:
            customers.setdefault(each.store_id, []).append(each.external_id)
    if customers:
        stores = StoreRepository(workspace).named(customers)
        accepting = {store.id for store in stores if store.takes_consent}
        add_owed(changes, workspace, address, change, holds.as_of, customers, accepting)
        first = NamedAttempt(since=OF_ERASED)
        queue_write_backs(changes, workspace, change, sorted(customers), first)


def _primary_first(profile: Profile) -> list[Address]:
    """The person's addresses, those that the profile shows first."""
    primary = (primary_address(profile, channel) for channel in Channel)
    own = addresses_of(profile.identities)
    return list(dict.fromkeys([*(each for each in primary if each), *own]))
