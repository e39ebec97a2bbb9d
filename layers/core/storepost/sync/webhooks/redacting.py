"""The removal of what a shop sent about a person (docs/adr/0062).

Who is known by nothing else is erased, as a workspace erases people. Of a person whom others sent,
too, only this shop's data goes. Each step is one transaction that finds out anew what there is, so
it may be killed anywhere and run again.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import chain, islice
from uuid import UUID

from storepost.accounts.workspaces.access_log import log_access
from storepost.lifecycle.erasures.service import erase_profile, owe_the_no
from storepost.people.consent.evidence_items import EvidenceItem, evidence_in
from storepost.people.consent.evidence_rows import EvidenceRepository, delete_evidence
from storepost.people.consent.items import ConsentChangeItem
from storepost.people.consent.model import Address, ConsentChange, ConsentSource
from storepost.people.consent.other_customers import detach_customer
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.rows import as_change
from storepost.people.consent.states import Channel
from storepost.people.customers.attribution import without_buyer, without_customer
from storepost.people.customers.model import Customer
from storepost.people.customers.repository import CustomerRepository
from storepost.people.deliverability.erasing import is_named, take_address_out
from storepost.people.events.model import EventSource
from storepost.people.events.repository import ProfileEventRepository
from storepost.people.events.rows import EventRow
from storepost.people.opt_in.model import OptInRequest
from storepost.people.opt_in.repository import OptInRepository
from storepost.people.profiles.consent_summary import show_consents
from storepost.people.profiles.erasing import addresses_of, seal_rows
from storepost.people.profiles.model import Identity, IdentityType, Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.stores.stores.model import Store

MAX_ROWS = 8
"""Events, changes of consent, and evidence, that one transaction takes away: of each. A change and
its evidence are two rows each, where the workspace keeps that.
"""

MAX_REQUESTS = 5
"""For opt-in, that one transaction takes away besides."""

MAX_LIFTED = 5
"""Lifted suppressions of an address, out of which one transaction takes it besides."""

type Precondition = Callable[[Changes], None]
"""Adds to a removal's transaction what has to hold beside it."""

_STATED_BY_OTHERS = frozenset({ConsentSource.API, ConsentSource.MANUAL, ConsentSource.IMPORT})
"""An unsubscription by a link says nothing that would have to be kept: the hash is."""


@dataclass(frozen=True)
class _Person:
    """A customer's or buyer's person, as far as more than the shop's data names them."""

    store: Store
    customers: CustomerRepository
    """The one that read the customer."""
    customer: Customer | None
    """None where nothing of the shop names them but orders."""
    profile: Profile
    others: list[Customer]

    @property
    def events(self) -> ProfileEventRepository:
        """Returns the events of the workspace."""
        return ProfileEventRepository(self.store.workspace)

    @property
    def consents(self) -> ConsentRepository:
        """Returns the consents of the workspace."""
        return ConsentRepository(self.store.workspace)

    @property
    def is_named_by_others(self) -> bool:
        """Returns whether anybody but the shop named the person: a store, a key, somebody."""
        links = self.profile.links.items()
        return (
            bool(self.others)
            or any(link.orders for store_id, link in links if store_id != self.store.id)
            or any(each.type is IdentityType.ANONYMOUS_ID for each in self.profile.identities)
            or any(not self._is_of_shop(event) for event in self.events.of_profile(self.profile))
            or any(map(self._is_of_others, self._history()))
        )

    def without(self, own: Identity) -> Profile:
        """Returns the profile without the customer, whose id is `own`, or without the buyer."""
        if self.customer is None:
            return without_buyer(self.profile, own, self.others)
        return without_customer(self.profile, self.customer, self.others)

    def shop_events(self) -> list[EventRow]:
        """Returns some of the events that the shop sent."""
        events = self.events.of_profile(self.profile)
        return list(islice(filter(self._is_of_shop, events), MAX_ROWS))

    def changes_of(self, addresses: set[Address]) -> list[ConsentChangeItem]:
        """Returns some of the changes of consent of these addresses, with the evidence in them."""
        rows = chain.from_iterable(map(self.consents.rows_of, self.profile.consent_partitions))
        named = (
            row
            for row in rows
            if row.address and Address(Channel(row.channel), row.address) in addresses
        )
        return list(islice(named, MAX_ROWS))

    def evidence_of(self, addresses: set[Address]) -> list[EvidenceItem]:
        """Returns some of the other evidence of these addresses."""
        repository = EvidenceRepository(self.store.workspace)
        named = (
            row
            for row in repository.own_rows_of(self.profile.evidence)
            if row.address and Address(Channel(row.channel), row.address) in addresses
        )
        return list(islice(named, MAX_ROWS))

    def requests_of(self, addresses: set[Address]) -> list[OptInRequest]:
        """Returns some of the requests for opt-in of these addresses."""
        requests = OptInRepository(self.store.workspace).of_profiles(
            self.profile.consent_partitions
        )
        return [each for each in requests if each.address in addresses][:MAX_REQUESTS]

    def _history(self) -> list[ConsentChange]:
        return list(self.consents.histories(self.profile.consent_partitions))

    def _is_of_shop(self, event: EventRow) -> bool:
        return event.source == EventSource.SHOPIFY and event.store_id == self.store.id

    def _is_of_others(self, change: ConsentChange) -> bool:
        origin = change.origin
        return origin.source in _STATED_BY_OTHERS or origin.store_id not in {None, self.store.id}


