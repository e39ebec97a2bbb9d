"""Orders: the list, one whole, and a custom store's own putting and deleting of them."""

from typing import Annotated, Literal
from uuid import UUID

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from storepost.api.http.app import create_app
from storepost.api.http.callers import Reader, Writer
from storepost.api.http.lists import Page, PageNumber, Search, Size
from storepost.api.http.once import Writes
from storepost.orders import service
from storepost.orders.bodies import OrderBody
from storepost.orders.listing import OrderFilter
from storepost.orders.listing import list_orders as find_orders
from storepost.orders.model import FinancialStatus, FulfillmentStatus
from storepost.orders.schemas import Order, OrderSummary
from storepost.values.external_ids import ExternalId
from storepost.values.pagination import PageRequest, PageSize
from storepost.values.wire import Timestamp

app = create_app()

Sort = Literal["placedAt", "-placedAt"]


@app.get("/v1/orders", operation_id="orders.list")
def list_orders(
    caller: Reader,
    q: Search | None = None,
    store_id: Annotated[UUID | None, Query(description="Only orders of this store.")] = None,
    profile_id: Annotated[
        UUID | None,
        Query(
            description="Only orders of this person. The id of a merged profile finds the orders "
            "of the profile that remains."
        ),
    ] = None,
    external_id: Annotated[
        ExternalId | None,
        Query(
            description="Only orders that their store knows by this id. Each store may have one: "
            "without `storeId` every store is searched."
        ),
    ] = None,
    financial_status: Annotated[
        list[FinancialStatus] | None, Query(description="Only orders that are paid this far.")
    ] = None,
    fulfillment_status: Annotated[
        list[FulfillmentStatus] | None, Query(description="Only orders that are sent this far.")
    ] = None,
    cancelled: Annotated[
        bool | None,
        Query(description="`true` for cancelled orders alone, `false` for all others alone."),
    ] = None,
    is_test: Annotated[
        bool | None,
        Query(description="`true` for test orders alone, `false` for all others alone."),
    ] = None,
    placed_from: Annotated[
        Timestamp | None, Query(description="Only orders placed at this moment or later.")
    ] = None,
    placed_to: Annotated[
        Timestamp | None, Query(description="Only orders placed before this moment.")
    ] = None,
    sort: Annotated[
        Sort, Query(description="By when the orders were placed; `-` puts the newest first.")
    ] = "-placedAt",
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[OrderSummary]:
    """List orders.

    The orders of all stores, disconnected ones too, newest first, with the exact total. Cancelled
    and test orders are among them unless a filter says otherwise. `q` looks at order numbers.
    Several filters together look through 20,000 orders at most; past that the answer is
    `filter_too_broad`, which names a filter that narrows the list.
    """
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
def get_order(
    id: Annotated[UUID, Path(description="The order that is read.")], caller: Reader
) -> Order:
    """Get an order.

    The order with its store, buyer, amounts and lines. The buyer is shown as the profile says now.
    """
    return Order.of(service.get_order(caller.workspace, id))


@app.get("/v1/stores/<id>/orders/<externalId>", operation_id="orders.getOfStore")
def get_order_of_store(
    id: Annotated[UUID, Path(description="The store whose order is read.")],
    external_id: Annotated[
        ExternalId, Path(description="The store's own id of the order that is read.")
    ],
    caller: Reader,
) -> Order:
    """Get an order by its store's id.

    The same order as `GET /orders/{id}` answers. A store on Shopify has them by the number of the
    order's id there.
    """
    return Order.of(service.get_order_of_store(caller.workspace, id, external_id))


@app.put("/v1/stores/<id>/orders/<externalId>", operation_id="orders.put")
def put_order(
    id: Annotated[UUID, Path(description="The custom store whose order is written.")],
    external_id: Annotated[
        ExternalId,
        Path(description="The store's own id of the order that is written, kept as it is sent."),
    ],
    caller: Writer,
    writes: Writes,
    body: OrderBody,
) -> Response[Order]:
    """Create or replace an order of a custom store.

    The body is the whole order: what it leaves out is gone. 201 where the order is new, else 200.
    A request whose `updatedAt` is older than what is stored is refused with `stale_update`.

    It makes a profile of a buyer whom nobody knows yet, or finds theirs, and counts the order
    there. The buyer's events get `order_placed`, and later `order_cancelled` and `order_refunded`;
    coupon codes that the order carries become `used`. Nothing is emailed, and no consent changes.
    """
    details, is_new = service.put_order(
        caller.workspace, id, lambda store: body.value(store, external_id), writes
    )
    return Response(201 if is_new else 200, "application/json", Order.of(details))


@app.delete(
    "/v1/stores/<id>/orders/<externalId>",
    operation_id="orders.delete",
    status_code=204,
    response_description="The order is deleted.",
)
def delete_order(
    id: Annotated[UUID, Path(description="The custom store whose order is deleted.")],
    external_id: Annotated[
        ExternalId, Path(description="The store's own id of the order that is deleted.")
    ],
    caller: Writer,
    writes: Writes,
) -> None:
    """Delete an order of a custom store.

    It is gone from lists, from the buyer's counts and from sales. The profile, its events and used
    coupon codes stay. An order with a later `updatedAt` restores it.
    """
    service.delete_order(caller.workspace, id, external_id, writes)


lambda_handler = app.handler()
