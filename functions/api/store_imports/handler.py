"""Imports of stores: custom ones' batches, pulls from platforms, and what became of each."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler.openapi.params import Body, Path, Query

from storepost.api.http.app import create_app
from storepost.api.http.callers import Reader, Writer
from storepost.api.http.lists import Page, PageNumber, Size
from storepost.api.http.once import Writes
from storepost.stores.imports import listing
from storepost.stores.imports.listing import ImportFilter
from storepost.stores.imports.model import ImportScope, ImportStatus
from storepost.stores.imports.schemas import ImportProblem, NewImport, StoreImport
from storepost.stores.stores.finding import found_store
from storepost.stores.stores.repository import StoreRepository
from storepost.sync.batches.schemas import StoreBatch
from storepost.sync.batches.service import queue_batch
from storepost.sync.pulls.service import request_import
from storepost.values.pagination import PageRequest, PageSize

app = create_app(large_bodies=frozenset({"stores.createBatch"}))

ImportId = Annotated[UUID, Path(alias="importId")]


@app.post("/v1/stores/<id>/batches", operation_id="stores.createBatch", status_code=202)
def create_batch(
    id: UUID, caller: Writer, writes: Writes, body: Annotated[StoreBatch, Body()]
) -> StoreImport:
    """Takes up to 500 records of a custom store, to be imported in the background.

    They are customers and orders, or products. Each does what its own PUT would, the customers
    first, then the orders, in the order in which they stand. A record that is older than what is
    held changes nothing; it counts as imported. One that can't be read or taken becomes one of the
    import's problems, and the rest goes on. A store's batches are imported one after the other.
    """
    return StoreImport.of(queue_batch(caller, id, body, writes))


@app.post("/v1/stores/<id>/imports", operation_id="stores.createImport", status_code=202)
def create_import(
    id: UUID, caller: Writer, writes: Writes, body: Annotated[NewImport, Body()]
) -> StoreImport:
    """Pulls all that a connected shop has of a scope, in the background.

    That is its customers, then its orders; or its products. A record that is older than what is
    held changes nothing; it counts as imported. One pull is open per store and scope.
    """
    return StoreImport.of(request_import(caller, id, body.scope, writes))


@app.get("/v1/stores/<id>/imports", operation_id="stores.listImports")
def list_imports(
    id: UUID,
    caller: Reader,
    scope: Annotated[list[ImportScope] | None, Query()] = None,
    status: Annotated[list[ImportStatus] | None, Query()] = None,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[StoreImport]:
    """A store's imports, most recently queued first."""
    store = found_store(StoreRepository(caller.workspace), id)
    filters, request = ImportFilter(scope, status), PageRequest(page, page_size)
    found = listing.list_imports(caller.workspace, store.id, filters, request)
    return Page[StoreImport].of(found, StoreImport.of)


@app.get("/v1/stores/<id>/imports/<importId>", operation_id="stores.getImport")
def get_import(id: UUID, import_id: ImportId, caller: Reader) -> StoreImport:
    """One import, with what it has brought so far."""
    return StoreImport.of(listing.get_import(caller.workspace, id, import_id))


@app.get("/v1/stores/<id>/imports/<importId>/problems", operation_id="stores.listImportProblems")
def list_problems(
    id: UUID,
    import_id: ImportId,
    caller: Reader,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[ImportProblem]:
    """The records that an import could not take, in the order in which it met them."""
    request = PageRequest(page, page_size)
    found = listing.list_problems(caller.workspace, id, import_id, request)
    return Page[ImportProblem].of(found, ImportProblem.of)


lambda_handler = app.handler()
