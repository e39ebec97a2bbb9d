"""Write-backs of unsubscriptions of people who were erased before the store accepted them."""

from uuid import UUID

from storepost.people.consent.decision import ChangeRef
from storepost.people.consent.missed_write_backs import (
    is_disconnected,
    record_missed,
    takes_no_consent,
)
from storepost.people.consent.model import Address, SkipReason
from storepost.people.consent.owed_opt_outs import (
    OwedOptOut,
    find_owed,
    finish_owed,
    note_owed_attempt,
    note_owed_refusal,
)
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.states import ConsentState
from storepost.people.consent.write_back_messages import OF_ERASED, NamedAttempt, group_of
from storepost.people.consent_changes.delivery import Delivery, delivery_to
from storepost.people.consent_changes.later_attempts import next_attempt_at, queue_attempt
from storepost.people.consent_changes.requests import WriteBackOutcome, WriteBackRefusal
from storepost.people.consent_changes.store_health import note_failure, note_success
from storepost.people.customers.repository import CustomerRepository
from storepost.platform.messaging.tries import TRIES
from storepost.stores.stores.repository import StoreRepository
from storepost.values.scope import WorkspaceScope


def deliver_owed(named: dict[str, UUID], attempt: NamedAttempt, tries: int) -> None:
    """Delivers to a store the opt-out that it is owed of an erased person, if any.

    If all attempts fail, it is sent when the store is connected again. A store that lets us write
    no consent any more is sent it once it does again; for one that never did, nothing is kept.
    """
    workspace, store_id = WorkspaceScope(named["workspaceId"]), named["storeId"]
    ref = ChangeRef(named["profileId"], named["changeId"])
    owed = find_owed(workspace, ref)
    if owed is None or not _is_to_do(owed, store_id, attempt):
        return
    store = StoreRepository(workspace).get(store_id)
    is_active = store is None or store.is_active
    if tries > TRIES or not is_active:
        record_missed(
            workspace, store_id, ref, None if is_active else is_disconnected(workspace, store_id)
        )
        return
    delivery = delivery_to(workspace, store)
    external_ids = _owed_customers(workspace, owed, store_id)
    if delivery is None and store and external_ids and store_id in owed.attempts:
        record_missed(workspace, store_id, ref, takes_no_consent(workspace, store_id))
        return
    if delivery is None or not external_ids:
        finish_owed(workspace, ref, store_id)
        return
    outcome = delivery.deliver(
        owed.change, external_ids, lambda address: owed.is_of(workspace, address)
    )
    _record_outcome(workspace, ref, delivery, attempt, outcome)


def _record_outcome(
    workspace: WorkspaceScope,
    ref: ChangeRef,
    delivery: Delivery,
    attempt: NamedAttempt,
    outcome: WriteBackOutcome,
) -> None:
    """Records the result of an attempt, and queues the next one, if any."""
    store, refusal = delivery.store, outcome.reason
    if refusal is SkipReason.PERMISSION_MISSING:
        note_owed_refusal(workspace, ref, store.id)
        record_missed(workspace, store.id, ref, delivery.is_unchanged)
        return
    if not isinstance(refusal, WriteBackRefusal):
        if refusal is None:
            note_success(store)
        finish_owed(workspace, ref, store.id)
        return
    note_failure(store, needs_people=refusal.needs_people)
    at = next_attempt_at(attempt.number, outcome)
    if at is None:
        note_owed_refusal(workspace, ref, store.id)
        record_missed(workspace, store.id, ref, delivery.is_unchanged)
        return
    following = NamedAttempt(attempt.number + 1, OF_ERASED)
    group = group_of(str(ref.change_id), store.id)
    queue_attempt(workspace, ref, store.id, following, at, group)
    note_owed_attempt(workspace, ref, store.id, attempt.number)


def _is_to_do(owed: OwedOptOut, store_id: UUID, attempt: NamedAttempt) -> bool:
    if store_id not in owed.customers:
        return False
    is_of_these = attempt.number == 1 or attempt.is_of_erased
    return is_of_these and owed.attempts.get(store_id, 0) < attempt.number


def _owed_customers(workspace: WorkspaceScope, owed: OwedOptOut, store_id: UUID) -> list[str]:
    """The store's customers, without those whose address was subscribed again."""
    return [
        external_id
        for external_id in owed.customers[store_id]
        if not _is_subscribed_anew(workspace, owed, store_id, external_id)
    ]


def _is_subscribed_anew(
    workspace: WorkspaceScope, owed: OwedOptOut, store_id: UUID, external_id: str
) -> bool:
    customer = CustomerRepository(workspace).get(store_id, external_id)
    channel = owed.change.channel
    address = customer.address(channel) if customer else None
    if address is None or not owed.is_of(workspace, address):
        return False
    holds = ConsentRepository(workspace).consent_of(Address(channel, address)).holds
    return holds is not None and holds.state is not ConsentState.UNSUBSCRIBED
