"""What people do with feeds."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from storepost import clock, fetching
from storepost.feed_records.mapping import has_id
from storepost.feeds.listing import found_feed
from storepost.feeds.model import Feed, FeedImport, FeedTrigger, Settings, next_import_after
from storepost.feeds.problems import MappingMissingId
from storepost.feeds.queueing import end_open_import, go_on_with, queue_import
from storepost.feeds.repository import FeedImportRepository, FeedRepository
from storepost.ids import new_id
from storepost.persistence.changes import Changes
from storepost.products.in_force import RulesRepository
from storepost.products.rules import Source, SourceKind, product_source_id
from storepost.scope import WorkspaceScope
from storepost.stores.model import Store
from storepost.stores.problems import StoreDisconnected, UrlNotAllowed
from storepost.stores.repository import StoreRepository
from storepost.stores.service import found_store


def create_feed(
    workspace: WorkspaceScope, store_id: UUID, settings: Settings, changes: Changes
) -> Feed:
    """A new feed, the last of its store's product sources, and its first import.

    Raises MappingMissingId, UrlNotAllowed, StoreDisconnected; fails with FeedExists.
    """
    check_settings(settings)
    store = found_store(StoreRepository(workspace), store_id)
    if not store.is_active:
        raise StoreDisconnected()
    identifier, now = new_id(), clock.now()
    feed = Feed(identifier, store.id, settings, now, next_import_after(identifier, now))
    feed = queue_import(changes, workspace, feed, FeedTrigger.CREATED)[0]
    FeedRepository(workspace).add(changes, feed)
    rules = RulesRepository(store)
    held = rules.get().rules
    rules.save(changes, held.with_source(_source(store, feed, held.next_number)))
    return feed


def update_feed(
    workspace: WorkspaceScope, feed_id: UUID, given: Mapping[str, Any], changes: Changes
) -> Feed:
    """Changes a feed; an import is queued unless only its name changed, or its store is away.

    Raises MappingMissingId and UrlNotAllowed; fails with FeedExists.
    """
    feed = found_feed(workspace, feed_id)
    settings = replace(feed.settings, **given)
    check_settings(settings, known_url=feed.settings.url)
    after = replace(feed, settings=settings)
    if after == feed:
        return feed
    store = found_store(StoreRepository(workspace), feed.store_id)
    repository = FeedRepository(workspace)
    if _address(settings) != _address(feed.settings):
        repository.release(changes, feed)
        repository.claim(changes, after)
    if settings.name != feed.settings.name:
        _rename(changes, store, after)
    if replace(settings, name=feed.settings.name) != feed.settings and store.is_active:
        after, _ = queue_import(changes, workspace, after, FeedTrigger.MANUAL)
    repository.save(changes, after)
    return after


def delete_feed(workspace: WorkspaceScope, feed_id: UUID, changes: Changes) -> None:
    """Deletes a feed: it leaves the store's rules, and a worker takes back what it brought."""
    feed = found_feed(workspace, feed_id)
    repository = FeedRepository(workspace)
    repository.release(changes, feed)
    repository.not_due(changes, feed)
    repository.save(changes, replace(feed, deleted_at=clock.now()))
    store = found_store(StoreRepository(workspace), feed.store_id)
    rules = RulesRepository(store)
    held = rules.get().rules
    rules.save(changes, held.without_source(product_source_id(store.id, feed.id)))
    end_open_import(changes, workspace, feed)
    go_on_with(changes, workspace, feed.id)


def request_import(
    workspace: WorkspaceScope, feed_id: UUID, changes: Changes
) -> tuple[FeedImport, bool]:
    """An import that waits: the one that does already, or a new one (then True).

    Raises StoreDisconnected.
    """
    feed = found_feed(workspace, feed_id)
    store = found_store(StoreRepository(workspace), feed.store_id)
    if not store.is_active:
        raise StoreDisconnected()
    after, queued = queue_import(changes, workspace, feed, FeedTrigger.MANUAL)
    if queued is None:
        return _waiting(workspace, feed), False
    FeedRepository(workspace).save(changes, after)
    return queued, True


def _waiting(workspace: WorkspaceScope, feed: Feed) -> FeedImport:
    waiting = FeedImportRepository(workspace, feed.id).get(feed.queued) if feed.queued else None
    if waiting is None:
        raise LookupError("a feed names an import that isn't there")
    return waiting


def check_settings(settings: Settings, known_url: str | None = None) -> None:
    """Raises MappingMissingId and UrlNotAllowed."""
    if not has_id(settings.mapping):
        raise MappingMissingId()
    if settings.url != known_url:
        check_url(settings.url)


def check_url(url: str) -> None:
    """Raises UrlNotAllowed where the guard would never open the address."""
    try:
        fetching.check_url(url, schemes=fetching.HTTP_OR_HTTPS)
    except fetching.UrlNotAllowed as refused:
        raise UrlNotAllowed(refused.reason) from None


def _address(settings: Settings) -> tuple[str, str | None]:
    return settings.url, settings.locale


def _source(store: Store, feed: Feed, number: int) -> Source:
    return Source(
        id=product_source_id(store.id, feed.id),
        kind=SourceKind.FEED,
        source_id=feed.id,
        name=feed.settings.name,
        number=number,
        added_at=feed.created_at,
    )


def _rename(changes: Changes, store: Store, feed: Feed) -> None:
    rules = RulesRepository(store)
    held = rules.get().rules
    sources = [
        replace(source, name=feed.settings.name) if source.source_id == feed.id else source
        for source in held.sources
    ]
    rules.save(changes, replace(held, sources=tuple(sources)))