def _nothing(_changes: Changes) -> None:
    """No demand."""


def redact(
    store: Store,
    external_id: str,
    until: datetime | None = None,
    precondition: Precondition = _nothing,
) -> bool:
    """Redacts a customer with what the shop sent of the person; returns whether there was one.

    Whom nothing but orders names so is found by that name. What the shop sent `until` then never
    restores the customer, in whatever order that comes.
    """
    customers = CustomerRepository(store.workspace)
    existed = customers.get(store.id, external_id) is not None
    if until is not None:
        commit_anew(lambda changes: customers.bar(changes, store.id, external_id, until))

    def work(changes: Changes) -> bool:
        is_more = _redact_some(changes, store, external_id, until)
        precondition(changes)
        return is_more

    while commit_anew(work):
        pass
    return existed


def _redact_some(changes: Changes, store: Store, external_id: str, until: datetime | None) -> bool:
    """Whether there may be more."""
    customers, profiles = CustomerRepository(store.workspace), ProfileRepository(store.workspace)
    customer = customers.get(store.id, external_id)
    own = Identity(IdentityType.PLATFORM_CUSTOMER_ID, external_id, store.id)
    claim = profiles.claims_of([own]).get(own)
    holder = customer or claim
    profile = profiles.get(holder.profile_id) if holder else None
    if profile is None:
        if customer:  # its person is erased, and the worker is to come; an order may name another
            _delete_customer(changes, store, customers, customer, but=frozenset())
        elif until is not None:  # somebody may be on the way who was let in before the bar stood
            profiles.hold_back(changes, own, claim)
        return customer is not None
    others = [c for c in customers.of_profile(profile) if customer is None or c.id != customer.id]
    person = _Person(store, customers, customer, profile, others)
    if not person.is_named_by_others:
        _erase(changes, store, profile)
        return False
    return _redact_shop_data(changes, person, own)


def redact_buyer(store: Store, profile_id: UUID, precondition: Precondition = _nothing) -> bool:
    """Erases who is known by nothing but orders of a shop, and deletes the shop's events of others.

    Nobody requested it, so what is shown of a person whom others named stays. Whether anything
    went.
    """

    def work(changes: Changes) -> bool:
        is_more = _redact_some_of_buyer(changes, store, profile_id)
        precondition(changes)
        return is_more

    went = False
    while commit_anew(work):
        went = True
    return went


def _redact_some_of_buyer(changes: Changes, store: Store, profile_id: UUID) -> bool:
    """Whether there was anything."""
    customers, profiles = CustomerRepository(store.workspace), ProfileRepository(store.workspace)
    profile = profiles.get(profile_id)
    if profile is None:
        return False
    person = _Person(store, customers, None, profile, customers.of_profile(profile))
    if not person.is_named_by_others:
        _erase(changes, store, profile)
        return True
    events = person.shop_events()
    if events:
        person.events.delete(changes, events)
        profiles.save(changes, profile, replace(profile, events=profile.events - len(events)))
    return bool(events)


