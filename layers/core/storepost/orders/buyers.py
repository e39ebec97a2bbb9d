"""Assigns an order to its buyer's profile, and updates what the profile counts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from storepost.orders.events import PLACED, events_of, recorded_events_of
from storepost.orders.incoming import IncomingBuyer, IncomingOrder
from storepost.orders.model import Order, RecordedEvents
from storepost.orders.repository import StoredOrder
from storepost.people.customers.repository import CustomerRepository
from storepost.people.events.model import ProfileEvent
from storepost.people.events.repository import ProfileEventRepository
from storepost.people.profiles.consent_summary import show_consents
from storepost.people.profiles.merges import MergeCause
from storepost.people.profiles.merging import Arrival, person_of
from storepost.people.profiles.model import (
    IdentityType,
    LocaleOrigin,
    LocaleSignal,
    LocaleSource,
    Profile,
)
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.resolution import people_of_arrival, takes_in
from storepost.platform.persistence.changes import Changes, LostRace
from storepost.stores.stores.model import Store
from storepost.values.ids import new_id
from storepost.values.scope import WorkspaceScope


@dataclass(frozen=True)
class BoughtOrder:
    """An order as it is to be stored, and its buyer's profile."""

    order: Order
    buyer: Profile | None
    """None where the order has no buyer, or the buyer was erased or redacted."""
    placed: ProfileEvent | None = None
    """The buyer's `order_placed` event, which is stored with the order. None where it was recorded
    before.
    """


def redactable_customer(store: Store, incoming: IncomingOrder) -> str | None:
    """Returns the customer's id at the shop, which may have redacted that customer.

    None for a custom store, which redacts nobody, and for an order without a buyer.
    """
    return incoming.buyer.external_id if incoming.buyer and not store.is_custom else None


def assign_buyer(
    changes: Changes, store: Store, stored: StoredOrder | None, incoming: IncomingOrder
) -> BoughtOrder:
    """Returns the incoming order with the profile that counts it.

    Events of the order that aren't recorded yet become the buyer's events. The caller stores the
    `order_placed` event when it saves the order. An order whose buyer was erased or redacted gets
    no buyer.

    Each affected profile is saved once: the one that counts the order now, and the one that counted
    it before. Raises MergedFirst, having added nothing.
    """
    repository = ProfileRepository(store.workspace, changes.reads)
    before, recorded = (stored.order, stored.recorded) if stored else (None, RecordedEvents())
    order = incoming.as_order(store, recorded)
    former = repository.get(stored.profile_id) if stored and stored.profile_id else None
    # Checked first, before the order's identities can merge or change any profile.
    if _was_erased(stored, former) or is_redacted(changes, store, incoming):
        _uncount(changes, repository, former, before)
        anonymous = replace(order, customer_external_id=None, buyer_erased=True)
        return BoughtOrder(anonymous, None)
    buyer = Buyer(changes, store, incoming)
    is_another = former is not None and (buyer.before is None or former.id != buyer.before.id)
    if is_another:
        _uncount(changes, repository, former, before)
    if not buyer.identities:
        return BoughtOrder(order, None)
    order, placed = buyer.add(incoming, order, before if former and not is_another else None)
    return BoughtOrder(order, buyer.save(), placed)


