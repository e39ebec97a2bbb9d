"""Creates, changes, deletes and imports feeds for people."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from storepost.catalog.products.feeds import add_feed, delete_source, rename_feed
from storepost.feeds.feeds.listing import FeedView, feed_view, found_feed
from storepost.feeds.feeds.messages import FeedImportMessage
from storepost.feeds.feeds.model import (
    Feed,
    FeedImport,
    FeedSettings,
    FeedTrigger,
    next_import_after,
)
from storepost.feeds.feeds.problems import MappingMissingId, url_refused
from storepost.feeds.feeds.queueing import (
    end_open_import,
    import_by_hand,
    queue_import,
)
from storepost.feeds.feeds.repository import FeedRepository
from storepost.feeds.records.mapping import has_id
from storepost.platform import fetching
from storepost.platform.messaging.messages import send
from storepost.platform.persistence.changes import Changes
from storepost.stores.stores.finding import found_store, store_in_body
from storepost.stores.stores.problems import StoreDisconnected
from storepost.stores.stores.repository import StoreRepository
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.scope import WorkspaceScope


def create_feed(
    workspace: WorkspaceScope, store_id: UUID, settings: FeedSettings, changes: Changes
) -> FeedView:
    """Creates a feed, the last of its store's product sources, and queues its first import.

    Raises MappingMissingId, UrlNotAllowed, StoreDisconnected; fails with FeedExists.
    """
    store = store_in_body(StoreRepository(workspace), store_id)
    check_settings(settings)
    if not store.is_active:
        raise StoreDisconnected()
    identifier, now = new_id(), clock.now()
    feed = Feed(identifier, store.id, settings, now, next_import_after(identifier, now))
    feed, queued = queue_import(changes, workspace, feed, FeedTrigger.CREATED)
    repository = FeedRepository(workspace)
    repository.save(changes, feed)
    repository.claim(changes, feed)
    repository.due(changes, feed)
    return FeedView(feed, store, add_feed(changes, store, feed.id, settings.name), queued)


def update_feed(
    workspace: WorkspaceScope, feed_id: UUID, fields: Mapping[str, Any], changes: Changes
) -> FeedView:
    """Changes a feed; queues an import unless its name alone changed or the store is disconnected.

    Raises MappingMissingId and UrlNotAllowed; fails with FeedExists.
    """
    feed = found_feed(workspace, feed_id)
    before, settings = feed.settings, replace(feed.settings, **fields)
    check_settings(settings, known_url=before.url)
    view = feed_view(workspace, feed)
    if _are_same(settings, before):
        return view
    after, queued = replace(feed, settings=settings), None
    repository = FeedRepository(workspace)
    if (settings.url, settings.locale) != (before.url, before.locale):
        repository.release(changes, feed)
        repository.claim(changes, after)
    if settings.name != before.name:
        rename_feed(changes, view.store, feed.id, settings.name)
    if not _are_same(replace(settings, name=before.name), before) and view.store.is_active:
        after, queued = import_by_hand(changes, workspace, after)
    repository.save(changes, after)
    return replace(
        view,
        feed=after,
        latest=view.latest if after.running else queued or view.latest,
    )


def _are_same(settings: FeedSettings, before: FeedSettings) -> bool:
    """Returns whether nothing differs, the order of the columns included: it decides, too."""
    return settings == before and [*settings.mapping] == [*before.mapping]


def delete_feed(workspace: WorkspaceScope, feed_id: UUID, changes: Changes) -> None:
    """Deletes a feed: it leaves the store's rules, and a worker removes what it imported."""
    feed = found_feed(workspace, feed_id)
    repository = FeedRepository(workspace)
    repository.release(changes, feed)
    repository.not_due(changes, feed)
    repository.save(changes, replace(feed, deleted_at=clock.now()))
    store = found_store(StoreRepository(workspace), feed.store_id)
    delete_source(changes, store, feed.id)
    end_open_import(changes, workspace, feed)
    send(changes, FeedImportMessage(workspace.id, feed.id))


def request_import(
    workspace: WorkspaceScope, feed_id: UUID, changes: Changes
) -> tuple[FeedImport, bool]:
    """Returns the queued import, and whether it is new; one that was queued becomes manual.

    Raises StoreDisconnected.
    """
    feed = found_feed(workspace, feed_id)
    store = found_store(StoreRepository(workspace), feed.store_id)
    if not store.is_active:
        raise StoreDisconnected()
    after, waiting = import_by_hand(changes, workspace, feed)
    FeedRepository(workspace).save(changes, after)
    return waiting, feed.queued is None


def check_settings(settings: FeedSettings, known_url: str | None = None) -> None:
    """Raises MappingMissingId and UrlNotAllowed."""
    if not has_id(settings.mapping):
        raise MappingMissingId()
    if settings.url != known_url:
        check_url(settings.url)


def check_url(url: str) -> None:
    """Raises UrlNotAllowed if the guard would never open the address."""
    try:
        fetching.check_url(url, schemes=fetching.HTTP_OR_HTTPS)
    except fetching.UrlNotAllowed as refused:
        raise url_refused(refused.reason) from None
