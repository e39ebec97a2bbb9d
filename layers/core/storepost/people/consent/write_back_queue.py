"""Queues write-backs: messages that send changes to stores, and deliveries that begin again."""

from collections.abc import Collection, Iterable, Sequence
from uuid import UUID

from storepost.people.consent.decision import AddressConsent, ChangeRef
from storepost.people.consent.missed_write_backs import note_missed
from storepost.people.consent.model import ConsentChange, Subject, WriteBack
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.statements import ConsentStatement
from storepost.people.consent.states import ConsentState
from storepost.people.consent.write_back_messages import NamedAttempt, group_of, payload_of
from storepost.people.consent.write_back_statuses import WriteBackStatusRepository
from storepost.platform.messaging.outbox import Queue, send_with
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.scope import WorkspaceScope

MAX_DELIVERIES = 20
"""Deliveries of one change to one store. If a store undoes an accepted change this often, it gets
it again only on request: otherwise the two would loop forever.
"""

STAYS_SUBSCRIBED = "The store took this change several times and goes on sending `subscribed`."


def stores_to_update(subject: Subject, consent: AddressConsent) -> tuple[UUID, ...]:
    """Returns the stores that know the person, and those whose other customers have the address."""
    other_store_ids = {customer.store_id for customer in consent.other_customers}
    return tuple(sorted({*subject.store_ids, *other_store_ids}))


def queue_write_backs(
    changes: Changes,
    workspace: WorkspaceScope,
    change: ConsentChange,
    store_ids: Iterable[UUID],
    attempt: NamedAttempt | None = None,
) -> None:
    """Queues a message for each of the stores, all in one outbox row.

    It is for write-backs that begin again: those of a new change need no row
    (`write_back_relay.py`). `attempt` is given where it isn't the first one.
    """
    ref = ChangeRef(change.profile_id, change.id)
    payloads = {store: payload_of(workspace, ref, store) for store in store_ids}
    bodies = [
        (attempt.added_to(payload) if attempt else payload, group_of(change.address, store))
        for store, payload in payloads.items()
    ]
    if bodies:
        send_with(changes, Queue.WRITE_BACKS, bodies)


def queue_restored(
    changes: Changes,
    repository: ConsentRepository,
    subject: Subject,
    restored: Collection[ChangeRef],
    before: AddressConsent,
    after: AddressConsent,
) -> None:
    """Queues a change that holds again for its stores, however its earlier deliveries ended."""
    holds, store_ids = after.holds, stores_to_update(subject, after)
    change = repository.get(holds.change) if holds and holds.change in restored else None
    if holds and change and store_ids:
        follows = before.holds.change if before.holds else None
        pending = [restarted(change, store_id) for store_id in store_ids]
        WriteBackStatusRepository(subject.workspace).restart(changes, change, pending, follows)
        queue_write_backs(changes, subject.workspace, change, store_ids)


def queue_owed_opt_out(
    changes: Changes,
    repository: ConsentRepository,
    subject: Subject,
    consent: AddressConsent,
    statements: Sequence[ConsentStatement],
) -> tuple[AddressConsent, bool]:
    """Queues the opt-out that holds for each store that sent an opt-in.

    docs/semantics.md, section 2.7 has the rule. Returns the address's consent, with the customer
    added where the change is another profile's, and whether anything was queued: then the caller
    must save the address, so that no concurrent writer changes it.
    """
    holds = consent.holds
    opt_ins = [statement for statement in statements if statement.is_store_opt_in]
    if not opt_ins or holds is None or holds.state is not ConsentState.UNSUBSCRIBED:
        return consent, False
    change = repository.get(holds.change)
    if change is None:
        return consent, False
    for statement in opt_ins:
        if statement.customer and holds.change.profile_id != subject.profile_id:
            consent = consent.with_customer(statement.customer)
    for store_id in {
        statement.origin.store_id for statement in opt_ins if statement.origin.store_id
    }:
        restart_one(changes, subject.workspace, change, store_id)
    return consent, True


def restarted(change: ConsentChange, store_id: UUID) -> WriteBack:
    """Returns the write-back in a new delivery; the first one where the store had none."""
    write_back = change.write_back_to(store_id)
    return write_back.restarted() if write_back else WriteBack(store_id)


def restart_one(
    changes: Changes, workspace: WorkspaceScope, change: ConsentChange, store_id: UUID
) -> None:
    """Queues a change that holds for one store again; the unit of work saves the address, too.

    After 20 deliveries the write-back fails instead.
    """
    repository = WriteBackStatusRepository(workspace)
    current, pending = change.write_back_to(store_id), restarted(change, store_id)
    if pending.delivery_count > MAX_DELIVERIES:
        failed = pending.failed(STAYS_SUBSCRIBED, clock.now())
        repository.begin_one(changes, change, failed, current)
        note_missed(changes, workspace, store_id, ChangeRef(change.profile_id, change.id))
        return
    repository.begin_one(changes, change, pending, current)
    queue_write_backs(changes, workspace, change, (store_id,))
