"""The worker: runs a feed's open imports in turn, until none is left or the time is up.

A message names the feed alone. An import's row stores its progress, which each chunk's transaction
updates; when a run stops, it puts the rows that it has resolved on S3. So a message may arrive
twice, late, or after a run that was killed anywhere: nothing is written before all rows are
resolved, and from then on each product once.
"""

from functools import partial

from storepost.feeds.feeds.messages import FeedImportMessage
from storepost.feeds.feeds.model import Feed, FeedImport, FeedImportStatus
from storepost.feeds.feeds.queueing import end_import, in_turn, start_import
from storepost.feeds.files.failures import FeedFailure, FeedUnusable
from storepost.feeds.imports.deleting import delete_feed_contents
from storepost.feeds.imports.file_formats import UnknownFormat
from storepost.feeds.imports.import_run import FeedImportRun
from storepost.feeds.imports.run import FeedRun
from storepost.platform.jobs.runs import Run, Superseded
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.objects import ObjectGone
from storepost.platform.persistence.write_marks import WriteMark, marking
from storepost.stores.stores.finding import found_store
from storepost.stores.stores.repository import StoreRepository
from storepost.values import clock
from storepost.values.logs import log_unexpected
from storepost.values.scratch import scratch

FRESH_MILLISECONDS = 250_000
"""What a run should have left before it begins to fetch a file, which takes 200 seconds at most."""


def resume(message_run: Run[FeedImportMessage]) -> None:
    """Continues with a feed.

    A permanent failure ends the import in which it occurs. If there is no import, as when a deleted
    feed's products are removed, it is raised, and the message goes to the dead-letter queue.
    """
    run = FeedRun(message_run.message, message_run.tries, message_run.remaining)
    give_up = partial(_fail_current, run=run)
    run.attempt(lambda: _work(run), lambda _error: commit_anew(give_up))


def _work(run: FeedRun) -> None:
    start = partial(_start_if_queued, run=run)
    while running := commit_anew(start):
        _import(run, running)
        _stop_before_next(run)
    _delete_products(run)


def _stop_before_next(run: FeedRun) -> None:
    """Leaves the next import to the next run, if a download might take longer than the time left.

    Also if this run's message failed before: those tries were the last import's.
    """
    feed = run.feed()
    if feed and feed.queued and (run.tries > 1 or run.remaining() < FRESH_MILLISECONDS):
        run.stop()


def _delete_products(run: FeedRun) -> None:
    feed = run.feed()
    if feed is None:
        run.files.delete_manifest()  # a late run may have put it
        return
    if feed.deleted_at is None:
        return
    store = found_store(StoreRepository(run.message.workspace), feed.store_id)
    if not delete_feed_contents(store, feed, run.is_over):
        run.stop()


def _start_if_queued(changes: Changes, run: FeedRun) -> FeedImport | None:
    """Returns the import whose turn it is, running; None if nothing is open."""
    feed = run.feed()
    if feed is None or feed.deleted_at is not None:
        return None
    found = in_turn(run.message.workspace, feed)
    if found is None or found.status is FeedImportStatus.RUNNING:
        return found
    return start_import(changes, run.message.workspace, feed, found)


def _import(run: FeedRun, running: FeedImport) -> None:
    """Runs the import to its end."""
    try:
        with scratch() as directory, marking(WriteMark.IMPORT):
            FeedImportRun(run, directory).run(running)
    except Superseded:
        return
    except FeedUnusable as unusable:
        _fail(run, running, unusable.why)
    except (ObjectGone, UnknownFormat) as error:
        log_unexpected(error)
        _fail(run, running, FeedFailure.IMPORT_FAILED)


def _fail(run: FeedRun, running: FeedImport, why: FeedFailure) -> None:
    """Fails the import, if it still runs."""

    def write(changes: Changes) -> None:
        feed = run.feed()
        if feed and not feed.deleted_at and feed.running == running.id:
            _end_failed(changes, run, feed, why)

    commit_anew(write)


def _fail_current(changes: Changes, run: FeedRun) -> bool:
    """Fails the import whose turn it is, begun or not; returns False for a deleted feed."""
    feed = run.feed()
    if feed is not None and feed.deleted_at is None:
        after = _end_failed(changes, run, feed, FeedFailure.IMPORT_FAILED)
        if after.queued:
            run.send_next(changes)
    return feed is None or feed.deleted_at is None


def _end_failed(changes: Changes, run: FeedRun, feed: Feed, why: FeedFailure) -> Feed:
    current = in_turn(run.message.workspace, feed)
    if current is None:
        return feed
    return end_import(
        changes, run.message.workspace, feed, current, current.failed(why, clock.now())
    )
