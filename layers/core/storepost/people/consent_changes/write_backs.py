"""Delivers a change to a store; the worker decides when it writes (docs/semantics.md, section 2.5).

A message can arrive twice, late, or after a run that was killed between writing to the store and
recording that. So the last state that the store sent is trusted only where the change before ended
for certain (docs/adr/0008). A message names its attempt by number, and the next attempt is queued
before this one is recorded: a message whose attempt is recorded is done, and none is lost
(docs/adr/0158).
"""

import json
from functools import partial
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
from storepost.people.consent.states import ConsentState
from storepost.people.consent.write_back_messages import NamedAttempt, series_of
from storepost.people.consent.write_back_queue import restart_one
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
from storepost.platform.persistence.changes import Changes, LostRace, commit_anew
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
"""The metric for each way in which a write-back ends."""


def write_back(message: str, tries: int) -> None:
    """Writes a message's consent change to its store, if that is still due.

    A message without a change is about a store's missed changes, or about its failures. `tries` is
    how many times the queue delivered the message, this one included: more than once after a run
    failed here, whatever the store answered. Raises `NotTaken` where it must be decided again.
    """
    body = json.loads(message)
    if "changeId" not in body:
        _check_store(body)
        return
    named = {name: UUID(body[name]) for name in NAMED}
    task, attempt = _task_of(named), NamedAttempt.of(body)
    if task is None or attempt.is_of_erased:
        # An erased person's change may still exist, and wait for its next attempt.
        deliver_owed(named, attempt, tries)
    elif _is_to_do(task, attempt):
        _try(task, attempt, tries)
    elif attempt.number == 1:
        # The previous release sent owed opt-outs in this form.
        deliver_owed(named, attempt, tries)


def _try(task: Task, attempt: NamedAttempt, tries: int) -> None:
    """Carries out the attempt; records a failure if the queue won't deliver the message again."""
    try:
        check_tries(tries)
        _carry_out(task, attempt, tries)
    except NotTaken:
        raise
    except Exception as error:
        if tries < TRIES:
            raise
        # A person who sees the failure can request a retry.
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
    """Whether the message's attempt is still to be made: it isn't recorded yet, or one is due."""
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
        # The person may have been erased, and the worker may not have removed the change yet.
        deliver_owed(task.named, attempt, tries)
    profile = ProfileRepository(task.workspace, reads).get(task.change.profile_id)
    # For an erased person, the erasure's worker keeps the opt-out that the store is owed.
    if profile is not None:
        _write_to_store(task, profile, consent, reads)


def _write_to_store(task: Task, profile: Profile, consent: AddressConsent, reads: Reads) -> None:
    customers = _customers(task, profile, consent)
    if task.is_contradicted(task.addressed(customers)):
        # An opt-in that the store has just sent may count: the consent was read before it.
        consent = ConsentRepository(task.workspace).consent_of(task.address)
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
    """Records why the store isn't sent the change; one that may be sent later is kept as missed."""
    after = task.pending.skipped(reason, clock.now())
    if reason is SkipReason.STORE_DISCONNECTED and store is not None:
        _finish_as_missed(task, after, is_disconnected(task.workspace, task.store_id))
    elif _is_resent_later(task, reason):
        _finish_as_missed(task, after, takes_no_consent(task.workspace, task.store_id))
    else:
        _finish(task, after)


def _is_resent_later(task: Task, reason: SkipReason) -> bool:
    """Whether it is sent once the store permits it: only an unsubscription is.

    Most stores without an address never get one.
    """
    return reason is SkipReason.PERMISSION_MISSING and task.change.is_opt_out


def _task_of(named: dict[str, UUID]) -> Task | None:
    """The task; None once it is done, or if the change was deleted with its profile."""
    workspace, store_id = WorkspaceScope(named["workspaceId"]), named["storeId"]
    change = ConsentRepository(workspace).get(ChangeRef(named["profileId"], named["changeId"]))
    if change is None or change.address is None or not _is_pending(change, store_id):
        return None
    return Task(workspace, change, Address(change.channel, change.address), store_id)


def _is_pending(change: ConsentChange, store_id: UUID) -> bool:
    stored = change.write_back_to(store_id)
    return stored is not None and stored.status is WriteBackStatus.PENDING


def _keys_of(task: Task) -> list[Key]:
    """The rows that each decision reads, whatever its result."""
    workspace = task.workspace
    return [
        address_key(workspace, task.address),
        profile_key(workspace, task.change.profile_id),
        store_key(workspace, task.store_id),
    ]


