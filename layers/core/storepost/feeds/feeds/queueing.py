"""Queues a feed's imports, runs them in turn and ends them."""

from dataclasses import replace

from storepost.feeds.feeds.messages import FeedImportMessage
from storepost.feeds.feeds.model import (
    Feed,
    FeedImport,
    FeedImportStatus,
    FeedTrigger,
)
from storepost.feeds.feeds.repository import FeedImportRepository, FeedRepository
from storepost.feeds.files.failures import FeedFailure
from storepost.platform.messaging.messages import send
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.ids import timed_id
from storepost.values.scope import WorkspaceScope


def queue_import(
    changes: Changes, workspace: WorkspaceScope, feed: Feed, trigger: FeedTrigger
) -> tuple[Feed, FeedImport | None]:
    """Returns the feed with a queued import, which is new unless one was queued already.

    The worker gets a message in any case: the message of an import that was already queued may have
    been lost. The caller saves the feed; the import is None if none was added.
    """
    if feed.queued is not None:
        send(changes, FeedImportMessage(workspace.id, feed.id))
        return feed, None
    return _queued(changes, workspace, feed, trigger)


def import_by_hand(
    changes: Changes, workspace: WorkspaceScope, feed: Feed
) -> tuple[Feed, FeedImport]:
    """Returns the feed with a queued import that is manual: a scheduled one becomes manual.

    The worker gets a message in any case: the message of an import that was already queued may have
    been lost. The caller must save the feed in any case, so that the import can't start meanwhile.
    """
    if feed.queued is None:
        return _queued(changes, workspace, feed, FeedTrigger.MANUAL)
    repository = FeedImportRepository(workspace, feed.id)
    waiting = repository.get(feed.queued)
    if waiting is None:
        raise LookupError("a feed names an import that isn't there")
    send(changes, FeedImportMessage(workspace.id, feed.id))
    if waiting.trigger is not FeedTrigger.SCHEDULE:
        return feed, waiting
    manual = replace(waiting, trigger=FeedTrigger.MANUAL)
    repository.save(changes, waiting, manual)
    return feed, manual


def _queued(
    changes: Changes, workspace: WorkspaceScope, feed: Feed, trigger: FeedTrigger
) -> tuple[Feed, FeedImport]:
    queued_at = feed.next_moment(clock.now())
    queued = FeedImport(
        id=timed_id(queued_at),
        feed_id=feed.id,
        status=FeedImportStatus.QUEUED,
        trigger=trigger,
        queued_at=queued_at,
    )
    FeedImportRepository(workspace, feed.id).add(changes, queued)
    send(changes, FeedImportMessage(workspace.id, feed.id))
    return feed.with_queued(queued), queued


def in_turn(workspace: WorkspaceScope, feed: Feed) -> FeedImport | None:
    """Returns the running import, else the queued one; None if nothing is open."""
    current = feed.running or feed.queued
    return FeedImportRepository(workspace, feed.id).get(current) if current else None


def start_import(
    changes: Changes, workspace: WorkspaceScope, feed: Feed, queued: FeedImport
) -> FeedImport:
    """Starts the queued import and returns it."""
    started = replace(queued, status=FeedImportStatus.RUNNING, started_at=clock.now())
    FeedImportRepository(workspace, feed.id).save(changes, queued, started)
    FeedRepository(workspace).save(changes, feed.with_started())
    return started


def end_import(
    changes: Changes, workspace: WorkspaceScope, feed: Feed, before: FeedImport, ended: FeedImport
) -> Feed:
    """Ends the import whose turn it was; returns the feed after that."""
    FeedImportRepository(workspace, feed.id).save(changes, before, ended)
    after = feed.with_ended(before, ended)
    FeedRepository(workspace).save(changes, after)
    return after


def end_open_import(changes: Changes, workspace: WorkspaceScope, feed: Feed) -> None:
    """Fails the running import of a deleted feed, so that it writes nothing more."""
    repository = FeedImportRepository(workspace, feed.id)
    running = repository.get(feed.running) if feed.running else None
    if running:
        repository.save(changes, running, running.failed(FeedFailure.IMPORT_FAILED, clock.now()))
