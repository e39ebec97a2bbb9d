"""Who bought an order: the profile that it belongs to, and what it counts for there."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from storepost.orders.events import events_of, recorded_events_of
from storepost.orders.incoming import IncomingBuyer, IncomingOrder
from storepost.orders.model import Order, RecordedEvents
from storepost.orders.repository import StoredOrder
from storepost.people.customers.repository import CustomerRepository
from storepost.people.events.model import ProfileEvent
from storepost.people.events.repository import ProfileEventRepository
from storepost.people.profiles.consent_summary import show_consents
from storepost.people.profiles.merges import MergeCause
from storepost.people.profiles.merging import Arrival, person_of
from storepost.people.profiles.model import LocaleOrigin, LocaleSignal, LocaleSource, Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.resolution import people_of_arrival, takes_in
from storepost.platform.persistence.changes import Changes
from storepost.stores.stores.model import Store
from storepost.values.ids import new_id
from storepost.values.scope import WorkspaceScope


@dataclass(frozen=True)
class BoughtOrder:
    """An order as it is to be stored, with its buyer's profile."""

    order: Order
    buyer: Profile | None
    """None where the order names nobody, or its buyer was erased or redacted."""


def redactable_customer(store: Store, incoming: IncomingOrder) -> str | None:
    """Returns the store's id of the order's customer, if the store may have had them redacted."""
    return incoming.buyer.external_id if incoming.buyer and not store.is_custom else None


def assign_buyer(
    changes: Changes, store: Store, stored: StoredOrder | None, incoming: IncomingOrder
) -> BoughtOrder:
    """Returns the order that arrives, with the profile that it is counted in.

    Events of the order that aren't recorded yet become the buyer's events. The order of somebody
    who was erased or redacted stays without a buyer.

    Each profile that the change concerns is saved once: the one that has the order now, and the one
    that had it. Raises MergedFirst, having added nothing.
    """
    repository = ProfileRepository(store.workspace, changes.reads)
    before, recorded = (stored.order, stored.recorded) if stored else (None, RecordedEvents())
    order = incoming.as_order(store, recorded)
    former = repository.get(stored.profile_id) if stored and stored.profile_id else None
    # Before anything that its buyer's names could do to others.
    if _was_erased(stored, former) or _is_redacted(changes, store, incoming):
        _uncount(changes, repository, former, before)
        anonymous = replace(order, customer_external_id=None, buyer_erased=True)
        return BoughtOrder(anonymous, None)
    identities = incoming.identities(store)
    cause = MergeCause(store.platform, incoming.external_id)
    arrival = Arrival(store.workspace, identities, people_of_arrival, cause)
    known, known_profile = person_of(changes, arrival)
    if former and (known_profile is None or former.id != known_profile.id):
        _uncount(changes, repository, former, before)
    if not identities:
        return BoughtOrder(order, None)
    added = takes_in(known_profile, identities, known)
    seen = dict.fromkeys(added, (incoming.placed_at,))
    profile = _with_names(known_profile, store, incoming).identified(seen)
    had = before if former and former.id == profile.id else None
    order = replace(order, profile_id=profile.id)
    profile = _counted(_counted(profile, had, -1), order, +1)
    events = events_of(order, store.platform)
    profile = _with_events(profile, events)
    profile = show_consents(changes, known_profile, profile, {})
    if profile != known_profile:
        repository.save(changes, known_profile, profile)
    repository.claim(changes, profile, known.claims, added)
    for event in events:
        ProfileEventRepository(store.workspace).add(changes, profile.id, event)
    return BoughtOrder(replace(order, recorded=recorded_events_of(order)), profile)


def _was_erased(stored: StoredOrder | None, former: Profile | None) -> bool:
    """Whether the order was somebody's who was erased; the worker may not have come to it yet."""
    if stored is None or stored.buyer_erased:
        return stored is not None
    return stored.profile_id is not None and former is None


def _is_redacted(changes: Changes, store: Store, incoming: IncomingOrder) -> bool:
    """Whether the shop tells of a moment before it had the order's customer redacted."""
    customer = redactable_customer(store, incoming)
    customers = CustomerRepository(store.workspace, changes.reads)
    return customer is not None and customers.redacts(store.id, customer, incoming.updated_at)


def _uncount(
    changes: Changes, repository: ProfileRepository, former: Profile | None, before: Order | None
) -> None:
    """Subtracts the order from the profile that had it, which must still exist."""
    if former is None:
        return
    if before is None:
        repository.expect_live(changes, former)
    else:
        repository.save(changes, former, _counted(former, before, -1))


def uncount_order(changes: Changes, workspace: WorkspaceScope, order: Order) -> bool:
    """Subtracts an order from its buyer's profile; returns whether the buyer was erased."""
    if order.profile_id is None:
        return order.buyer_erased
    repository = ProfileRepository(workspace, changes.reads)
    profile = repository.get(order.profile_id)
    if profile:
        repository.save(changes, profile, _counted(profile, order, -1))
    return profile is None


def buyer_of(workspace: WorkspaceScope, profile_id: UUID | None) -> Profile | None:
    """Returns the profile that an order names."""
    return ProfileRepository(workspace).get(profile_id) if profile_id else None


def _with_names(known: Profile | None, store: Store, incoming: IncomingOrder) -> Profile:
    """The profile after what the order says of the person: names fill what is empty."""
    placed, buyer = incoming.placed_at, incoming.buyer or IncomingBuyer()
    profile = known or Profile(new_id(), store.workspace, first_seen_at=placed, last_seen_at=placed)
    if not profile.name:
        profile = replace(profile, first_name=buyer.first_name, last_name=buyer.last_name)
    signal = LocaleSignal.HARD if incoming.locale else LocaleSignal.SOFT
    source = LocaleSource(LocaleOrigin.ORDER, store.id, signal, placed)
    return profile.seen(placed).with_locale(incoming.locale or store.primary_locale, source)


def _counted(profile: Profile, order: Order | None, sign: int) -> Profile:
    """The profile with an order more, or less."""
    if order is None:
        return profile
    spent = dict(profile.spent)
    spent[order.currency] = spent.get(order.currency, 0) + sign * order.counts_as_spent
    spent = {currency: amount for currency, amount in spent.items() if amount}
    return replace(profile.linked(order.store_id, orders=sign), spent=spent)


def _with_events(profile: Profile, events: Sequence[ProfileEvent]) -> Profile:
    if not events:
        return profile
    seen = profile.seen(*(event.occurred_at for event in events))
    return replace(seen, events=profile.events + len(events))
