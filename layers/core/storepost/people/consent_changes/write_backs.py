"""The write-back of a change to a store, decided at the moment of writing (docs/semantics.md,
section 2.5).

A message can come twice, late, and after a run that was killed between writing to the store and
noting that. So what the store gave last counts as what it has only where the change before ended
for certain (docs/adr/0008). It names its attempt by number, and the next one is queued before this
one is noted: a message whose attempt was noted is done, and none is lost (docs/adr/0158).
"""

import json
from uuid import UUID

from storepost.people.consent.decision import AddressConsent, ChangeRef
from storepost.people.consent.keys import address_key
from storepost.people.consent.missed_write_backs import (
    Precondition,
    finish_as_missed,
    is_disconnected,
    takes_no_consent,
)
from storepost.people.consent.model import (
    Address,
    ConsentChange,
    SkipReason,
    WriteBack,
    WriteBackStatus,
)
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.resending import queue_missed, resend_of
from storepost.people.consent.write_back_messages import NamedAttempt, series_of
from storepost.people.consent.write_back_statuses import WriteBackStatusRepository
from storepost.people.consent_changes.delivery import Delivery, NotTaken, delivery_to
from storepost.people.consent_changes.later_attempts import next_attempt_at, queue_attempt
from storepost.people.consent_changes.owed_delivery import deliver_owed
from storepost.people.consent_changes.requests import WriteBackOutcome, WriteBackRefusal
from storepost.people.consent_changes.store_health import (
    check_store_health,
    note_failure,
    note_success,
)
from storepost.people.consent_changes.tasks import NAMED, Task, reason_to_skip
from storepost.people.customers.model import Customer
from storepost.people.customers.repository import CustomerRepository
from storepost.people.profiles.consent_summary import identity_of
from storepost.people.profiles.keys import profile_key
from storepost.people.profiles.model import Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.resolution import look_up
from storepost.platform.messaging.tries import TRIES, check_tries
from storepost.platform.persistence.changes import LostRace
from storepost.platform.persistence.item import Key
from storepost.platform.persistence.reads import ReadAhead, Reads
from storepost.stores.stores.model import Store
from storepost.stores.stores.repository import StoreRepository, store_key
from storepost.stores.stores.write_back import WriteBackRepository
from storepost.values import clock
from storepost.values.logs import log_unexpected, log_unknown
from storepost.values.metrics import count
from storepost.values.scope import WorkspaceScope

_OUTCOMES = {
    WriteBackStatus.WRITTEN: "WriteBacksDelivered",
    WriteBackStatus.SKIPPED: "WriteBacksSkipped",
    WriteBackStatus.FAILED: "WriteBacksFailed",
}
"""The metric of each way in which a write-back ends."""


def write_back(message: str, tries: int) -> None:
    """Writes a consent change to the store that a message names, if that is still to be done.

    A message that names no change is about what a store hasn't taken, or about its failures.

    `tries` is how many times the queue delivered the message, this one included: more than once
    where a run failed here, whatever the store did. Raises `NotTaken` where it is to be decided
    anew.
    """
    body = json.loads(message)
    if "changeId" not in body:
        _check_store(body)
        return
    named = {name: UUID(body[name]) for name in NAMED}
    task, attempt = _task_of(named), NamedAttempt.of(body)
    if task is None or attempt.is_of_erased:
        # The change of somebody who was erased may still be there, and wait for its next attempt.
        deliver_owed(named, attempt, tries)
    elif _is_to_do(task, attempt):
        _try(task, attempt, tries)
    elif attempt.number == 1:
        # The release before sent what is owed so.
        deliver_owed(named, attempt, tries)


def _try(task: Task, attempt: NamedAttempt, tries: int) -> None:
    """Does what the message asks for, or notes that it failed where nothing delivers that again."""
    try:
        check_tries(tries)
        _carry_out(task, attempt, tries)
    except NotTaken:
        raise
    except Exception as error:
        if tries < TRIES:
            raise
        # Somebody who sees that it failed can have it retried.
        log_unexpected(error)
        _finish_as_missed(
            task, task.pending.failed("The change couldn't be sent to the store.", clock.now())
        )


