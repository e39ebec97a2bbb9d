"""A store's primary locale and currencies, by which its products are resolved."""

from collections.abc import Sequence
from uuid import UUID

from storepost.catalog.products.in_force import RulesRepository, terms_of
from storepost.catalog.products.store_terms_worker import queue_store_terms
from storepost.platform.persistence.changes import Changes
from storepost.stores.stores import service
from storepost.stores.stores.finding import custom_store
from storepost.stores.stores.model import Store, StoreLocale
from storepost.stores.stores.repository import StoreRepository
from storepost.stores.stores.service import CustomStore
from storepost.values.scope import WorkspaceScope


def connect_store(
    workspace: WorkspaceScope, store_values: CustomStore, changes: Changes
) -> tuple[Store, bool]:
    """Connects a new or a disconnected store; returns it, and whether it is new.

    Previews of changes of its rules become stale if its terms differ from before.
    """
    store, before = service.connect_store(workspace, store_values, changes)
    if before is not None:
        update_terms(changes, before, store)
    return store, before is None


def set_locales(
    workspace: WorkspaceScope, store_id: UUID, locales: Sequence[StoreLocale], changes: Changes
) -> Store:
    """Replaces a custom store's locales; previews of changes of its rules become stale."""
    before = custom_store(StoreRepository(workspace), store_id)
    after = service.set_locales(workspace, store_id, locales, changes)
    update_terms(changes, before, after)
    return after


def update_terms(changes: Changes, before: Store, after: Store) -> None:
    """Moves the store's marks on where products become something else by what the store says now.

    What was resolved before loses the race, and what was previewed is stale; a worker brings the
    products up to it.
    """
    if _stated_terms(before) == _stated_terms(after):
        return
    RulesRepository(after).save_terms(changes)
    queue_store_terms(changes, after)


def _stated_terms(store: Store) -> tuple[str, str, dict[str, str]]:
    terms = terms_of(store)
    others = {name: code for name, code in terms.currencies.items() if code != terms.currency}
    return terms.primary_locale, terms.currency, others
