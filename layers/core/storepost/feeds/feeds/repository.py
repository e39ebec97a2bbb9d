"""Reads and writes feeds and their imports."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple
from datetime import datetime
from itertools import islice
from typing import Any
from uuid import UUID

from pynamodb.attributes import Attribute
from pynamodb.expressions.update import Action

from storepost.feeds.feeds.keys import (
    DUE_SHARDS,
    FEEDS,
    IMPORTS,
    address_key,
    due_key,
    feed_key,
    import_key,
    imports_partition,
    partition,
    skipped_key,
)
from storepost.feeds.feeds.model import (
    Feed,
    FeedCounts,
    FeedImport,
    FeedImportStatus,
    FeedMode,
    FeedSettings,
    SkippedRow,
)
from storepost.feeds.feeds.problems import FeedExists
from storepost.feeds.feeds.rows import (
    FeedAddressItem,
    FeedDueItem,
    FeedImportItem,
    FeedItem,
    SkippedRowsItem,
)
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Item, find, find_all
from storepost.platform.persistence.mapping import as_row, as_value, attributes_of
from storepost.values import clock
from storepost.values.pagination import PageRequest
from storepost.values.scope import WorkspaceScope

SKIPPED_TOGETHER = 100
"""How many skipped rows one row of the table holds; page sizes divide it."""


class FeedRepository:
    """A workspace's feeds."""

    def __init__(self, workspace: WorkspaceScope) -> None:
        """For one workspace."""
        self.workspace = workspace

    def get(self, feed_id: UUID) -> Feed | None:
        """Returns the feed, deleted ones too, or None."""
        item = find(FeedItem, feed_key(self.workspace, feed_id))
        return _as_feed(item) if item else None

    def all(self) -> list[Feed]:
        """Returns all feeds that aren't deleted."""
        rows = FeedItem.rows_in(self.workspace.key, FEEDS)
        return [feed for feed in map(_as_feed, rows) if feed.deleted_at is None]

    def ids(self) -> list[UUID]:
        """Returns the ids of all feeds, deleted ones too."""
        return [row.id for row in FeedItem.rows_in(self.workspace.key, FEEDS)]

    def save(self, changes: Changes, feed: Feed) -> None:
        """Writes the feed, if nobody changed it since it was read."""
        key, settings = feed_key(self.workspace, feed.id), feed.settings
        about = attributes_of(FeedItem, settings, mapping=dict(settings.mapping))
        item = as_row(FeedItem, key, feed, counts=dict(feed.counts), **about)
        if feed.version is not None:
            item.version = feed.version
        changes.save(item)

    def delete(self, changes: Changes, feed: Feed) -> None:
        """Deletes the feed's own row."""
        changes.delete(FeedItem(*feed_key(self.workspace, feed.id)))

    def claim(self, changes: Changes, feed: Feed) -> None:
        """Claims the feed's address. Fails with FeedExists."""
        changes.create(FeedAddressItem(*self._address(feed), feed_id=feed.id), FeedExists())

    def release(self, changes: Changes, feed: Feed) -> None:
        """Releases the feed's address."""
        changes.delete(FeedAddressItem(*self._address(feed)))

    def due(self, changes: Changes, feed: Feed) -> None:
        """Writes when the feed is due."""
        key = due_key(feed.id, feed.next_import_at)
        changes.save(FeedDueItem(*key, workspace_id=self.workspace.id, feed_id=feed.id))

    def not_due(self, changes: Changes, feed: Feed) -> None:
        """Deletes the row that says when the feed is due."""
        changes.delete(FeedDueItem(*due_key(feed.id, feed.next_import_at)))

    def _address(self, feed: Feed) -> tuple[str, str]:
        settings = feed.settings
        return address_key(self.workspace, feed.store_id, settings.url, settings.locale)


