"""Connections on the wire."""

from typing import Annotated
from uuid import UUID

from pydantic import Field, StringConstraints

from storepost.connections.connections.model import Connection as Value
from storepost.connections.connections.model import ConnectionState, ConnectionType
from storepost.values.wire import TEXT_LENGTH, RequestBody, Shape, Timestamp


class NewConnection(RequestBody):
    """A shop to connect."""

    type: ConnectionType = Field(description="What is to be connected; `shopify` alone so far.")
    shop: Annotated[
        str, StringConstraints(strip_whitespace=True, to_lower=True, max_length=TEXT_LENGTH)
    ] = Field(
        description="The shop's address as Shopify has it, such as "
        "`birch-loom.myshopify.com`. Its own domain isn't accepted."
    )


class Connection(Shape):
    """A Shopify shop of the workspace, or one that is about to be connected."""

    key: str = Field(
        description="Names the connection within the workspace: `shopify:` and the shop's address."
    )
    type: ConnectionType = Field(description="What is connected; `shopify` alone so far.")
    name: str = Field(
        description="The shop's name; the first part of its address while it isn't connected yet."
    )
    identifier: str = Field(description="The shop's address, such as `birch-loom.myshopify.com`.")
    state: ConnectionState = Field(
        description="The first of these that applies. `pending`: the shop has to approve, or the "
        "person who approved has to choose a workspace. `disconnected`. `needs_attention`: the "
        "shop has to approve the app again, or the latest import failed. `importing`: an import "
        "runs or waits. `connected`."
    )
    connected_at: Timestamp = Field(
        description="When the shop was connected, the last time; while `pending`, when "
        "that was begun."
    )
    path: str | None = Field(
        description="Where the shop approves a pending connection: open it in a "
        "browser. Null once it did, and in every other state."
    )
    connect_intent_id: UUID | None = Field(
        description="Names a pending connection; another one of the same shop gets "
        "another. Null in every other state."
    )

    @classmethod
    def of(cls, connection: Value) -> "Connection":
        """Returns the connection in this shape."""
        return cls.from_model(
            connection,
            type=ConnectionType.SHOPIFY,
            identifier=connection.shop,
            path=connection.install_address,
            connect_intent_id=connection.install_id,
        )
