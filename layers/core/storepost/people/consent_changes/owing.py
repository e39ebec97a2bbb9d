"""Telling stores of unsubscriptions of people who were erased before the store took them."""

from uuid import UUID

from storepost.people.consent.decision import ChangeRef
from storepost.people.consent.missed import is_away, miss
from storepost.people.consent.model import Address, SkipReason
from storepost.people.consent.owed import OwedOptOut, find_owed, finish_owed
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.states import ConsentState
from storepost.people.consent_changes.delivery import delivery_to, try_again
from storepost.people.consent_changes.failing import note_failure, note_success
from storepost.people.consent_changes.requests import WriteBackRefusal
from storepost.people.customers.repository import CustomerRepository
from storepost.platform.messaging.tries import TRIES
from storepost.stores.stores.model import Store
from storepost.stores.stores.repository import StoreRepository
from storepost.values.scope import WorkspaceScope


def deliver_owed(named: dict[str, UUID], tries: int) -> None:
    """Writes to a store what is owed to it of an erased person's change, if anything is.

    What it doesn't take, it is told when it is connected again. Raises NotTaken where
    another try may succeed.
    """
    workspace, store_id = WorkspaceScope(named["workspaceId"]), named["storeId"]
    ref = ChangeRef(named["profileId"], named["changeId"])
    owed = find_owed(workspace, ref)
    if owed is None or store_id not in owed.customers or tries > TRIES:
        return
    store = StoreRepository(workspace).get(store_id)
    if store is not None and not store.is_active:
        miss(workspace, store_id, ref, is_away(workspace, store_id))
        return
    external_ids = _owed_customers(workspace, owed, store_id)
    delivery = delivery_to(workspace, store)
    outcome: WriteBackRefusal | SkipReason | None = None
    if delivery and external_ids:
        outcome = delivery.deliver(
            owed.change, external_ids, lambda address: owed.is_of(workspace, address)
        )
        _note(store, outcome)
    if isinstance(outcome, WriteBackRefusal):
        try_again(outcome, tries)
        miss(workspace, store_id, ref, delivery.is_unchanged if delivery else None)
        return
    finish_owed(workspace, ref, store_id)


def _note(store: Store | None, outcome: WriteBackRefusal | SkipReason | None) -> None:
    if store is not None and isinstance(outcome, WriteBackRefusal):
        note_failure(store, needs_people=outcome.needs_people)
    elif store is not None and outcome is None:
        note_success(store)


def _owed_customers(workspace: WorkspaceScope, owed: OwedOptOut, store_id: UUID) -> list[str]:
    """The store's customers, without those whose address was subscribed anew."""
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
