"""Redacts a shop's data of a person (docs/adr/0062).

A person whom only this shop named is erased, as a workspace erases people. Of a person whom others
named, too, only this shop's data is deleted. Each step is one transaction that reads again what
exists, so it may be killed anywhere and run again.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import chain, islice
from uuid import UUID

from storepost.accounts.workspaces.access_log import log_access
from storepost.lifecycle.erasures.service import erase_as_read, owe_opt_out
from storepost.people.consent.evidence_items import EvidenceItem, evidence_in
from storepost.people.consent.evidence_rows import EvidenceRepository, delete_evidence
from storepost.people.consent.items import ConsentChangeItem
from storepost.people.consent.model import Address, ConsentChange, ConsentSource
from storepost.people.consent.other_customers import detach_customer
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.rows import as_change
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.customers.attribution import without_buyer, without_customer
from storepost.people.customers.model import Customer
from storepost.people.customers.repository import CustomerRepository
from storepost.people.deliverability.erasing import erase_from_suppressions, has_address_in_clear
from storepost.people.events.model import EventSource
from storepost.people.events.repository import ProfileEventRepository
from storepost.people.events.rows import EventRow
from storepost.people.opt_in.model import OptInRequest
from storepost.people.opt_in.repository import OptInRepository
from storepost.people.profiles.consent_summary import show_consents
from storepost.people.profiles.erasing import addresses_of, seal_rows
from storepost.people.profiles.model import Identity, IdentityType, Profile
from storepost.people.profiles.repository import Claim, ProfileRepository
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.stores.stores.model import Store

MAX_ROWS = 8
"""Events, changes of consent, and rows of evidence per transaction: of each. A change and its
evidence take two rows each, where the workspace keeps evidence.
"""

MAX_REQUESTS = 5
"""Opt-in requests per transaction, in addition."""

MAX_LIFTED = 5
"""Lifted suppressions of an address per transaction, in addition."""

type Precondition = Callable[[Changes], None]
"""Adds further conditions to a redaction's transaction."""

_STATED_BY_OTHERS = frozenset({ConsentSource.API, ConsentSource.MANUAL, ConsentSource.IMPORT})
"""The sources of statements that aren't the shop's. An unsubscription by a link isn't among them:
only the address's hash must be kept of it, and it is.
"""


@dataclass(frozen=True)
class _Person:
    """The person of a customer or buyer, and who else has named them."""

    store: Store
    customers: CustomerRepository
    """The repository that read the customer."""
    customer: Customer | None
    """None where only orders of the shop name the person."""
    profile: Profile
    others: list[Customer]

    @property
    def events(self) -> ProfileEventRepository:
        """Returns the repository of the workspace's events."""
        return ProfileEventRepository(self.store.workspace)

    @property
    def consents(self) -> ConsentRepository:
        """Returns the repository of the workspace's consents."""
        return ConsentRepository(self.store.workspace)

    @property
    def is_named_by_others(self) -> bool:
        """Returns whether another store, an API key or a member has named the person, too."""
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
        """Returns some of the opt-in requests to these addresses."""
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
    """No condition."""


def redact(
    store: Store,
    external_id: str,
    until: datetime | None = None,
    precondition: Precondition = _nothing,
) -> bool:
    """Redacts a customer with the shop's data of the person; returns whether there was one.

    A person whom only orders name is found by the same id. No data that the shop sent before
    `until` restores the customer, in whatever sequence it arrives.
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
    """Returns whether there may be more.

    A concurrent writer that has seen no redaction loses the race: for the customer's row, which
    says that they were deleted, or for the claim of the id.
    """
    customers, profiles = CustomerRepository(store.workspace), ProfileRepository(store.workspace)
    customer = customers.get(store.id, external_id)
    own = Identity(IdentityType.PLATFORM_CUSTOMER_ID, external_id, store.id)
    claim = profiles.claims_of([own]).get(own)
    holder = customer or claim
    profile = profiles.get(holder.profile_id) if holder else None
    if profile is None:
        if customer:  # the person is erased, the worker not done; an order may name another
            _delete_customer(changes, store, customers, customer, but=frozenset())
        elif until is not None:
            customers.tombstone(changes, store.id, external_id, until)
            profiles.hold_back(changes, own, claim)
        return customer is not None
    others = [c for c in customers.of_profile(profile) if customer is None or c.id != customer.id]
    person = _Person(store, customers, customer, profile, others)
    if person.is_named_by_others:
        return _redact_shop_data(changes, person, own, is_barred=until is not None)
    _erase(changes, store, profile)
    if until is not None:
        _leave_tombstone(changes, person, own, claim, until)
    return False


def redact_buyer(store: Store, profile_id: UUID, precondition: Precondition = _nothing) -> bool:
    """Erases a person whom only a shop's orders name; of others, deletes the shop's events.

    No request is about this person, so a person whom others named keeps the shown data. Returns
    whether anything was deleted.
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
    """Returns whether there was anything to delete."""
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
    erase_as_read(changes, profile)
    erased = partial(log_access, "profile erased", profile.id, store_id=store.id)
    changes.after_commit(erased)


