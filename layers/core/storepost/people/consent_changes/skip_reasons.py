"""Why a store isn't told of a change (docs/semantics.md, section 2.5)."""

from storepost.people.consent.decision import AddressConsent
from storepost.people.consent.model import SkipReason
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.states import ConsentState
from storepost.people.consent_changes.delivery import Delivery
from storepost.people.consent_changes.tasks import Task
from storepost.people.customers.model import Customer
from storepost.stores.stores.model import Store

_MAX_STEPS = 5
"""How many changes are looked back at that a store wasn't told of, as it didn't know the person."""


def reason_to_skip(
    task: Task,
    consent: AddressConsent,
    customers: list[Customer],
    store: Store | None,
    delivery: Delivery | None,
) -> SkipReason | None:
    """Returns the first reason that holds; None where the store gets the change."""
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
    """Whether the store gave the state itself, as far as is known."""
    return all(_has_state(task, customer) for customer in addressed)


def _lacks_level(task: Task, consent: AddressConsent, store: Store | None) -> bool:
    """Whether a shop is to learn that the person has confirmed what it has since before."""
    if store is None or store.is_custom or task.change.state is not ConsentState.SUBSCRIBED:
        return False
    confirmed_at = consent.confirmed_at if consent.is_confirmed else None
    return confirmed_at is not None and confirmed_at > task.change.occurred_at


def _has_state(task: Task, customer: Customer) -> bool:
    """Whether the store has the customer so; a box that it unticked says `not_subscribed`."""
    state, stored = task.change.state, customer.consent(task.address.channel)
    unticked = state is ConsentState.UNSUBSCRIBED and stored is ConsentState.NOT_SUBSCRIBED
    from_there = task.change.origin.store_id == task.store_id
    return stored is state or (unticked and from_there)


def _is_known(task: Task) -> bool:
    """Whether what counts as given by the store is what it has.

    It isn't where the change before may have been told and nobody knows the end: the store is then
    told what it may have already, rather than left with what was taken back.
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
