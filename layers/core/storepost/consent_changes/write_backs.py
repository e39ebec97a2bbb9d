"""Telling a store of a change, decided at the moment of writing (docs/semantics.md, section 2.5).

A message can come twice, late, and after a run that was killed between telling the store and
noting that. So what the store gave last counts as what it has only where the change before ended
for certain (docs/adr/0008).
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from storepost import clock
from storepost.consent.decision import AddressConsent, ChangeRef
from storepost.consent.missed import queue_missed, skip_disconnected
from storepost.consent.model import (
    Address,
    ConsentChange,
    SkipReason,
    WriteBack,
    WriteBackStatus,
)
from storepost.consent.repository import ConsentRepository
from storepost.consent.states import ConsentState
from storepost.consent_changes.delivery import Delivery, NotTaken, delivery_to, try_again
from storepost.consent_changes.owing import tell_owed
from storepost.customers.model import Customer
from storepost.customers.repository import CustomerRepository
from storepost.logs import log_unexpected
from storepost.messaging.tries import TRIES, check_tries
from storepost.metrics import count
from storepost.profiles.model import Profile
from storepost.profiles.repository import ProfileRepository
from storepost.profiles.resolution import look_up
from storepost.profiles.shown import identity_of
from storepost.scope import WorkspaceScope
from storepost.stores.model import Store
from storepost.stores.repository import StoreRepository
from storepost.stores.write_back import WriteBackRepository

_MOMENT = timedelta(milliseconds=1)
_MOST_STEPS = 5
"""How many changes are looked back at that a store wasn't told of, as it didn't know the person."""


_OUTCOMES = {
    WriteBackStatus.WRITTEN: "WriteBacksDelivered",
    WriteBackStatus.SKIPPED: "WriteBacksSkipped",
    WriteBackStatus.FAILED: "WriteBacksFailed",
}
"""The metric of each way in which a write-back ends."""


@dataclass(frozen=True)
class _Task:
    """One store's write-back of one change, while it is pending."""

    workspace: WorkspaceScope
    change: ConsentChange
    address: Address
    store_id: UUID

    @property
    def ref(self) -> ChangeRef:
        """Where the change stands."""
        return ChangeRef(self.change.profile_id, self.change.id)

    @property
    def named(self) -> dict[str, UUID]:
        """What its message names."""
        return {
            "workspaceId": self.workspace.id,
            "profileId": self.change.profile_id,
            "changeId": self.change.id,
            "storeId": self.store_id,
        }

    @property
    def begun(self) -> WriteBack:
        """The write-back as it was begun, of which something becomes."""
        known = self.change.write_back_to(self.store_id)
        return known.begun() if known else WriteBack(self.store_id)

    def dated(self, consent: AddressConsent, customers: Iterable[Customer]) -> "_Task":
        """The same, with the change dated so that the store has nothing later.

        That is when it was said last. A no is dated after what a customer had, where that is a
        later yes that didn't count: a shop takes nothing that is older than what it has.
        """
        moments = [self.change.occurred_at, consent.as_of or self.change.occurred_at]
        if self.change.state is ConsentState.UNSUBSCRIBED:
            moments += (m + _MOMENT for m in map(self._contradicted_at, customers) if m)
        return replace(self, change=replace(self.change, occurred_at=max(moments)))

    def _contradicted_at(self, customer: Customer) -> datetime | None:
        channel = self.address.channel
        has_it = customer.consent(channel) is self.change.state
        return None if has_it else customer.consent_at(channel)

    def addressed(self, customers: list[Customer]) -> list[Customer]:
        """Those of the customers that are there and whose own address is the changed one."""
        own = [c for c in customers if c.address(self.address.channel) == self.address.value]
        return [customer for customer in own if customer.deleted_at is None]


def write_back(message: str, tries: int) -> None:
    """Tells the store that a message names, if that is still to be done.

    A message that names no change is about what a store missed while it was disconnected.

    `tries` is how many times the queue brought the message, this one included. Raises `NotTaken`
    where another try may succeed.
    """
    named = {name: UUID(value) for name, value in json.loads(message).items()}
    if "changeId" not in named:
        queue_missed(WorkspaceScope(named["workspaceId"]), named["storeId"])
        return
    task = _task_of(named)
    if task is None:
        tell_owed(named, tries)
        return
    try:
        check_tries(tries)
        _carry_out(task, tries)
    except NotTaken:
        raise
    except Exception as error:
        if tries < TRIES:
            raise
        # Nothing brings it again: somebody who sees that it failed can have it retried.
        log_unexpected(error)
        _settle(task, task.begun.failed("The store couldn't be told.", clock.now()))


def _carry_out(task: _Task, tries: int) -> None:
    consent = ConsentRepository(task.workspace).consent_of(task.address)
    if consent.holds is None or consent.erased_at:
        # The person may have been erased since, and the worker may still be to remove the change.
        tell_owed(task.named, tries)
    customers = _customers(task, consent)
    if _was_taken(task, customers):
        _settle(task, task.begun.written(clock.now()))
        return
    store = StoreRepository(task.workspace).get(task.store_id)
    telling = delivery_to(task.workspace, store)
    reason = _reason_to_skip(task, consent, customers, store, telling)
    if reason is SkipReason.STORE_DISCONNECTED and store is not None:
        skip_disconnected(task.workspace, task.change, task.begun.skipped(reason, clock.now()))
    elif reason is not None:
        _settle(task, task.begun.skipped(reason, clock.now()))
    elif telling is not None:
        addressed = task.addressed(customers)
        _attempt(task.dated(consent, addressed), telling, addressed, tries, consent)


