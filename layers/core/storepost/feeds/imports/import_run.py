"""Runs an import to its end: fetches, resolves and writes it, beginning at its current stage."""

import time
from dataclasses import dataclass, replace
from itertools import batched
from pathlib import Path

from storepost.catalog.products.feeds import note_import
from storepost.catalog.products.writing import ProductSource
from storepost.feeds.feeds.listing import MAX_SKIPPED
from storepost.feeds.feeds.model import FeedImport, FeedImportStatus, FeedTrigger, Stage
from storepost.feeds.feeds.queueing import end_import
from storepost.feeds.feeds.repository import SKIPPED_TOGETHER
from storepost.feeds.files.bounds import Bound
from storepost.feeds.files.failures import FeedFailure, FeedUnusable
from storepost.feeds.files.reading import read_feed
from storepost.feeds.imports.fetching import fetch_into
from storepost.feeds.imports.matching import adds, defaults_of, digest_of, finder
from storepost.feeds.imports.plan import Plan
from storepost.feeds.imports.plan_writing import PlanWriter
from storepost.feeds.imports.run import FeedRun
from storepost.feeds.imports.staging import FeedStaging
from storepost.feeds.imports.writing import READ_AHEAD
from storepost.feeds.records.samples import reader_of
from storepost.platform.jobs.runs import OutOfTime, Superseded
from storepost.platform.persistence.changes import (
    Changes,
    LostRace,
    commit_anew,
    until_won,
)
from storepost.platform.persistence.objects import ObjectChanged
from storepost.stores.stores.finding import found_store
from storepost.stores.stores.model import Store
from storepost.stores.stores.repository import StoreRepository
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.metrics import count

PIECE_BYTES = 65_536
PROGRESS_SECONDS = 5.0
"""How often an import saves how much it has fetched, read and matched: people watch it."""


