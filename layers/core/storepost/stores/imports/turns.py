"""How a store's imports take turns: the count of each kind, and the next import."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from uuid import UUID

from storepost.stores.imports.model import (
    OPEN,
    ImportFailure,
    ImportScope,
    ImportStatus,
    StoreImport,
)
from storepost.values.stored_enum import StoredEnum

type ImportKind = tuple[ImportScope, ImportStatus]

MAX_CUT_SHORT = 100
_MOMENT = timedelta(milliseconds=1)


class LatestImportStatus(StoredEnum):
    """How the import of a store is doing that runs or waits; otherwise how the latest one ended.
    `none`: there never was one.
    """

    NONE = "none"
    QUEUED = "queued"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"


@dataclass(frozen=True)
class CutShort:
    """Imports that waited when their store was disconnected: all failed at that time.

    Their rows still have the status `queued`: there may be more of them than a transaction can
    write.
    """

    after: UUID | None
    """The import before the first of them; None where that was the store's first."""
    until: UUID
    """The last of them."""
    at: datetime

    def holds(self, import_id: UUID) -> bool:
        """Returns whether an import with the status `queued` is one of them."""
        return (self.after is None or self.after < import_id) and import_id <= self.until


@dataclass(frozen=True)
class Turns:
    """All imports of a store, as counts and positions."""

    store_id: UUID
    counts: Mapping[ImportKind, int] = field(default_factory=dict)
    latest: UUID | None = None
    """The import that was queued last."""
    latest_of: Mapping[ImportScope, UUID] = field(default_factory=dict)
    queued_at: datetime | None = None
    """When the latest import was queued."""
    running: UUID | None = None
    ended: UUID | None = None
    """The import that ended last; the one queued after it is next."""
    outcome: ImportStatus | None = None
    """The status of that import."""
    cut_short: tuple[CutShort, ...] = ()
    products_imported_at: datetime | None = None
    """When an import of products was last completed."""
    version: int | None = field(default=None, compare=False, repr=False)
    """The version of the row that was read; None for a store that never had an import."""

    @property
    def waiting(self) -> int:
        """Returns how many imports wait for their turn."""
        return self.total(None, [ImportStatus.QUEUED])

    @property
    def status(self) -> LatestImportStatus:
        """Returns the open import's status, else the latest's."""
        for status in (ImportStatus.RUNNING, ImportStatus.QUEUED):
            if self.total(None, [status]):
                return LatestImportStatus(status)
        return LatestImportStatus(self.outcome) if self.outcome else LatestImportStatus.NONE

    def total(
        self, scopes: Collection[ImportScope] | None, statuses: Collection[ImportStatus] | None
    ) -> int:
        """Returns how many imports have one of these scopes and statuses; None is any."""
        return sum(
            count
            for (scope, status), count in self.counts.items()
            if (scopes is None or scope in scopes) and (statuses is None or status in statuses)
        )

    def open_of(self, scope: ImportScope) -> int:
        """Returns how many imports of a scope are queued or running."""
        return self.total([scope], OPEN)

    def next_moment(self, now: datetime) -> datetime:
        """Returns the `queuedAt` of a new import: now, and later than that of each before it."""
        return max(now, self.queued_at + _MOMENT) if self.queued_at else now

    def with_queued(self, queued: StoreImport) -> "Turns":
        """Returns the turns with another import queued."""
        return replace(
            self._counted(queued.scope, None, ImportStatus.QUEUED),
            latest=queued.id,
            latest_of={**self.latest_of, queued.scope: queued.id},
            queued_at=queued.queued_at,
        )

    def with_started(self, started: StoreImport) -> "Turns":
        """Returns the turns with the next import running."""
        after = self._counted(started.scope, ImportStatus.QUEUED, ImportStatus.RUNNING)
        return replace(after, running=started.id)

    def with_ended(self, current: StoreImport, ended: StoreImport) -> "Turns":
        """Returns the turns with the current import ended."""
        after = self._counted(ended.scope, current.status, ended.status)
        imported_at = self.products_imported_at
        if (ended.scope, ended.status) == (ImportScope.PRODUCTS, ImportStatus.COMPLETED):
            imported_at = ended.completed_at
        return replace(
            after,
            running=None,
            ended=ended.id,
            outcome=ended.status,
            products_imported_at=imported_at,
        )

    def with_all_failed(self, at: datetime) -> "Turns":
        """Returns the turns after the store was disconnected: all open imports have failed."""
        if self.latest is None or not self.total(None, OPEN):
            return self
        failed = self
        for (scope, status), count in self.counts.items():
            if status in OPEN:
                failed = failed._counted(scope, status, ImportStatus.FAILED, count)
        cut_short = (*self.cut_short, CutShort(self.ended, self.latest, at))
        if len(cut_short) > MAX_CUT_SHORT:
            # The row stays small: the two oldest become one, with the later time.
            oldest, second, *rest = cut_short
            cut_short = (replace(second, after=oldest.after), *rest)
        return replace(
            failed,
            running=None,
            ended=self.latest,
            outcome=ImportStatus.FAILED,
            cut_short=cut_short,
        )

    def current(self, stored: StoreImport) -> StoreImport:
        """Returns the import with its real status: failed, if it was cut short while it waited."""
        if stored.status is ImportStatus.QUEUED:
            for cut in self.cut_short:
                if cut.holds(stored.id):
                    return stored.failed(ImportFailure.STORE_DISCONNECTED, cut.at)
        return stored

    def _counted(
        self,
        scope: ImportScope,
        before: ImportStatus | None,
        after: ImportStatus,
        count: int = 1,
    ) -> "Turns":
        counts = dict(self.counts)
        if before:
            counts[scope, before] = counts.get((scope, before), 0) - count
        counts[scope, after] = counts.get((scope, after), 0) + count
        return replace(self, counts=counts)