class Buyer:
    """The buyer of one or more orders in a unit of work, saved once for all of them."""

    def __init__(self, changes: Changes, store: Store, incoming: IncomingOrder) -> None:
        """Reads the profile of the order's buyer. Raises LostRace, having added nothing."""
        self._changes = changes
        self._store = store
        self.identities = incoming.identities(store)
        cause = MergeCause(store.platform, incoming.external_id)
        arrival = Arrival(store.workspace, self.identities, people_of_arrival, cause)
        self._known, self.before = person_of(changes, arrival)
        self._expect_unredacted(incoming)
        self._added = takes_in(self.before, self.identities, self._known)
        self._after = self.before
        self._events: list[ProfileEvent] = []

    def add(
        self, incoming: IncomingOrder, order: Order, had: Order | None = None
    ) -> tuple[Order, ProfileEvent | None]:
        """Counts an order in the profile; returns it with the profile's id and its events recorded.

        The second value is the `order_placed` event if it is new: the caller stores it with the
        order. The order must have the same identities as the first one. `had` is the order as the
        profile counts it now, if it does.
        """
        seen = dict.fromkeys(self._added, (incoming.placed_at,))
        profile = _updated_from(self._after, self._store, incoming).identified(seen)
        order = replace(order, profile_id=profile.id)
        events = events_of(order, self._store.platform)
        self._after = _with_events(_counted(_counted(profile, had, -1), order, +1), events)
        placed = next((event for event in events if event.name == PLACED), None)
        self._events += [event for event in events if event is not placed]
        return replace(order, recorded=recorded_events_of(order)), placed

    def _expect_unredacted(self, incoming: IncomingOrder) -> None:
        """Raises LostRace where the buyer was redacted after the caller had checked that.

        A redaction frees the claim of the customer's id, which was read later.
        """
        own = IdentityType.PLATFORM_CUSTOMER_ID
        is_freed = any(
            claim.is_free for each, claim in self._known.claims.items() if each.type is own
        )
        if is_freed and is_redacted(Changes(), self._store, incoming):
            raise LostRace

    def save(self) -> Profile:
        """Adds the profile, its claims and its other events to the unit of work.

        The orders and `order_placed` events that `add` returned are stored by the caller. Raises
        ValueError if no order was added.
        """
        if self._after is None:
            raise ValueError("no order was added")
        changes, workspace = self._changes, self._store.workspace
        repository = ProfileRepository(workspace, changes.reads)
        profile = show_consents(changes, self.before, self._after, {})
        if profile != self.before:
            repository.save(changes, self.before, profile)
        repository.claim(changes, profile, self._known.claims, self._added)
        for event in self._events:
            ProfileEventRepository(workspace).add(changes, profile.id, event)
        return profile


def _was_erased(stored: StoredOrder | None, former: Profile | None) -> bool:
    """Whether the buyer was erased; the worker may not have removed them from the order yet."""
    if stored is None or stored.buyer_erased:
        return stored is not None
    return stored.profile_id is not None and former is None


def is_redacted(changes: Changes, store: Store, incoming: IncomingOrder) -> bool:
    """Returns whether the order is from before the shop redacted its customer."""
    customer = redactable_customer(store, incoming)
    customers = CustomerRepository(store.workspace, changes.reads)
    return customer is not None and customers.redacts(store.id, customer, incoming.updated_at)


def _uncount(
    changes: Changes, repository: ProfileRepository, former: Profile | None, before: Order | None
) -> None:
    """Subtracts the order from the profile that counted it, which must still exist."""
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
    """Returns the buyer's profile."""
    return ProfileRepository(workspace).get(profile_id) if profile_id else None


def _updated_from(known: Profile | None, store: Store, incoming: IncomingOrder) -> Profile:
    """The profile with the order's time, locale and, where it has no name, the buyer's name."""
    placed, buyer = incoming.placed_at, incoming.buyer or IncomingBuyer()
    profile = known or Profile(new_id(), store.workspace, first_seen_at=placed, last_seen_at=placed)
    if not profile.name:
        profile = replace(profile, first_name=buyer.first_name, last_name=buyer.last_name)
    signal = LocaleSignal.HARD if incoming.locale else LocaleSignal.SOFT
    source = LocaleSource(LocaleOrigin.ORDER, store.id, signal, placed)
    return profile.seen(placed).with_locale(incoming.locale or store.primary_locale, source)


def _counted(profile: Profile, order: Order | None, sign: int) -> Profile:
    """The profile's counts with the order added (`sign` 1) or subtracted (-1)."""
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
