"""Telling a store of a change, decided at the moment of writing (semantics, section 2.5).

A message can come twice, late, and after a run that was killed between telling the store and
noting that. So each attempt is noted before it is made: until its end is known, nobody takes what
the store gave last for what it has.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from storepost import clock
from storepost.consent.decision import ChangeRef
from storepost.consent.model import (
    Address,
    ConsentChange,
    SkipReason,
    WriteBack,
    WriteBackStatus,
)
from storepost.consent.repository import ConsentRepository
from storepost.consent_changes.requests import Refusal, tell
from storepost.customers.model import Customer
from storepost.customers.repository import CustomerRepository
from storepost.persistence.changes import Changes, commit_anew
from storepost.profiles.repository import ProfileRepository
from storepost.scope import WorkspaceScope
from storepost.stores.repository import StoreRepository
from storepost.stores.write_back import WriteBackConfig, WriteBackRepository

TRIES = 5


class NotTaken(Exception):  # noqa: N818 - it is what happened
    """The store didn't take the change this time: the queue brings it again."""


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

    def addressed(self, customers: list[Customer]) -> list[Customer]:
        """Those of the customers that are there and whose own address is the changed one."""
        own = [c for c in customers if c.address(self.address.channel) == self.address.value]
        return [customer for customer in own if customer.deleted_at is None]


def write_back(message: str, tries: int) -> None:
    """Tells the store that a message names, if that is still to be done.

    `tries` is how many times the queue brought the message, this one included. Raises `NotTaken`
    where another try may succeed.
    """
    task = _task_of(message)
    if task is None:
        return
    config = WriteBackRepository(task.workspace).get(task.store_id)
    customers = _customers(task)
    reason = _reason_to_skip(task, customers, config)
    if reason is not None:
        _settle(task, WriteBack(task.store_id).skipped(reason, clock.now()))
    elif config is not None:
        _attempt(task, config, task.addressed(customers), tries)


def _task_of(message: str) -> _Task | None:
    """What there is to do; None once it is done, or the change went with its profile."""
    named = {name: UUID(value) for name, value in json.loads(message).items()}
    workspace, store_id = WorkspaceScope(named["workspaceId"]), named["storeId"]
    ref = ChangeRef(named["profileId"], named["changeId"])
    change = ConsentRepository(workspace).get(ref)
    if change is None or change.address is None or not _is_pending(change, store_id):
        return None
    return _Task(workspace, change, Address(change.channel, change.address), store_id)


def _is_pending(change: ConsentChange, store_id: UUID) -> bool:
    held = change.write_back_to(store_id)
    return held is not None and held.status is WriteBackStatus.PENDING


def _customers(task: _Task) -> list[Customer]:
    """The person's customers in the store, deleted ones too."""
    profile = ProfileRepository(task.workspace).get(task.change.profile_id)
    if profile is None:
        return []
    return CustomerRepository(task.workspace).of_profile(profile, task.store_id)


def _reason_to_skip(
    task: _Task, customers: list[Customer], config: WriteBackConfig | None
) -> SkipReason | None:
    store = StoreRepository(task.workspace).get(task.store_id)
    addressed = task.addressed(customers)
    reasons = {
        SkipReason.STORE_DISCONNECTED: store is None or not store.is_active,
        SkipReason.CUSTOMER_DELETED: all(c.deleted_at is not None for c in customers),
        SkipReason.NO_EMAIL: not addressed,
        SkipReason.PERMISSION_MISSING: config is None or store is None or not store.takes_consent,
        SkipReason.SUPERSEDED: _is_superseded(task),
        SkipReason.ALREADY_CURRENT: _is_current(task, addressed),
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def _is_superseded(task: _Task) -> bool:
    held = ConsentRepository(task.workspace).consent_of(task.address).holds
    return held is None or held.change != task.ref


def _is_current(task: _Task, addressed: list[Customer]) -> bool:
    state, channel = task.change.state, task.address.channel
    if ConsentRepository(task.workspace).tried(task.address, task.store_id) - {state}:
        return False  # what the store gave last says nothing: it may have been told otherwise
    from_there = task.change.origin.store_id == task.store_id
    return from_there or all(customer.consent(channel) is state for customer in addressed)


def _attempt(task: _Task, config: WriteBackConfig, told: list[Customer], tries: int) -> None:
    repository = WriteBackRepository(task.workspace)
    _note_try(task)
    refusal = tell(config, task.change, task.store_id, [c.external_id for c in told])
    now = clock.now()
    if refusal is None:
        _settle(task, WriteBack(task.store_id).written(now), told)
        repository.note_success(task.store_id, now)
        return
    if refusal.lasts or tries >= TRIES:
        _settle(task, WriteBack(task.store_id).failed(refusal.error, now))
    repository.note_error(task.store_id, refusal.error)
    _try_again(refusal, tries)


def _try_again(refusal: Refusal, tries: int) -> None:
    if not refusal.lasts and tries < TRIES:
        raise NotTaken()


def _note_try(task: _Task) -> None:
    def note(changes: Changes) -> None:
        repository = ConsentRepository(task.workspace)
        repository.note_try(changes, task.address, task.store_id, task.change.state)

    commit_anew(note)


def _settle(task: _Task, after: WriteBack, told: Iterable[Customer] = ()) -> None:
    """Writes what became of the write-back, once: a run that comes later finds it done."""

    def settle(changes: Changes) -> None:
        repository = ConsentRepository(task.workspace)
        change = repository.get(task.ref)
        if change is None or not _is_pending(change, task.store_id):
            return
        repository.mark(changes, change, after, WriteBackStatus.PENDING)
        if told and _note_given(task, told, changes):
            repository.forget_tries(changes, task.address, task.store_id)

    commit_anew(settle)


def _note_given(task: _Task, told: Iterable[Customer], changes: Changes) -> bool:
    """Lets what was written count as given by the store; whether that is all that the store has.

    Where the store gave something else while it was told, nobody knows which came last there: that
    stays as it is, and so does the note of the attempt.
    """
    state, channel = task.change.state, task.address.channel
    there = {customer.id: customer for customer in _customers(task)}
    certain = True
    for customer in told:
        now = there.get(customer.id)
        if now is None or now.consent(channel) is not customer.consent(channel):
            certain = False
        elif now.consent(channel) is not state:
            CustomerRepository(task.workspace).note_given(changes, now, channel, state)
    return certain