class FeedImportRepository:
    """The imports of one feed."""

    def __init__(self, workspace: WorkspaceScope, feed_id: UUID) -> None:
        """For one feed of one workspace."""
        self._scope = workspace
        self._feed_id = feed_id

    def get(self, import_id: UUID) -> FeedImport | None:
        """Returns the import, or None."""
        item = find(FeedImportItem, import_key(self._scope, self._feed_id, import_id))
        return _as_import(item) if item else None

    def newest_first(self) -> Iterator[FeedImport]:
        """Returns all imports, most recently queued first."""
        partition = imports_partition(self._scope, self._feed_id)
        return map(_as_import, FeedImportItem.rows_in(partition, IMPORTS, newest_first=True))

    def add(self, changes: Changes, queued: FeedImport) -> None:
        """Adds a new import."""
        key = import_key(self._scope, self._feed_id, queued.id)
        changes.create(
            FeedImportItem(
                *key,
                id=queued.id,
                feed_id=queued.feed_id,
                status=queued.status,
                trigger=queued.trigger,
                queued_at=queued.queued_at,
                counts=astuple(queued.counts),
                stage=queued.stage,
                done=queued.done,
            )
        )

    def save(self, changes: Changes, before: FeedImport, after: FeedImport) -> None:
        """Writes an import's new state, if its status, stage and `done` are those of `before`."""
        row = FeedImportItem(*import_key(self._scope, self._feed_id, after.id))
        counts = row.with_further(FeedImportItem.counts, astuple(after.counts))
        changes.update(
            row,
            [
                FeedImportItem.status.set(after.status),
                FeedImportItem.trigger.set(after.trigger),
                *_set_if_present(FeedImportItem.started_at, after.started_at),
                *_set_if_present(FeedImportItem.completed_at, after.completed_at),
                *_set_if_present(FeedImportItem.format, after.format),
                *_set_if_present(FeedImportItem.bytes, after.bytes),
                *_set_if_present(FeedImportItem.content_type, after.content_type),
                *_set_if_present(FeedImportItem.failure, after.failure),
                FeedImportItem.counts.set(counts),
                FeedImportItem.stage.set(after.stage),
                *_set_if_present(FeedImportItem.plan, after.plan),
                FeedImportItem.done.set(after.done),
                FeedImportItem.read.set(after.read),
                FeedImportItem.matched.set(after.matched),
            ],
            (FeedImportItem.status == before.status)
            & (FeedImportItem.stage == before.stage)
            & (FeedImportItem.done == before.done),
        )

    def keep_skipped(
        self, changes: Changes, import_id: UUID, number: int, rows: Sequence[SkippedRow]
    ) -> None:
        """Stores a hundred of the rows that an import skipped."""
        content = [[row.row, row.id, row.reason] for row in rows]
        changes.save(SkippedRowsItem(*skipped_key(self._scope, import_id, number), rows=content))

    def skipped(self, import_id: UUID, page: PageRequest) -> list[SkippedRow]:
        """Returns a page of the rows that an import skipped."""
        number, start = divmod(page.skipped, SKIPPED_TOGETHER)
        item = find(SkippedRowsItem, skipped_key(self._scope, import_id, number))
        content = item.rows if item else []
        return [SkippedRow(*row) for row in islice(content, start, start + page.size)]


def latest_imports(workspace: WorkspaceScope, feeds: Iterable[Feed]) -> dict[UUID, FeedImport]:
    """Returns the import that is shown with each feed, by the feed's id."""
    feed_ids = {import_key(workspace, f.id, f.latest): f.id for f in feeds if f.latest}
    rows: dict[Any, Item] = find_all(feed_ids)
    return {
        feed_ids[key]: _as_import(row)
        for key, row in rows.items()
        if isinstance(row, FeedImportItem)
    }


def due_feeds(now: datetime) -> Iterator[FeedDueItem]:
    """Yields the feeds that are due, of all workspaces."""
    for shard in range(DUE_SHARDS):
        yield from FeedDueItem.rows_before(partition(shard), clock.to_text(now) + "$")


def _set_if_present(attribute: Attribute[Any], value: object) -> list[Action]:
    return [] if value is None else [attribute.set(value)]


def _as_feed(item: FeedItem) -> Feed:
    return as_value(
        Feed,
        item,
        settings=FeedSettings(
            item.name, item.url, item.locale, FeedMode(item.mode), dict(item.mapping)
        ),
        counts={FeedImportStatus(status): count for status, count in item.counts.items()},
    )


def _as_import(item: FeedImportItem) -> FeedImport:
    return as_value(
        FeedImport,
        item,
        counts=FeedCounts(*item.counts),
        read=int(item.read or 0),
        matched=int(item.matched or 0),
    )
