"""The task of a write-back message, and the reasons to skip it.

docs/semantics.md, section 2.5 has the rules.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from storepost.people.consent.decision import AddressConsent, ChangeRef
from storepost.people.consent.model import Address, ConsentChange, SkipReason, WriteBack
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.states import ConsentState
from storepost.people.consent.write_back_messages import NamedAttempt, group_of, series_of
from storepost.people.consent_changes.delivery import Delivery
from storepost.people.customers.model import Customer
from storepost.stores.stores.model import Store
from storepost.values.scope import WorkspaceScope

_MOMENT = timedelta(milliseconds=1)
NAMED = ("workspaceId", "profileId", "changeId", "storeId")
"""The fields of a message; others belong to another release."""


@dataclass(frozen=True)
class Task:
    """One store's write-back of one change, while it is pending."""

    workspace: WorkspaceScope
    change: ConsentChange
    address: Address
    store_id: UUID

    @property
    def ref(self) -> ChangeRef:
        """Returns the reference of the change."""
        return ChangeRef(self.change.profile_id, self.change.id)

    @property
    def named(self) -> dict[str, UUID]:
        """Returns the ids in its message."""
        ids = (self.workspace.id, self.change.profile_id, self.change.id, self.store_id)
        return dict(zip(NAMED, ids, strict=True))

    @property
    def pending(self) -> WriteBack:
        """Returns the current write-back, with the attempts that were made."""
        return self.change.write_back_to(self.store_id) or WriteBack(self.store_id)

    @property
    def group(self) -> str:
        """Returns the FIFO group of its messages."""
        return group_of(self.address.value, self.store_id)

    @property
    def next_attempt(self) -> NamedAttempt:
        """Returns the next attempt for its message, to be queued before this one is recorded."""
        number = len(self.pending.attempts) + 2
        return NamedAttempt(number, series_of(self.pending.pending_since))

    def dated(self, consent: AddressConsent, customers: Iterable[Customer]) -> "Task":
        """Returns the task with the change dated so that the store has no later consent.

        The date is the time of the last statement. An unsubscription is dated after a customer's
        later opt-in that didn't count: a shop ignores a consent that is older than its own.
        """
        moments = [self.change.occurred_at, consent.as_of or self.change.occurred_at]
        if self.change.state is ConsentState.UNSUBSCRIBED:
            moments += (m + _MOMENT for m in map(self._contradicted_at, customers) if m)
        return replace(self, change=replace(self.change, occurred_at=max(moments)))

    def is_contradicted(self, customers: Iterable[Customer]) -> bool:
        """Returns whether a customer has a later opt-in, which seems not to count."""
        moments = filter(None, map(self._contradicted_at, customers))
        return self.change.is_opt_out and any(each > self.change.occurred_at for each in moments)

    def _contradicted_at(self, customer: Customer) -> datetime | None:
        channel = self.address.channel
        has_it = customer.consent(channel) is self.change.state
        return None if has_it else customer.consent_at(channel)

    def addressed(self, customers: list[Customer]) -> list[Customer]:
        """Returns the customers that aren't deleted and have the changed address."""
        own = [c for c in customers if c.address(self.address.channel) == self.address.value]
        return [customer for customer in own if customer.deleted_at is None]


_MAX_STEPS = 5
"""How many earlier changes are read that weren't sent to a store that didn't know the person."""


def reason_to_skip(
    task: Task,
    consent: AddressConsent,
    customers: list[Customer],
    store: Store | None,
    delivery: Delivery | None,
) -> SkipReason | None:
    """Returns the first reason that applies; None where the store gets the change."""
    addressed = task.addressed(customers)
    reasons = {
        SkipReason.STORE_DISCONNECTED: store is None or not store.is_active,
        SkipReason.CUSTOMER_DELETED: all(c.deleted_at is not None for c in customers),
        SkipReason.NO_EMAIL: not addressed,
        SkipReason.PERMISSION_MISSING: delivery is None,
        SkipReason.SUPERSEDED: consent.holds is None or consent.holds.change != task.ref,
        SkipReason.ALREADY_CURRENT: _is_current(task, addressed)
        and not _lacks_level(task, consent, store)
        and _is_known(task),
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def _is_current(task: Task, addressed: list[Customer]) -> bool:
    """Whether the store sent the state itself, as far as is known."""
    return all(_has_state(task, customer) for customer in addressed)


def _lacks_level(task: Task, consent: AddressConsent, store: Store | None) -> bool:
    """Whether a shop lacks the confirmation of an opt-in that was confirmed after the change."""
    if store is None or store.is_custom or task.change.state is not ConsentState.SUBSCRIBED:
        return False
    confirmed_at = consent.confirmed_at if consent.is_confirmed else None
    return confirmed_at is not None and confirmed_at > task.change.occurred_at


def _has_state(task: Task, customer: Customer) -> bool:
    """Whether the store has the customer in this state; an unticked box is `not_subscribed`."""
    state, stored = task.change.state, customer.consent(task.address.channel)
    unticked = state is ConsentState.UNSUBSCRIBED and stored is ConsentState.NOT_SUBSCRIBED
    from_there = task.change.origin.store_id == task.store_id
    return stored is state or (unticked and from_there)


def _is_known(task: Task) -> bool:
    """Whether the store is known to have the state that its customer's row has.

    It isn't known where the change before may have been sent with an unknown end. Then the store is
    sent a state that it may already have, so that it doesn't keep one that was replaced.
    """
    repository, ref = ConsentRepository(task.workspace), task.change.follows
    for _ in range(_MAX_STEPS):
        before = repository.get(ref) if ref else None
        if before is None:
            return ref is None
        write_back = before.write_back_to(task.store_id)
        if write_back is not None:
            return write_back.is_in_sync
        ref = before.follows
    return False