def _customers(task: Task, profile: Profile, consent: AddressConsent) -> list[Customer]:
    """The store's customers of the person and of the address, deleted ones too."""
    others = [c for c in consent.other_customers if c.store_id == task.store_id]
    customers = CustomerRepository(task.workspace)
    found = customers.of_profile(profile, task.store_id, others)
    if task.addressed(found):
        return found
    return [*found, *_of_holder(task, profile, customers)]


def _of_holder(task: Task, profile: Profile, customers: CustomerRepository) -> list[Customer]:
    """The store's customers of the profile that has the address now, if that is another one."""
    profiles, identity = ProfileRepository(task.workspace), identity_of(task.address)
    holder = look_up(profiles, [identity]).holder_of(identity)
    if holder is None or holder.id == profile.id:
        return []
    return customers.of_profile(holder, task.store_id)


def _was_taken(task: Task, customers: list[Customer]) -> bool:
    """Whether an earlier, killed run has recorded with each customer that the store accepted it.

    The record must be of this delivery: after an earlier one the store may have got another state.
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
        skipped = task.pending.skipped(reason, clock.now())
        if _is_resent_later(task, reason):
            _finish_as_missed(task, skipped, delivery.is_unchanged)
        else:
            _finish(task, skipped)
    else:
        _note_refused(task, delivery, outcome, reason)


def _note_taken(
    task: Task, delivery: Delivery, recipients: list[Customer], outcome: WriteBackOutcome
) -> None:
    now, config = clock.now(), delivery.config
    is_certain = _note_delivered(task, recipients)
    note_success(delivery.store)
    if is_certain or not _is_begun_again(task, recipients):
        made = task.pending.attempted(outcome.attempt)
        _finish(task, made.written(now, is_certain=is_certain))
    if config and config.notes_success(now):
        WriteBackRepository(task.workspace).note_success(task.store_id, now)


def _note_refused(
    task: Task, delivery: Delivery, outcome: WriteBackOutcome, refusal: WriteBackRefusal
) -> None:
    # Before the write-back is finished: after that, no message is delivered again.
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
    """Records the accepted state as the store's own; returns whether the store surely has it.

    If the store sent another value during the write, that stays: it isn't known which came last
    there. Each customer is one write, made before the write-back's status: after a killed run,
    `_was_taken` finds these records.
    """
    customers = CustomerRepository(task.workspace)
    noted = [customers.note_delivered(customer, task.change) for customer in recipients]
    return all(noted)


def _is_begun_again(task: Task, recipients: list[Customer]) -> bool:
    """Begins another delivery of an opt-out if the store has sent the same `subscribed` meanwhile.

    It asserts nothing, as the store gave it before, but the store may have it after the opt-out.
    """
    customers, channel = CustomerRepository(task.workspace), task.address.channel
    found = (customers.get(each.store_id, each.external_id) for each in recipients)
    now = task.addressed([each for each in found if each])
    is_opted_in = any(each.consent(channel) is ConsentState.SUBSCRIBED for each in now)
    return task.change.is_opt_out and is_opted_in and commit_anew(partial(_begin_again, task=task))


def _begin_again(changes: Changes, task: Task) -> bool:
    """Returns whether another delivery begins: the change holds, and none has begun meanwhile."""
    consents, store_id = ConsentRepository(task.workspace, changes.reads), task.store_id
    consent, change = consents.consent_of(task.address), consents.get(task.ref)
    is_held = consent.holds is not None and consent.holds.change == task.ref
    if change is None or not is_held or change.write_back_to(store_id) != task.pending:
        return False
    restart_one(changes, task.workspace, change, store_id)
    consents.save_consent(changes, task.address, consent)
    return True


def _finish(task: Task, after: WriteBack) -> None:
    """Writes the end of the write-back; does nothing where another run has done so."""
    count(_OUTCOMES[after.status])
    WriteBackStatusRepository(task.workspace).finish(task.change, after)


def _finish_as_missed(
    task: Task, after: WriteBack, precondition: Precondition | None = None
) -> None:
    """Like `_finish`, for a write-back that may be sent another time.

    Raises NotTaken where `precondition` fails: then the message is decided again.
    """
    try:
        finish_as_missed(task.workspace, task.change, after, precondition)
    except LostRace as race:
        if _task_of(task.named) is not None:
            raise NotTaken() from race
    else:
        count(_OUTCOMES[after.status])
