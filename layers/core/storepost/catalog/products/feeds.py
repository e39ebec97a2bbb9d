"""Feeds as sources of a store's products: the functions that the feeds' packages call."""

from datetime import datetime
from uuid import UUID

from storepost.catalog.products.in_force import RulesRepository
from storepost.catalog.products.rules import RankedSource, Rules, SourceKind, product_source_id
from storepost.catalog.products.store_terms_worker import queue_removed
from storepost.platform.persistence.changes import Changes
from storepost.stores.stores.model import Store
from storepost.values import clock


def add_feed(changes: Changes, store: Store, feed_id: UUID, name: str) -> int:
    """Adds a new feed as the last of the store's sources; returns its rank, from 1."""
    repository = RulesRepository(store)
    rules = repository.get().rules
    source = RankedSource(
        id=product_source_id(store.id, feed_id),
        kind=SourceKind.FEED,
        source_id=feed_id,
        name=name,
        number=rules.next_number,
        added_at=clock.now(),
    )
    repository.save(changes, rules.with_source(source))
    return len(rules.sources) + 1


def rename_feed(changes: Changes, store: Store, feed_id: UUID, name: str) -> None:
    """Renames a feed, which changes no product."""
    RulesRepository(store).note(changes, feed_id, name=name)


def note_import(changes: Changes, store: Store, feed_id: UUID, completed_at: datetime) -> None:
    """Records that an import of a feed was completed: it saw all of the feed's live records."""
    RulesRepository(store).note(changes, feed_id, imported_at=completed_at)


def delete_source(changes: Changes, store: Store, feed_id: UUID) -> None:
    """Removes a feed from the rules: from then on its records don't count.

    Lists show that once each of its products is written again, by `remove_layer`. Products that it
    had lost before are resolved again by the products' worker.
    """
    repository = RulesRepository(store)
    rules = repository.get().rules
    repository.save(changes, rules.without_source(product_source_id(store.id, feed_id)))
    queue_removed(changes, store)


def rules_of(store: Store) -> Rules:
    """Returns the rules in force, which know each feed's rank."""
    return RulesRepository(store).get().rules