def _task_of(named: dict[str, UUID]) -> _Task | None:
    """What there is to do; None once it is done, or the change went with its profile."""
    workspace, store_id = WorkspaceScope(named["workspaceId"]), named["storeId"]
    change = ConsentRepository(workspace).get(ChangeRef(named["profileId"], named["changeId"]))
    if change is None or change.address is None or not _is_pending(change, store_id):
        return None
    return _Task(workspace, change, Address(change.channel, change.address), store_id)


def _is_pending(change: ConsentChange, store_id: UUID) -> bool:
    held = change.write_back_to(store_id)
    return held is not None and held.status is WriteBackStatus.PENDING


def _customers(task: _Task, consent: AddressConsent) -> list[Customer]:
    """The store's customers of the person, and of the address, deleted ones too."""
    others = [c for c in consent.other_customers if c.store_id == task.store_id]
    customers = CustomerRepository(task.workspace)
    profile = ProfileRepository(task.workspace).get(task.change.profile_id)
    found = customers.of_profile(profile, task.store_id, others) if profile else []
    if task.addressed(found):
        return found
    return [*found, *_of_holder(task, profile, customers)]


def _of_holder(
    task: _Task, profile: Profile | None, customers: CustomerRepository
) -> list[Customer]:
    """The store's customers of whoever has the address now, where that is somebody else."""
    profiles, identity = ProfileRepository(task.workspace), identity_of(task.address)
    holder = look_up(profiles, [identity]).holder_of(identity) if profile else None
    if holder is None or profile is None or holder.id == profile.id:
        return []
    return customers.of_profile(holder, task.store_id)


def _was_taken(task: _Task, customers: list[Customer]) -> bool:
    """Whether a run that was killed since has noted with each customer that the store took it.

    It must have noted this telling: what the store took before it, it may have been told otherwise.
    """
    telling = task.change.telling_to(task.store_id)
    noted = [c.told(task.address.channel) == telling for c in task.addressed(customers)]
    return bool(noted) and all(noted)


def _reason_to_skip(
    task: _Task,
    consent: AddressConsent,
    customers: list[Customer],
    store: Store | None,
    telling: Delivery | None,
) -> SkipReason | None:
    addressed = task.addressed(customers)
    reasons = {
        SkipReason.STORE_DISCONNECTED: store is None or not store.is_active,
        SkipReason.CUSTOMER_DELETED: all(c.deleted_at is not None for c in customers),
        SkipReason.NO_EMAIL: not addressed,
        SkipReason.PERMISSION_MISSING: telling is None,
        SkipReason.SUPERSEDED: consent.holds is None or consent.holds.change != task.ref,
        SkipReason.ALREADY_CURRENT: _is_current(task, addressed) and _is_known(task),
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def _is_current(task: _Task, addressed: list[Customer]) -> bool:
    """Whether the store gave the state itself, as far as is known."""
    return all(_has_state(task, customer) for customer in addressed)


def _has_state(task: _Task, customer: Customer) -> bool:
    """Whether the store has the customer so; a box that it unticked says `not_subscribed`."""
    state, has = task.change.state, customer.consent(task.address.channel)
    unticked = state is ConsentState.UNSUBSCRIBED and has is ConsentState.NOT_SUBSCRIBED
    from_there = task.change.origin.store_id == task.store_id
    return has is state or (unticked and from_there)


def _is_known(task: _Task) -> bool:
    """Whether what counts as given by the store is what it has.

    It isn't where the change before may have been told and nobody knows the end: the store is then
    told what it may have already, rather than left with what was taken back.
    """
    repository, ref = ConsentRepository(task.workspace), task.change.follows
    for _ in range(_MOST_STEPS):
        before = repository.get(ref) if ref else None
        if before is None:
            return ref is None
        told = before.write_back_to(task.store_id)
        if told is not None:
            return told.leaves_known
        ref = before.follows
    return False


def _attempt(
    task: _Task, telling: Delivery, told: list[Customer], tries: int, consent: AddressConsent
) -> None:
    external_ids = [customer.external_id for customer in told]
    outcome = telling.tell(task.change, external_ids, is_confirmed=consent.is_confirmed)
    now, config = clock.now(), telling.config
    repository = WriteBackRepository(task.workspace)
    if outcome is None:
        _settle(task, task.begun.written(now, is_certain=_note_told(task, told)))
        if config and config.notes_success(now):
            repository.note_success(task.store_id, now)
        return
    if isinstance(outcome, SkipReason):
        _settle(task, task.begun.skipped(outcome, now))
        return
    if outcome.lasts or tries >= TRIES:
        _settle(task, task.begun.failed(outcome.error, now))
    if config:
        repository.note_error(task.store_id, outcome.error)
    try_again(outcome, tries)


def _note_told(task: _Task, told: list[Customer]) -> bool:
    """Lets what the store took count as given by it; whether that is all that the store has.

    Where the store gave something else while it was told, that stays: nobody knows which came last
    there. Each is one write, and comes before the write-back's mark: `_was_taken` says what a run
    that is killed in between has left.
    """
    customers = CustomerRepository(task.workspace)
    noted = [customers.note_told(customer, task.change) for customer in told]
    return all(noted)


def _settle(task: _Task, after: WriteBack) -> None:
    """Writes what became of the write-back; nothing where another run has done so."""
    count(_OUTCOMES[after.status])
    ConsentRepository(task.workspace).settle(task.change, after)