def _leave_tombstone(
    changes: Changes, person: _Person, own: Identity, claim: Claim | None, until: datetime
) -> None:
    """Replaces the customer's row and the claim of the id, which other writers may have read."""
    store, customer = person.store, person.customer
    if customer:
        _detach(changes, store, customer, but=addresses_of(person.profile.identities))
    person.customers.tombstone(changes, store.id, own.value, until)
    ProfileRepository(store.workspace).hold_back(changes, own, claim)


def _redact_shop_data(changes: Changes, person: _Person, own: Identity, *, is_barred: bool) -> bool:
    """Deletes the shop's data, the customer last; returns whether there may be more.

    `is_barred` is whether older data of the shop may still arrive.
    """
    profiles = ProfileRepository(person.store.workspace)
    without = person.without(own)
    dropped = [each for each in person.profile.identities if each not in without.sightings]
    addresses = set(addresses_of(dropped))
    left, is_all = _remove_rows(changes, person, addresses)
    # With the first rows of the history: whoever names an address from then on finds no state of
    # which the change is gone.
    states = _erase_consents(changes, person, addresses)
    left = show_consents(changes, person.profile, left, states)
    if not is_all or _take_out_of_suppressions(changes, person.store, addresses):
        profiles.save(changes, person.profile, left)
        return True
    after = replace(
        without,
        events=left.events,
        consent_changes=left.consent_changes,
        evidence=left.evidence,
    )
    after = show_consents(changes, person.profile, after, {})
    profiles.save(changes, person.profile, after)
    claims = profiles.claims_of(dropped)
    if is_barred:
        profiles.hold_back(changes, own, claims.pop(own, None))
    profiles.release(changes, claims.values())
    if person.customer:
        _delete_customer(changes, person.store, person.customers, person.customer, but=addresses)
    return False


def _remove_rows(
    changes: Changes, person: _Person, addresses: set[Address]
) -> tuple[Profile, bool]:
    """Deletes some of the shop's events, and of the consent history of these addresses.

    Returns the profile without them, and whether those were all. An unsubscription that a store
    hasn't accepted yet is kept for the store, and evidence is sealed for as long as the workspace's
    settings say.
    """
    events, consent_changes = person.shop_events(), person.changes_of(addresses)
    person.events.delete(changes, events)
    removed = [as_change(row) for row in consent_changes]
    own = person.profile.consent_partitions
    for address, consent in person.consents.consents_of(addresses).items():
        if consent.holds and consent.holds.change.profile_id in own:
            customers = partial(
                person.customers.of_profile, person.profile, others=consent.other_customers
            )
            owe_opt_out(changes, person.store.workspace, customers, address, consent)
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


def _erase_consents(
    changes: Changes, person: _Person, addresses: Collection[Address]
) -> dict[Address, ConsentState]:
    """Erases these addresses' consent but for keyed hashes; returns the states that are left."""
    consents, customer = person.consents, person.customer
    histories = person.profile.consent_partitions
    own_customers = frozenset({customer.ref} if customer else ())
    return {
        address: consents.erase_history(changes, address, consent, histories, own_customers).state
        for address, consent in consents.consents_of(addresses).items()
    }


def _take_out_of_suppressions(
    changes: Changes, store: Store, addresses: Collection[Address]
) -> bool:
    """Leaves the addresses suppressed only by their keyed hash; returns whether any was in clear.

    A concurrent suppression of one writes the profile, which this unit of work writes, too.
    """
    workspace = store.workspace
    in_clear = [each for each in addresses if has_address_in_clear(changes, workspace, each)]
    for address in in_clear:
        erase_from_suppressions(changes, workspace, address, MAX_LIFTED)
    return bool(in_clear)


def _delete_customer(
    changes: Changes,
    store: Store,
    customers: CustomerRepository,
    customer: Customer,
    *,
    but: Collection[Address],
) -> None:
    """Deletes the customer, and removes it from its addresses' other customers.

    The consent of the addresses in `but` is erased separately.
    """
    customers.delete(changes, customer)
    _detach(changes, store, customer, but=but)


def _detach(
    changes: Changes, store: Store, customer: Customer, *, but: Collection[Address]
) -> None:
    """Removes the customer from the other customers of its addresses that aren't in `but`."""
    for channel in Channel:
        value = customer.address(channel)
        address = Address(channel, value) if value else None
        if address and address not in but:
            detach_customer(changes, store.workspace, address, customer.ref)
