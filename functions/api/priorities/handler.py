"""Field priority of products: what is in force in a store, and changes of it."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler.openapi.params import Body, Query

from storepost.api.http.app import create_app
from storepost.api.http.callers import Reader, Writer
from storepost.api.http.lists import Page, PageNumber, Search, Size
from storepost.api.http.once import Writes
from storepost.catalog.priorities import service
from storepost.catalog.priorities.schemas import (
    PriorityChange,
    PriorityChangeProduct,
    PriorityRules,
    ProductPriority,
)
from storepost.values.pagination import PageRequest, PageSize
from storepost.values.wire import Text

app = create_app()


@app.get("/v1/stores/<id>/product-priority", operation_id="productPriority.get")
def get_priority(id: UUID, caller: Reader) -> ProductPriority:
    """A store's sources, the first first, the fields with an order of their own, and changes."""
    return ProductPriority.of(service.get_priority(caller.workspace, id))


@app.post(
    "/v1/stores/<id>/product-priority/changes",
    operation_id="productPriorityChanges.create",
    status_code=202,
)
def propose_change(
    id: UUID, caller: Writer, writes: Writes, body: Annotated[PriorityRules, Body()]
) -> PriorityChange:
    """Proposes other rules; what they would make of products is worked out first."""
    return PriorityChange.of(service.propose_change(caller.workspace, id, body.value(), writes))


@app.get("/v1/product-priority-changes/<id>", operation_id="productPriorityChanges.get")
def get_change(id: UUID, caller: Reader) -> PriorityChange:
    """A change, with counts that move while it is previewed and applied."""
    return PriorityChange.of(service.get_change(caller.workspace, id))


@app.get(
    "/v1/product-priority-changes/<id>/products",
    operation_id="productPriorityChanges.listProducts",
)
def list_changed(
    id: UUID,
    caller: Reader,
    q: Search | None = None,
    field: Annotated[Text | None, Query()] = None,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[PriorityChangeProduct]:
    """The products that a change makes something else of, each field with from and to."""
    request = PageRequest(page, page_size)
    listing = service.list_changed(caller.workspace, id, q, field, request)
    return Page[PriorityChangeProduct].of(listing, PriorityChangeProduct.of)


@app.post(
    "/v1/product-priority-changes/<id>/apply",
    operation_id="productPriorityChanges.apply",
    status_code=202,
)
def apply_change(id: UUID, caller: Writer, writes: Writes) -> PriorityChange:
    """Puts a ready change in force; the lists of products follow while it is applied."""
    return PriorityChange.of(service.apply_change(caller.workspace, id, writes))


@app.post(
    "/v1/product-priority-changes/<id>/refresh",
    operation_id="productPriorityChanges.refresh",
    status_code=202,
)
def refresh_change(id: UUID, caller: Writer, writes: Writes) -> PriorityChange:
    """Previews a ready change anew, stale or not."""
    return PriorityChange.of(service.refresh_change(caller.workspace, id, writes))


@app.delete(
    "/v1/product-priority-changes/<id>",
    operation_id="productPriorityChanges.delete",
    status_code=204,
)
def discard_change(id: UUID, caller: Writer, writes: Writes) -> None:
    """Discards a change that isn't being applied."""
    service.discard_change(caller.workspace, id, writes)


lambda_handler = app.handler()