def _check_store(body: dict[str, str]) -> None:
    workspace = WorkspaceScope(UUID(body["workspaceId"]))
    if "failingStore" in body:
        check_store_health(workspace, UUID(body["failingStore"]))
    elif (resend := resend_of(body)).cause.is_known:
        queue_missed(workspace, resend)
    else:
        log_unknown("cause", resend.cause)


def _is_to_do(task: Task, attempt: NamedAttempt) -> bool:
    """Whether the message's attempt is still to be made: it wasn't noted, or one is due."""
    pending = task.pending
    is_first = attempt.number == 1
    is_of_these = is_first or attempt.since == series_of(pending.pending_since)
    if is_of_these and len(pending.attempts) < attempt.number:
        return True
    return pending.next_attempt_at is not None and pending.next_attempt_at <= clock.now()


def _carry_out(task: Task, attempt: NamedAttempt, tries: int) -> None:
    reads = ReadAhead()
    reads.prefetch(_keys_of(task))
    consent = ConsentRepository(task.workspace, reads).consent_of(task.address)
    if consent.holds is None or consent.erased_at:
        # The person may have been erased since, and the worker may still be to remove the change.
        deliver_owed(task.named, attempt, tries)
    profile = ProfileRepository(task.workspace, reads).get(task.change.profile_id)
    # Of an erased person the worker that removes what they have left keeps it for the store.
    if profile is not None:
        _write_to_store(task, profile, consent, reads)


def _write_to_store(task: Task, profile: Profile, consent: AddressConsent, reads: Reads) -> None:
    customers = _customers(task, profile, consent)
    store = StoreRepository(task.workspace, reads).get(task.store_id)
    if _was_taken(task, customers):
        if store is not None:
            note_success(store)
        _finish(task, task.pending.written(clock.now()))
        return
    delivery = delivery_to(task.workspace, store)
    reason = reason_to_skip(task, consent, customers, store, delivery)
    if reason is not None:
        _skip(task, store, reason)
    elif delivery is not None:
        addressed = task.addressed(customers)
        _attempt(task.dated(consent, addressed), delivery, addressed, consent)


def _skip(task: Task, store: Store | None, reason: SkipReason) -> None:
    """Notes why nothing is sent to the store; what may be sent another time isn't lost."""
    after = task.pending.skipped(reason, clock.now())
    if reason is SkipReason.STORE_DISCONNECTED and store is not None:
        _finish_as_missed(task, after, is_disconnected(task.workspace, task.store_id))
    elif _is_kept_for_later(task, reason):
        _finish_as_missed(task, after, takes_no_consent(task.workspace, task.store_id))
    else:
        _finish(task, after)


def _is_kept_for_later(task: Task, reason: SkipReason) -> bool:
    """Whether it is sent once the store permits it: an unsubscription alone.

    Most stores without an address never get one.
    """
    return reason is SkipReason.PERMISSION_MISSING and task.change.is_opt_out


def _task_of(named: dict[str, UUID]) -> Task | None:
    """What there is to do; None once it is done, or the change went with its profile."""
    workspace, store_id = WorkspaceScope(named["workspaceId"]), named["storeId"]
    change = ConsentRepository(workspace).get(ChangeRef(named["profileId"], named["changeId"]))
    if change is None or change.address is None or not _is_pending(change, store_id):
        return None
    return Task(workspace, change, Address(change.channel, change.address), store_id)


def _is_pending(change: ConsentChange, store_id: UUID) -> bool:
    stored = change.write_back_to(store_id)
    return stored is not None and stored.status is WriteBackStatus.PENDING


def _keys_of(task: Task) -> list[Key]:
    """The rows that each write-back is decided on, whichever way it ends."""
    workspace = task.workspace
    return [
        address_key(workspace, task.address),
        profile_key(workspace, task.change.profile_id),
        store_key(workspace, task.store_id),
    ]


def _customers(task: Task, profile: Profile, consent: AddressConsent) -> list[Customer]:
    """The store's customers of the person, and of the address, deleted ones too."""
    others = [c for c in consent.other_customers if c.store_id == task.store_id]
    customers = CustomerRepository(task.workspace)
    found = customers.of_profile(profile, task.store_id, others)
    if task.addressed(found):
        return found
    return [*found, *_of_holder(task, profile, customers)]


