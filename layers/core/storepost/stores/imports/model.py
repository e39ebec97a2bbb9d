"""An import as a value: a custom store's batch, or a pull from a platform."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from storepost.accounts.workspaces.callers import Requester
from storepost.values.stored_enum import StoredEnum


class ImportScope(StoredEnum):
    """What an import contains. `customers_orders`: customers, then orders. `products`: products
    with their variants.
    """

    CUSTOMERS_ORDERS = "customers_orders"
    PRODUCTS = "products"


class ImportStatus(StoredEnum):
    """How far an import is. `queued`: it waits for its turn. `running`. `completed`: everything
    was looked at, though single records may have problems. `failed`: it ended early, see
    `error`.
    """

    QUEUED = "queued"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"


OPEN = frozenset({ImportStatus.QUEUED, ImportStatus.RUNNING})


class ImportStage(StoredEnum):
    """The records that a running import writes now: `customers`, then `orders`; or `products`."""

    CUSTOMERS = "customers"
    ORDERS = "orders"
    PRODUCTS = "products"


class ImportFailure(StoredEnum):
    """Why an import failed as a whole. `store_unreachable`: the platform didn't answer or refused
    access. `export_failed`: the platform couldn't make the export. `timed_out`: it took too long.
    `import_failed`: something went wrong in Storepost. `store_disconnected`: the store was
    disconnected meanwhile.
    """

    STORE_UNREACHABLE = "store_unreachable"
    EXPORT_FAILED = "export_failed"
    TIMED_OUT = "timed_out"
    IMPORT_FAILED = "import_failed"
    STORE_DISCONNECTED = "store_disconnected"


@dataclass(frozen=True)
class Imported:
    """How many records an import has imported."""

    customers: int = 0
    orders: int = 0
    products: int = 0


@dataclass(frozen=True)
class Progress:
    """How far an import is: records before this are done and never processed again."""

    done: int = 0
    """Records that were processed, whether they were imported or are problems."""
    imported: Imported = Imported()
    problems: int = 0
    stage: ImportStage | None = None
    removed: int = 0
    """Records that the platform no longer had, and that were deleted here."""


@dataclass(frozen=True)
class Pull:
    """How far a pull from a platform is."""

    operation: str | None = None
    """The platform's id of the export that is made or read; None before one is requested."""
    after: str | None = None
    """The id of the last record of a partial export: the next export starts after it."""
    exports: int = 0
    """How many exports of the stage ended early."""
    swept: str | None = None
    """The last key of the store's list that was compared with the export."""
    shows_all: bool = False
    """Whether the shop gave access to all its records when the export was requested."""


@dataclass(frozen=True)
class StoreImport:
    """One import of a store."""

    id: UUID
    """Ids of a store's imports sort by `queued_at`, and no two have the same time."""
    store_id: UUID
    scope: ImportScope
    status: ImportStatus
    requester: Requester | None
    """None for an import that the service queued itself."""
    queued_at: datetime
    started_at: datetime | None = None
    completed_at: datetime | None = None
    failure: ImportFailure | None = None
    progress: Progress = Progress()
    content: str | None = None
    """The name of the object with its records; None for a pull."""
    pull: Pull = Pull()

    def failed(self, why: ImportFailure, at: datetime) -> "StoreImport":
        """Returns the import as failed."""
        return replace(
            self,
            status=ImportStatus.FAILED,
            completed_at=at,
            failure=why,
            progress=replace(self.progress, stage=None),
        )


@dataclass(frozen=True)
class ImportProblem:
    """A record that an import couldn't import; the others were processed."""

    index: int
    """Its index in its own array of the request, from 0."""
    external_id: str | None = field(repr=False)
    """None where it can't be read."""
    code: str
    detail: str = field(repr=False)
