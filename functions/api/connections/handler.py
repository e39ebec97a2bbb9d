"""Connections to platforms: begun in Storepost, approved by the shop, ended in Storepost."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from storepost.api.http.app import create_app
from storepost.api.http.callers import Reader, SignedInAdmin
from storepost.api.http.lists import Page, PageNumber, Size
from storepost.api.http.once import Writes
from storepost.api.http.origin import From, RawQuery
from storepost.api.http.pages import problem_pages
from storepost.api.reference import pages
from storepost.connections.connections import service
from storepost.connections.connections.approval import accept_approval
from storepost.connections.connections.model import ConnectionState, ConnectionType
from storepost.connections.connections.schemas import Connection, NewConnection
from storepost.values.pagination import PageRequest, PageSize

_IN_BROWSER = frozenset({"connections.shopifyCallback"})
app = create_app(
    any_query=_IN_BROWSER, problem_page=problem_pages(_IN_BROWSER, pages.not_connected_page)
)


@app.get("/v1/connections", operation_id="connections.list")
def list_connections(
    caller: Reader,
    origin: From,
    type: Annotated[  # noqa: ARG001 - there is one
        list[ConnectionType] | None,
        Query(description="Only connections of this type; there is one so far."),
    ] = None,
    state: Annotated[
        list[ConnectionState] | None, Query(description="Only connections in this state.")
    ] = None,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[Connection]:
    """List connections.

    Lists the workspace's Shopify shops, newest first: also those that are pending or disconnected.
    Custom stores are among `GET /stores` alone.
    """
    listing = service.list_connections(
        caller.workspace, state, origin.base_url, PageRequest(page, page_size)
    )
    return Page[Connection].of(listing, Connection.of)


@app.post(
    "/v1/connections",
    operation_id="connections.create",
    status_code=201,
    response_description="A pending connection. Its `path` is where the shop approves it.",
)
def create_connection(
    caller: SignedInAdmin, origin: From, writes: Writes, body: NewConnection
) -> Connection:
    """Start connecting a Shopify shop.

    Answers in `path` where the shop approves the app, within ten minutes. Nothing is connected by
    that: the person who approves in the shop is led to a connect link, and chooses there which
    workspace the shop is connected to. Starting again replaces a pending connection of the same
    shop.
    """
    install = service.begin_connection(caller.workspace, body.shop, origin.base_url, writes)
    return Connection.of(install)


@app.get(
    "/v1/connections/shopify/callback",
    operation_id="connections.shopifyCallback",
    responses={
        302: {"description": "Go on to the connect link in `Location`, to choose the workspace."}
    },
)
def shopify_callback(query: RawQuery, origin: From) -> Response[None]:
    """Complete a Shopify install (OAuth callback).

    Shopify redirects the person who approved the app to this address, and they are redirected on to
    a connect link. It never connects anything. The parameters are Shopify's and signed by it; they
    count once.
    """
    return Response(302, headers={"Location": accept_approval(query, origin.base_url)})


@app.get("/v1/connections/<key>", operation_id="connections.get")
def get_connection(
    key: Annotated[
        str,
        Path(
            description="The connection to read: `shopify:` and the shop's address, such "
            "as `shopify:birch-loom.myshopify.com`."
        ),
    ],
    caller: Reader,
    origin: From,
) -> Connection:
    """Get a connection.

    Shows how a shop's connection is doing, also one that is pending or disconnected.
    """
    return Connection.of(service.connection_of(caller.workspace, key, origin.base_url))


@app.delete(
    "/v1/connections/<key>",
    operation_id="connections.delete",
    status_code=204,
    response_description="The pending connection is cancelled, or the store is disconnected.",
)
def delete_connection(
    key: Annotated[
        str, Path(description="The connection to end: `shopify:` and the shop's address.")
    ],
    caller: SignedInAdmin,
    writes: Writes,
) -> None:
    """Cancel or end a connection.

    Cancels a pending connection: its `path` leads nowhere any more, but a connect link that came of
    it works for its hour. Any other one's store is disconnected, as by `POST
    /stores/{id}/disconnect`, and the app is removed from the shop. The store's data stays for two
    days, until Shopify demands its deletion, and for good if the shop is connected again by then.
    """
    service.end_connection(caller.workspace, key, writes)


lambda_handler = app.handler()