def _erase(changes: Changes, store: Store, profile: Profile) -> None:
    erase_profile(store.workspace, profile.id, changes)
    erased = partial(log_access, "profile erased", profile.id, store_id=store.id)
    changes.after_commit(erased)


def _redact_shop_data(changes: Changes, person: _Person, own: Identity) -> bool:
    """Removes what the shop sent, the customer last; whether there may be more."""
    profiles = ProfileRepository(person.store.workspace)
    without = person.without(own)
    dropped = [each for each in person.profile.identities if each not in without.sightings]
    addresses = set(addresses_of(dropped))
    left, is_all = _remove_rows(changes, person, addresses)
    if not is_all or _take_out_of_suppressions(changes, person.store, addresses):
        profiles.save(changes, person.profile, left)
        return True
    after = replace(
        without,
        events=left.events,
        consent_changes=left.consent_changes,
        evidence=left.evidence,
    )
    _erase_consents(changes, person, addresses)
    after = show_consents(changes, person.profile, after, {})
    profiles.save(changes, person.profile, after)
    profiles.release(changes, profiles.claims_of(dropped).values())
    if person.customer:
        _delete_customer(changes, person.store, person.customers, person.customer, but=addresses)
    return False


def _remove_rows(
    changes: Changes, person: _Person, addresses: set[Address]
) -> tuple[Profile, bool]:
    """Removes some of the shop's events, and of what was said of these addresses.

    The profile once they are gone, and whether those were all. A no that a store hasn't taken yet
    is kept for the store, and evidence sealed for as long as the workspace says.
    """
    events, consent_changes = person.shop_events(), person.changes_of(addresses)
    person.events.delete(changes, events)
    removed = [as_change(row) for row in consent_changes]
    ids = {change.id for change in removed}
    for address, consent in person.consents.consents_of(addresses).items():
        if consent.holds and consent.holds.change.change_id in ids:
            customers = partial(
                person.customers.of_profile, person.profile, others=consent.other_customers
            )
            owe_the_no(changes, person.store.workspace, customers, address, consent)
    for change in removed:
        person.consents.delete(changes, change)
    proofs = person.evidence_of(addresses)
    in_changes = filter(None, map(evidence_in, consent_changes))
    seal_rows(changes, person.store.workspace, [*in_changes, *proofs])
    evidence = delete_evidence(changes, person.profile.evidence, proofs, consent_changes)
    requests = person.requests_of(addresses)
    for request in requests:
        OptInRepository(person.store.workspace).delete(changes, request)
    is_all = all(len(some) < MAX_ROWS for some in (events, consent_changes, proofs))
    left = replace(
        person.profile,
        events=person.profile.events - len(events),
        consent_changes=person.profile.consent_changes - len(consent_changes),
        evidence=evidence,
    )
    return left, is_all and len(requests) < MAX_REQUESTS


def _erase_consents(changes: Changes, person: _Person, addresses: Collection[Address]) -> None:
    """Leaves of these addresses' consent their keyed hashes."""
    consents, customer = person.consents, person.customer
    histories = person.profile.consent_partitions
    own_customers = frozenset({customer.ref} if customer else ())
    for address, consent in consents.consents_of(addresses).items():
        consents.erase_history(changes, address, consent, histories, own_customers)


def _take_out_of_suppressions(
    changes: Changes, store: Store, addresses: Collection[Address]
) -> bool:
    """Leaves the addresses suppressed by their keyed hash alone; whether any was named.

    Whoever suppresses one meanwhile writes the profile, which is written with this.
    """
    workspace = store.workspace
    named = [each for each in addresses if is_named(changes, workspace, each)]
    for address in named:
        take_address_out(changes, workspace, address, MAX_LIFTED)
    return bool(named)


def _delete_customer(
    changes: Changes,
    store: Store,
    customers: CustomerRepository,
    customer: Customer,
    *,
    but: Collection[Address],
) -> None:
    """Deletes the customer, and takes it out of those of an address that is somebody else's.

    What is said of the addresses `but` is erased beside it.
    """
    customers.delete(changes, customer)
    for channel in Channel:
        value = customer.address(channel)
        address = Address(channel, value) if value else None
        if address and address not in but:
            detach_customer(changes, store.workspace, address, customer.ref)
