"""Imports of stores: custom ones' batches, pulls from platforms, and the result of each."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler.openapi.params import Path, Query

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


@app.post(
    "/v1/stores/<id>/batches",
    operation_id="stores.createBatch",
    status_code=202,
    response_description="The batch is queued as an import, and is worked through in the "
    "background.",
)
def create_batch(
    id: Annotated[UUID, Path(description="The custom store that the records are of.")],
    caller: Writer,
    writes: Writes,
    body: StoreBatch,
) -> StoreImport:
    """Import a batch of records.

    Takes up to 500 customers and orders, or products, of a custom store, and imports them in the
    background. Each does what its own `PUT` would, the customers first, then the orders, in the
    order of the body. A record that is older than what is stored changes nothing; it counts as
    imported. One that can't be read or taken becomes one of the import's problems, and the rest
    goes on. A store's batches are imported one after the other; 100 may wait.
    """
    return StoreImport.of(queue_batch(caller, id, body, writes))


@app.post(
    "/v1/stores/<id>/imports",
    operation_id="stores.createImport",
    status_code=202,
    response_description="The import is queued, and reads from the shop in the background.",
)
def create_import(
    id: Annotated[UUID, Path(description="The Shopify store that is imported from.")],
    caller: Writer,
    writes: Writes,
    body: NewImport,
) -> StoreImport:
    """Import from a shop.

    Reads all that a connected Shopify shop has of a scope, in the background: its customers, then
    its orders; or its products. A record that is older than what is stored changes nothing; it
    counts as imported. A store has one such import of a scope at a time. Changes in the shop come
    by themselves: this is for what was missed.
    """
    return StoreImport.of(request_import(caller, id, body.scope, writes))


@app.get("/v1/stores/<id>/imports", operation_id="stores.listImports")
def list_imports(
    id: Annotated[UUID, Path(description="The store whose imports are listed.")],
    caller: Reader,
    scope: Annotated[
        list[ImportScope] | None,
        Query(description="Only imports of this scope."),
    ] = None,
    status: Annotated[
        list[ImportStatus] | None,
        Query(description="Only imports at this status."),
    ] = None,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[StoreImport]:
    """List a store's imports.

    Imports from a Shopify shop and batches of a custom store, the one that was queued last first.
    """
    store = found_store(StoreRepository(caller.workspace), id)
    filters, request = ImportFilter(scope, status), PageRequest(page, page_size)
    found = listing.list_imports(caller.workspace, store.id, filters, request)
    return Page[StoreImport].of(found, StoreImport.of)


@app.get("/v1/stores/<id>/imports/<importId>", operation_id="stores.getImport")
def get_import(
    id: Annotated[UUID, Path(description="The store whose import is read.")],
    import_id: Annotated[UUID, Path(description="The store's import that is read, by its id.")],
    caller: Reader,
) -> StoreImport:
    """Get an import of a store.

    How far the import or the batch is, and how many records it has imported so far.
    """
    return StoreImport.of(listing.get_import(caller.workspace, id, import_id))


@app.get("/v1/stores/<id>/imports/<importId>/problems", operation_id="stores.listImportProblems")
def list_problems(
    id: Annotated[UUID, Path(description="The store whose import met the problems.")],
    import_id: Annotated[UUID, Path(description="The import whose problems are listed.")],
    caller: Reader,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[ImportProblem]:
    """List an import's problems.

    The records that an import or a batch could not take, each with the reason, in the order in
    which it met them.
    """
    request = PageRequest(page, page_size)
    found = listing.list_problems(caller.workspace, id, import_id, request)
    return Page[ImportProblem].of(found, ImportProblem.from_model)


lambda_handler = app.handler()
