"""Connections on the wire."""

from typing import Annotated
from uuid import UUID

from pydantic import StringConstraints

from storepost.connections.connections.model import Connection as Value
from storepost.connections.connections.model import ConnectionState, ConnectionType
from storepost.values.wire import TEXT_LENGTH, RequestBody, Shape, Timestamp


class NewConnection(RequestBody):
    """A shop to connect."""

    type: ConnectionType
    shop: Annotated[
        str, StringConstraints(strip_whitespace=True, to_lower=True, max_length=TEXT_LENGTH)
    ]


class Connection(Shape):
    """A connection of the workspace."""

    key: str
    type: ConnectionType
    name: str
    identifier: str
    state: ConnectionState
    connected_at: Timestamp
    path: str | None
    connect_intent_id: UUID | None

    @classmethod
    def of(cls, connection: Value) -> "Connection":
        """The connection in this shape."""
        return cls(
            key=connection.key,
            type=ConnectionType.SHOPIFY,
            name=connection.name,
            identifier=connection.shop,
            state=connection.state,
            connected_at=connection.connected_at,
            path=connection.install_address,
            connect_intent_id=connection.install_id,
        )
