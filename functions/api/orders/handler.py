"""Orders: the list, one whole, and a custom store's own putting and deleting of them."""

from typing import Annotated, Literal
from uuid import UUID

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body, Path, Query

from storepost.api.http.app import create_app
from storepost.api.http.callers import Reader, Writer
from storepost.api.http.lists import Page, PageNumber, Search, Size
from storepost.api.http.once import Writes
from storepost.orders import service
from storepost.orders.bodies import ExternalId, OrderBody
from storepost.orders.listing import OrderFilter
from storepost.orders.listing import list_orders as find_orders
from storepost.orders.model import FinancialStatus, FulfillmentStatus
from storepost.orders.schemas import Order, OrderSummary
from storepost.values.pagination import PageRequest, PageSize
from storepost.values.wire import Timestamp

app = create_app()

Sort = Literal["placedAt", "-placedAt"]


@app.get("/v1/orders", operation_id="orders.list")
def list_orders(
    caller: Reader,
    q: Search | None = None,
    store_id: Annotated[UUID | None, Query(alias="storeId")] = None,
    profile_id: Annotated[UUID | None, Query(alias="profileId")] = None,
    external_id: Annotated[ExternalId | None, Query(alias="externalId")] = None,
    financial_status: Annotated[
        list[FinancialStatus] | None, Query(alias="financialStatus")
    ] = None,
    fulfillment_status: Annotated[
        list[FulfillmentStatus] | None, Query(alias="fulfillmentStatus")
    ] = None,
    cancelled: Annotated[bool | None, Query()] = None,
    is_test: Annotated[bool | None, Query(alias="isTest")] = None,
    placed_from: Annotated[Timestamp | None, Query(alias="placedFrom")] = None,
    placed_to: Annotated[Timestamp | None, Query(alias="placedTo")] = None,
    sort: Annotated[Sort, Query()] = "-placedAt",
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[OrderSummary]:
    """The workspace's orders, newest first, with page numbers and the exact total."""
    filters = OrderFilter(
        q=q,
        store_id=store_id,
        profile_id=profile_id,
        external_id=external_id,
        financial_statuses=financial_status,
        fulfillment_statuses=fulfillment_status,
        cancelled=cancelled,
        is_test=is_test,
        placed_from=placed_from,
        placed_to=placed_to,
    )
    request = PageRequest(page, page_size)
    listing = find_orders(caller.workspace, filters, request, descending=sort == "-placedAt")
    return Page[OrderSummary].of(listing, OrderSummary.of)


@app.get("/v1/orders/<id>", operation_id="orders.get")
def get_order(id: UUID, caller: Reader) -> Order:
    """An order whole."""
    return Order.of(service.get_order(caller.workspace, id))


@app.put("/v1/stores/<id>/orders/<externalId>", operation_id="orders.put")
def put_order(
    id: UUID,
    external_id: Annotated[ExternalId, Path(alias="externalId")],
    caller: Writer,
    writes: Writes,
    body: Annotated[OrderBody, Body()],
) -> Response[Order]:
    """Writes a custom store's order; one older than what is held is refused as stale."""
    details, is_new = service.put_order(
        caller.workspace, id, lambda store: body.value(store, external_id), writes
    )
    return Response(201 if is_new else 200, "application/json", Order.of(details))


@app.delete("/v1/stores/<id>/orders/<externalId>", operation_id="orders.delete", status_code=204)
def delete_order(
    id: UUID,
    external_id: Annotated[ExternalId, Path(alias="externalId")],
    caller: Writer,
    writes: Writes,
) -> None:
    """Deletes a custom store's order: it is gone from lists and counts."""
    service.delete_order(caller.workspace, id, external_id, writes)


lambda_handler = app.handler()
