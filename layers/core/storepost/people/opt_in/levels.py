"""Telling shops that somebody has confirmed who was subscribed already.

The state stays as it is, so there is no new change: the one that holds is told once more, with the
confirmed level. Other stores know no levels.
"""

from storepost.people.consent.decision import AddressConsent
from storepost.people.consent.model import Subject
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.states import ConsentState
from storepost.people.consent.write_back_queue import restart_one, stores_to_update
from storepost.platform.persistence.changes import Changes
from storepost.stores.stores.repository import StoreRepository


def tell_level(changes: Changes, subject: Subject, consent: AddressConsent) -> None:
    """Queues the change that holds for each shop; `consent` is what was known before."""
    holds = consent.holds
    if holds is None or holds.state is not ConsentState.SUBSCRIBED:
        return
    repository = ConsentRepository(subject.workspace, changes.reads)
    stores = StoreRepository(subject.workspace).named(stores_to_update(subject, consent))
    shops = [store.id for store in stores if store.is_active and not store.is_custom]
    if shops and (change := repository.get(holds.change)):
        for store_id in shops:
            restart_one(changes, subject.workspace, change, store_id)