class FeedImportRun:
    """One run's work on one import, with the import's files on disk."""

    def __init__(self, run: FeedRun, directory: Path) -> None:
        self._run = run
        self._directory = directory
        feed = run.feed()
        if feed is None or feed.deleted_at is not None:
            raise Superseded
        self._feed = feed
        self._store: Store = found_store(StoreRepository(run.message.workspace), feed.store_id)
        self._settings = digest_of(self._store, feed.settings)
        self._manifest_version: str | None = None

    def run(self, running: FeedImport) -> None:
        """Fetches, resolves and writes the import, beginning at its current stage.

        Once it may have written a part it goes on, whether the store is connected or not. Raises
        FeedUnusable.
        """
        if running.stage is not Stage.PLANNED and not self._store.is_active:
            raise FeedUnusable(FeedFailure.IMPORT_FAILED)
        running = self._planned(self._fetched(running))
        if running.stage is Stage.PLANNED:
            running = self._written(running)
        self._put_manifest(self._new_manifest)
        commit_anew(lambda changes: self._complete(changes, running))
        self._run.files.delete_files(running.id, running.plan)

    def _fetched(self, running: FeedImport) -> FeedImport:
        if running.stage is not Stage.STARTED:
            return running
        saved_at = time.monotonic()

        def on_progress(received: int) -> None:
            nonlocal running, saved_at
            if time.monotonic() - saved_at >= PROGRESS_SECONDS:
                running = self._advanced(running, replace(running, bytes=received))
                saved_at = time.monotonic()

        fetched = fetch_into(self._file, self._feed.settings.url, on_progress)
        self._run.files.put_file(running.id, self._file)
        after = replace(running, stage=Stage.FETCHED, bytes=fetched.bytes)
        return self._advanced(running, replace(after, content_type=fetched.content_type))

    def _planned(self, running: FeedImport) -> FeedImport:
        """Returns the import once its plan is stored, or as it is without anything to write."""
        if running.stage is Stage.PLANNED:
            self._run.files.get_plan(running.id, running.plan, self._plan, self._new_manifest)
            self._manifest_version = self._run.files.manifest_version()
            return running
        files, before, rows = self._run.files, self._directory / "before", self._directory / "rows"
        files.get_staging(running.id, self._settings, rows)
        self._manifest_version = files.get_manifest(before)
        with FeedStaging(rows, before if self._manifest_version else None) as staging:
            running = self._resolved(running, staging)
            self._check(running, staging)
            self._keep_skipped(running, staging)
            staging.write_manifest(self._new_manifest, self._settings, is_ahead=False)
            running = replace(running, counts=staging.counts())
            if not staging.planned:
                return running
            staging.write_plan(self._plan)
            staging.write_manifest(self._directory / "ahead", self._settings, is_ahead=True)
        self._put_manifest(self._directory / "ahead")
        plan_id = new_id()  # another run may have planned the import meanwhile, in another order
        files.put_plan(running.id, plan_id, self._plan, self._new_manifest)
        return self._advanced(running, replace(running, stage=Stage.PLANNED, plan=plan_id))

    def _resolved(self, running: FeedImport, staging: FeedStaging) -> FeedImport:
        settings, saved_at, is_all = self._feed.settings, time.monotonic(), False

        def should_stop() -> bool:
            nonlocal running, saved_at
            if time.monotonic() - saved_at >= PROGRESS_SECONDS:
                matched = staging.matched if is_all else 0
                after = replace(running, read=staging.rows, matched=matched)
                running = self._advanced(running, after)
                saved_at = time.monotonic()
            return self._run.is_over()

        if not self._file.exists():
            self._run.files.get_file(running.id, self._file)
        with self._file.open("rb") as content:
            pieces = iter(lambda: content.read(PIECE_BYTES), b"")
            feed = read_feed(pieces, running.content_type or "", Bound())
            defaults = defaults_of(self._store, settings)
            reader, rows = reader_of(feed.rows, settings.mapping, defaults)
            is_all = staging.read(rows, reader, should_stop)
        if not is_all or not staging.resolve(
            finder(self._store, settings),
            should_stop,
            adds=adds(settings),
            settings=self._settings,
        ):
            self._run.files.put_staging(running.id, self._settings, self._directory / "rows")
            self._run.stop()
        return replace(running, format=feed.format)

    def _check(self, running: FeedImport, staging: FeedStaging) -> None:
        """Raises FeedUnusable without rows, or if a scheduled import lacks over half of them.

        Rows without an id are none if the feed had others: it is some other file.
        """
        is_scheduled = running.trigger is FeedTrigger.SCHEDULE
        if not staging.rows or (staging.known_before and not staging.has_ids):
            why = FeedFailure.NO_ROWS
        elif is_scheduled and staging.missing(self._settings) * 2 > staging.known_before:
            why = FeedFailure.IMPORT_FAILED
        else:
            return
        self._advanced(running, running)  # it fails, and says what the file is
        raise FeedUnusable(why)

    def _keep_skipped(self, running: FeedImport, staging: FeedStaging) -> None:
        batches = batched(staging.skipped(MAX_SKIPPED), SKIPPED_TOGETHER, strict=False)
        for number, rows in enumerate(batches):
            changes = Changes()
            self._run.imports.keep_skipped(changes, running.id, number, rows)
            self._advanced(running, running, changes)  # so that none outlives a deleted import

    def _written(self, running: FeedImport) -> FeedImport:
        """Writes the rest of the plan, one chunk at a time."""
        source = ProductSource(self._store, self._feed.id)
        with Plan(self._plan) as plan, PlanWriter(plan, source, READ_AHEAD, running.id) as writer:

            def write_chunk() -> bool:
                nonlocal running
                progress = _ChunkProgress(self._run, running, stops=self._run.is_over())
                done, created = writer.write(running.done, progress)
                running = progress.after(done, created)
                if progress.stops or not done:
                    writer.finish()
                if progress.stops and done:
                    raise OutOfTime
                return bool(done)

            def reload() -> None:
                nonlocal running
                writer.give_way()
                running = self._reloaded(running)

            while until_won(write_chunk, reload):
                pass
        return running

    def _complete(self, changes: Changes, running: FeedImport) -> None:
        feed, now = self._run.feed(), clock.now()
        if feed is None or feed.deleted_at is not None or feed.running != running.id:
            raise Superseded
        before = self._reloaded(running)
        completed = replace(running, status=FeedImportStatus.COMPLETED, completed_at=now)
        end_import(changes, self._run.message.workspace, feed, before, completed)
        count("ImportedRows", running.counts.rows)
        note_import(changes, self._store, feed.id, now)

    def _advanced(
        self, before: FeedImport, after: FeedImport, changes: Changes | None = None
    ) -> FeedImport:
        """Saves the import's progress, and other changes with it.

        Raises Superseded if another run saved it meanwhile, or the import is gone.
        """
        changes = Changes() if changes is None else changes
        self._run.imports.save(changes, before, after)
        try:
            changes.commit()
        except LostRace as error:
            raise Superseded from error
        return after

    def _put_manifest(self, path: Path) -> None:
        """Puts a manifest in place of the one that this run knows. Raises Superseded."""
        try:
            self._manifest_version = self._run.files.put_manifest(path, self._manifest_version)
        except ObjectChanged as error:
            raise Superseded from error

    def _reloaded(self, running: FeedImport) -> FeedImport:
        """Returns the import as it is stored now. Raises Superseded if it no longer runs."""
        found = self._run.imports.get(running.id)
        if found is None or found.status is not FeedImportStatus.RUNNING:
            raise Superseded
        return found

    @property
    def _file(self) -> Path:
        return self._directory / "file"

    @property
    def _plan(self) -> Path:
        return self._directory / "plan"

    @property
    def _new_manifest(self) -> Path:
        """The file of the manifest that holds once all is written."""
        return self._directory / "after"


@dataclass(frozen=True)
class _ChunkProgress:
    """Adds the import's progress to a chunk's transaction."""

    run: FeedRun
    before: FeedImport
    stops: bool

    def __call__(self, changes: Changes, done: int, created: int) -> None:
        """Saves the progress, and queues the next message if this run stops."""
        self.run.imports.save(changes, self.before, self.after(done, created))
        if self.stops:
            self.run.send_next(changes)

    def after(self, done: int, created: int) -> FeedImport:
        """Returns the import with so many more products written."""
        counts = self.before.counts
        counted = replace(counts, created=counts.created + created)
        return replace(self.before, done=self.before.done + done, counts=counted)
