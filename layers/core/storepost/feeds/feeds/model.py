"""A feed and its imports as values."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from storepost.feeds.files.failures import FeedFailure
from storepost.feeds.files.formats import FeedFormat
from storepost.feeds.records.mapping import FeedMapping
from storepost.values.stored_enum import StoredEnum

INTERVAL = timedelta(hours=6)
_EPOCH = datetime(2020, 1, 1, tzinfo=UTC)
_MOMENT = timedelta(milliseconds=1)


class FeedMode(StoredEnum):
    """What becomes of rows whose product the store doesn't have.

    `add_and_enrich`: products are made of them. `enrich_only`: they are left out.
    """

    ADD_AND_ENRICH = "add_and_enrich"
    ENRICH_ONLY = "enrich_only"


class FeedImportStatus(StoredEnum):
    """How far an import is.

    `queued`: it waits for its turn. `running`: the file is being read or written. `completed`: all
    rows are dealt with. `failed`: `error` says why.
    """

    QUEUED = "queued"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"


class LatestFeedImport(StoredEnum):
    """How a feed's import is doing: the one that runs, else the one that waits, else the latest.

    `none`: nothing was imported yet. The others are the import's own `status`.
    """

    NONE = "none"
    QUEUED = "queued"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"


class FeedTrigger(StoredEnum):
    """Why an import was queued.

    `created`: the feed was created. `schedule`: six hours have passed. `manual`: somebody requested
    it, or changed the feed.
    """

    CREATED = "created"
    SCHEDULE = "schedule"
    MANUAL = "manual"


class Stage(StoredEnum):
    """What a running import has behind it."""

    STARTED = "started"
    FETCHED = "fetched"
    PLANNED = "planned"


@dataclass(frozen=True)
class FeedCounts:
    """What an import did, in rows unless a field says otherwise."""

    rows: int = 0
    imported: int = 0
    variant_only: int = 0
    from_first_row: int = 0
    """Products."""
    created: int = 0
    """Products."""
    products: int = 0
    unmatched: int = 0
    skipped: int = 0
    removed: int = 0
    """Rows of the previous import that this one didn't have."""
    left_out: int = 0
    """Imported rows whose price was left out; they are listed with the skipped ones."""


@dataclass(frozen=True)
class FeedImport:
    """One import of a feed."""

    id: UUID
    """Ids of a feed's imports sort by `queued_at`, and no two are queued at the same moment."""
    feed_id: UUID
    status: FeedImportStatus
    trigger: FeedTrigger
    queued_at: datetime
    started_at: datetime | None = None
    completed_at: datetime | None = None
    format: FeedFormat | None = None
    bytes: int | None = None
    content_type: str | None = None
    """The file's content type, as the server stated it."""
    counts: FeedCounts = FeedCounts()
    failure: FeedFailure | None = None
    stage: Stage = Stage.STARTED
    plan: UUID | None = None
    """Which of the plans that its runs have stored is written; None for another release's."""
    done: int = 0
    """Products of its plan that are written."""
    read: int = 0
    """Rows that were read, when the progress was last saved."""
    matched: int = 0
    """Of these, rows that are matched."""

    @property
    def counts_so_far(self) -> FeedCounts:
        """Returns what it did; for a running import, how far it is."""
        if self.status is not FeedImportStatus.RUNNING:
            return self.counts
        if self.stage is Stage.PLANNED:
            return replace(self.counts, products=self.done)
        return FeedCounts(rows=self.read, imported=self.matched)

    def failed(self, why: FeedFailure, at: datetime) -> "FeedImport":
        """Returns the import as failed."""
        return replace(self, status=FeedImportStatus.FAILED, completed_at=at, failure=why)


@dataclass(frozen=True)
class FeedSettings:
    """What people state of a feed."""

    name: str
    url: str = field(repr=False)
    locale: str | None
    mode: FeedMode
    mapping: FeedMapping


@dataclass(frozen=True)
class Feed:
    """A feed of a store, and how its imports take turns: at most one runs and one is queued."""

    id: UUID
    store_id: UUID
    settings: FeedSettings
    created_at: datetime
    next_import_at: datetime
    counts: Mapping[FeedImportStatus, int] = field(default_factory=dict)
    queued: UUID | None = None
    running: UUID | None = None
    ended: UUID | None = None
    """The import that ended last."""
    outcome: FeedImportStatus | None = None
    """The status of that import."""
    queued_at: datetime | None = None
    """When the latest import was queued."""
    deleted_at: datetime | None = None
    """From then on nobody can find it; a worker removes what it imported."""
    removed: int = 0
    """How many products of a deleted feed are removed."""
    version: int | None = field(default=None, compare=False, repr=False)

    @property
    def latest(self) -> UUID | None:
        """Returns the import that is shown with the feed."""
        return self.running or self.queued or self.ended

    @property
    def import_status(self) -> LatestFeedImport:
        """Returns the status of that import."""
        if self.running:
            return LatestFeedImport.RUNNING
        if self.queued:
            return LatestFeedImport.QUEUED
        return LatestFeedImport(self.outcome) if self.outcome else LatestFeedImport.NONE

    def next_moment(self, now: datetime) -> datetime:
        """Returns the `queuedAt` of the next import: now, but later than that of each before it."""
        return max(now, self.queued_at + _MOMENT) if self.queued_at else now

    def with_queued(self, queued: FeedImport) -> "Feed":
        """Returns the feed with this import queued."""
        counts = self._counted(None, FeedImportStatus.QUEUED)
        return replace(self, counts=counts, queued=queued.id, queued_at=queued.queued_at)

    def with_started(self) -> "Feed":
        """Returns the feed with the queued import running."""
        counts = self._counted(FeedImportStatus.QUEUED, FeedImportStatus.RUNNING)
        return replace(self, counts=counts, running=self.queued, queued=None)

    def with_ended(self, before: FeedImport, ended: FeedImport) -> "Feed":
        """Returns the feed once its running import, or its queued one before it ran, has ended."""
        counts = self._counted(before.status, ended.status)
        queued = None if self.queued == ended.id else self.queued
        after = replace(self, counts=counts, queued=queued, running=None)
        return replace(after, ended=ended.id, outcome=ended.status)

    def _counted(
        self, before: FeedImportStatus | None, after: FeedImportStatus
    ) -> Mapping[FeedImportStatus, int]:
        counts = dict(self.counts)
        if before:
            counts[before] = counts.get(before, 0) - 1
        counts[after] = counts.get(after, 0) + 1
        return counts


def next_import_after(feed_id: UUID, moment: datetime) -> datetime:
    """Returns the feed's next time after a moment; each feed has its own times, every six hours."""
    spread = timedelta(seconds=feed_id.int % int(INTERVAL.total_seconds()))
    since = moment - _EPOCH - spread
    return _EPOCH + spread + (since // INTERVAL + 1) * INTERVAL


@dataclass(frozen=True)
class SkippedRow:
    """A row that an import or a check could not use."""

    row: int
    id: str | None = field(repr=False)
    reason: str