def _of_holder(task: Task, profile: Profile, customers: CustomerRepository) -> list[Customer]:
    """The store's customers of whoever has the address now, where that is somebody else."""
    profiles, identity = ProfileRepository(task.workspace), identity_of(task.address)
    holder = look_up(profiles, [identity]).holder_of(identity)
    if holder is None or holder.id == profile.id:
        return []
    return customers.of_profile(holder, task.store_id)


def _was_taken(task: Task, customers: list[Customer]) -> bool:
    """Whether a run that was killed since has noted with each customer that the store took it.

    It must have noted this delivery: after an earlier one the store may have got another state.
    """
    delivery_id = task.change.delivery_id_for(task.store_id)
    noted = [c.delivered(task.address.channel) == delivery_id for c in task.addressed(customers)]
    return bool(noted) and all(noted)


def _attempt(
    task: Task, delivery: Delivery, recipients: list[Customer], consent: AddressConsent
) -> None:
    external_ids = [customer.external_id for customer in recipients]
    outcome = delivery.deliver(task.change, external_ids, is_confirmed=consent.is_confirmed)
    reason = outcome.reason
    if reason is None:
        _note_taken(task, delivery, recipients, outcome)
    elif isinstance(reason, SkipReason):
        finish = _finish_as_missed if _is_kept_for_later(task, reason) else _finish
        finish(task, task.pending.skipped(reason, clock.now()))
    else:
        _note_refused(task, delivery, outcome, reason)


def _note_taken(
    task: Task, delivery: Delivery, recipients: list[Customer], outcome: WriteBackOutcome
) -> None:
    now, config = clock.now(), delivery.config
    is_certain = _note_delivered(task, recipients)
    note_success(delivery.store)
    made = task.pending.attempted(outcome.attempt)
    _finish(task, made.written(now, is_certain=is_certain))
    if config and config.notes_success(now):
        WriteBackRepository(task.workspace).note_success(task.store_id, now)


def _note_refused(
    task: Task, delivery: Delivery, outcome: WriteBackOutcome, refusal: WriteBackRefusal
) -> None:
    # Before the write-back is finished: after that, nothing delivers the message again.
    note_failure(delivery.store, needs_people=refusal.needs_people)
    at = next_attempt_at(len(task.pending.attempts) + 1, outcome)
    made = task.pending.attempted(outcome.attempt, at)
    if at is None:
        failed = made.failed(refusal.error, clock.now())
        _finish_as_missed(task, failed, delivery.is_unchanged)
    else:
        queue_attempt(task.workspace, task.ref, task.store_id, task.next_attempt, at, task.group)
        WriteBackStatusRepository(task.workspace).note_attempt(task.change, task.pending, made)
    if delivery.config:
        WriteBackRepository(task.workspace).note_error(task.store_id, refusal.error)


def _note_delivered(task: Task, recipients: list[Customer]) -> bool:
    """Lets what the store took count as given by it; whether that is all that the store has.

    Where the store sent something else during the write, that stays: nobody knows which came last
    there. Each is one write, and comes before the write-back's mark: `_was_taken` says what a run
    that is killed in between has left.
    """
    customers = CustomerRepository(task.workspace)
    noted = [customers.note_delivered(customer, task.change) for customer in recipients]
    return all(noted)


def _finish(task: Task, after: WriteBack) -> None:
    """Writes what became of the write-back; nothing where another run has done so."""
    count(_OUTCOMES[after.status])
    WriteBackStatusRepository(task.workspace).finish(task.change, after)


def _finish_as_missed(
    task: Task, after: WriteBack, precondition: Precondition | None = None
) -> None:
    """The same, where it may be sent another time.

    Raises NotTaken where `demand` doesn't hold any more: then it is decided anew.
    """
    try:
        finish_as_missed(task.workspace, task.change, after, precondition)
    except LostRace as race:
        if _task_of(task.named) is not None:
            raise NotTaken() from race
    else:
        count(_OUTCOMES[after.status])
