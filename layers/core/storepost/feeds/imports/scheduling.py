"""Every five minutes, queues the feeds that are due and sets the next time of each."""

from dataclasses import replace

from storepost.feeds.feeds.model import FeedTrigger, next_import_after
from storepost.feeds.feeds.queueing import queue_import
from storepost.feeds.feeds.repository import FeedRepository, due_feeds
from storepost.feeds.feeds.rows import FeedDueItem
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.stores.stores.repository import StoreRepository
from storepost.values import clock
from storepost.values.logs import log_unexpected
from storepost.values.scope import WorkspaceScope


def queue_due_feeds() -> int:
    """Queues the imports that are due; returns how many there were."""
    queued = 0
    for due in due_feeds(clock.now()):
        try:
            queued += commit_anew(lambda changes, due=due: _queue(changes, due))  # type: ignore[misc]
        except Exception as error:  # one feed's failure must not stop the others
            log_unexpected(error)
    return queued


def _queue(changes: Changes, due: FeedDueItem) -> bool:
    """Sets the feed's next time, and queues an import if its store is connected."""
    workspace = WorkspaceScope(due.workspace_id)
    feeds = FeedRepository(workspace)
    feed = feeds.get(due.feed_id)
    if feed is None or feed.deleted_at is not None or feed.next_import_at > clock.now():
        changes.delete(FeedDueItem(*due.key))
        return False
    after = replace(feed, next_import_at=next_import_after(feed.id, clock.now()))
    store = StoreRepository(workspace).get(feed.store_id)
    queued = None
    if store is not None and store.is_active:
        after, queued = queue_import(changes, workspace, after, FeedTrigger.SCHEDULE)
    changes.delete(FeedDueItem(*due.key))
    feeds.due(changes, after)
    feeds.save(changes, after)
    return queued is not None
