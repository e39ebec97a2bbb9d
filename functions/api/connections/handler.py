"""Connections to platforms: begun here, approved by the shop, ended here."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body, Query

from storepost.api.http.app import create_app
from storepost.api.http.callers import Reader, SignedInAdmin
from storepost.api.http.lists import Page, PageNumber, Size
from storepost.api.http.once import Writes
from storepost.api.http.origin import From, RawQuery
from storepost.connections.connections import service
from storepost.connections.connections.approval import approved
from storepost.connections.connections.model import ConnectionState, ConnectionType
from storepost.connections.connections.schemas import Connection, NewConnection
from storepost.values.pagination import PageRequest, PageSize

app = create_app(any_query=frozenset({"connections.shopifyCallback"}))


@app.get("/v1/connections", operation_id="connections.list")
def list_connections(
    caller: Reader,
    origin: From,
    type: Annotated[list[ConnectionType] | None, Query()] = None,  # noqa: ARG001 - there is one
    state: Annotated[list[ConnectionState] | None, Query()] = None,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[Connection]:
    """The workspace's connections, newest first: pending and disconnected ones too."""
    listing = service.list_connections(
        caller.workspace, state, origin.base_url, PageRequest(page, page_size)
    )
    return Page[Connection].of(listing, Connection.of)


@app.post("/v1/connections", operation_id="connections.create", status_code=201)
def create_connection(
    caller: SignedInAdmin, origin: From, writes: Writes, body: Annotated[NewConnection, Body()]
) -> Connection:
    """Begins an install: `path` is where the shop approves it, within ten minutes.

    Nothing is connected by that. Whoever approves it in the shop is led to a link, and chooses
    there which workspace the shop is connected to.
    """
    install = service.begin_connection(caller.workspace, body.shop, origin.base_url, writes)
    return Connection.of(install)


@app.get("/v1/connections/shopify/callback", operation_id="connections.shopifyCallback")
def shopify_callback(query: RawQuery, origin: From) -> Response[None]:
    """Where Shopify leads back to, with its signature: on to the link of whoever approved.

    It never connects anything. The parameters are Shopify's; they count once.
    """
    return Response(302, headers={"Location": approved(query, origin.base_url)})


@app.get("/v1/connections/<key>", operation_id="connections.get")
def get_connection(key: str, caller: Reader, origin: From) -> Connection:
    """One connection, by its key such as `shopify:name.myshopify.com`."""
    return Connection.of(service.connection_of(caller.workspace, key, origin.base_url))


@app.delete("/v1/connections/<key>", operation_id="connections.delete", status_code=204)
def delete_connection(key: str, caller: SignedInAdmin, writes: Writes) -> None:
    """Cancels an install that is waited for, else disconnects the store and removes the app."""
    service.end_connection(caller.workspace, key, writes)


lambda_handler = app.handler()
