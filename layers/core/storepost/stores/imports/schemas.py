"""Imports on the wire."""

from uuid import UUID

from storepost.stores.imports import model
from storepost.stores.imports.model import ImportFailure, ImportScope, ImportStage, ImportStatus
from storepost.values.wire import RequestBody, Shape, Timestamp


class ImportRequester(Shape):
    """Who asked for an import: a person, or a key, which has a name alone."""

    id: UUID | None
    name: str | None


class ImportedCounts(Shape):
    """What an import has brought so far.

    A record that is older than what is held changes nothing and counts as imported.
    """

    customers: int
    orders: int
    products: int


class NewImport(RequestBody):
    """What to pull from a shop."""

    scope: ImportScope


class StoreImport(Shape):
    """One import of a store."""

    id: UUID
    scope: ImportScope
    status: ImportStatus
    stage: ImportStage | None
    requested_by: ImportRequester | None
    imported: ImportedCounts
    error: ImportFailure | None
    queued_at: Timestamp
    started_at: Timestamp | None
    completed_at: Timestamp | None

    @classmethod
    def of(cls, one: model.StoreImport) -> "StoreImport":
        """The import in this shape."""
        requester, imported = one.requester, one.progress.imported
        return cls(
            id=one.id,
            scope=one.scope,
            status=one.status,
            stage=one.progress.stage,
            requested_by=ImportRequester(id=requester.person_id, name=requester.name)
            if requester
            else None,
            imported=ImportedCounts(
                customers=imported.customers, orders=imported.orders, products=imported.products
            ),
            error=one.failure,
            queued_at=one.queued_at,
            started_at=one.started_at,
            completed_at=one.completed_at,
        )


class ImportProblem(Shape):
    """A record that an import could not take; the others are imported all the same.

    `index` is the record's place in its own array of the request, from 0; `detail` begins with the
    JSON Pointer of what is wrong there, such as `/orders/3/total/currency`.
    """

    index: int
    external_id: str | None
    """Null where the record has none that can be read."""
    code: str
    detail: str

    @classmethod
    def of(cls, problem: model.ImportProblem) -> "ImportProblem":
        """The problem in this shape."""
        return cls(
            index=problem.index,
            external_id=problem.external_id,
            code=problem.code,
            detail=problem.detail,
        )
