"""Telling a store of a change, decided at the moment of writing (semantics, section 2.5).

A message can come twice, late, and after a run that was killed between telling the store and
noting that. So each attempt is noted before it is made: until its end is known, nobody takes what
the store gave last for what it has.
"""

import json
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
    change = ConsentRepository(workspace).get(ChangeRef(named["profileId"], named["changeId"]))
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
    consent, last = ConsentRepository(task.workspace).told(task.address, task.store_id)
    addressed = task.addressed(customers)
    reasons = {
        SkipReason.STORE_DISCONNECTED: store is None or not store.is_active,
        SkipReason.CUSTOMER_DELETED: all(c.deleted_at is not None for c in customers),
        SkipReason.NO_EMAIL: not addressed,
        SkipReason.PERMISSION_MISSING: config is None or store is None or not store.takes_consent,
        SkipReason.SUPERSEDED: consent.holds is None or consent.holds.change != task.ref,
        SkipReason.ALREADY_CURRENT: _is_current(task, addressed) and _is_certain(task, last),
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def _is_current(task: _Task, addressed: list[Customer]) -> bool:
    """Whether the store gave the state itself, as far as is known."""
    state, channel = task.change.state, task.address.channel
    from_there = task.change.origin.store_id == task.store_id
    return from_there or all(customer.consent(channel) is state for customer in addressed)


def _is_certain(task: _Task, last: ChangeRef | None) -> bool:
    """Whether what the store gave last is what it has: no attempt to tell it otherwise is open.

    An attempt ends with its change's mark. Until then, and where it failed, the store may have been
    told: only telling it again makes that certain.
    """
    if last is None:
        return True
    change = ConsentRepository(task.workspace).get(last)
    told = change.write_back_to(task.store_id) if change else None
    return told is not None and told.is_known


def _attempt(task: _Task, config: WriteBackConfig, told: list[Customer], tries: int) -> None:
    repository = WriteBackRepository(task.workspace)
    ConsentRepository(task.workspace).note_try(task.address, task.store_id, task.ref)
    refusal = tell(config, task.change, task.store_id, [c.external_id for c in told])
    now = clock.now()
    if refusal is None:
        is_certain = _note_given(task, told)
        _settle(task, WriteBack(task.store_id).written(now, is_certain=is_certain))
        if config.notes_success(now):
            repository.note_success(task.store_id, now)
        return
    if refusal.lasts or tries >= TRIES:
        _settle(task, WriteBack(task.store_id).failed(refusal.error, now))
    repository.note_error(task.store_id, refusal.error)
    _try_again(refusal, tries)


def _try_again(refusal: Refusal, tries: int) -> None:
    if not refusal.lasts and tries < TRIES:
        raise NotTaken()


def _note_given(task: _Task, told: list[Customer]) -> bool:
    """Lets what was written count as given by the store; whether it is all that the store has.

    Where the store gave something else while it was told, that stays: nobody knows which came last
    there. Noted before the write-back is marked, so that a run that is killed in between tells the
    store once more instead of taking its own words for the store's.
    """
    customers, channel = CustomerRepository(task.workspace), task.address.channel
    noted = [customers.note_given(customer, channel, task.change.state) for customer in told]
    return all(noted)


def _settle(task: _Task, after: WriteBack) -> None:
    """Writes what became of the write-back; nothing where another run has done so."""
    ConsentRepository(task.workspace).settle(task.ref, after)
