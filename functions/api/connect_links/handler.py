"""Connect links: whoever approved the app in a shop chooses the shop's workspace."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler.openapi.params import Body

from storepost.api.http.app import create_app
from storepost.api.http.callers import SignedIn
from storepost.api.http.once import Writes
from storepost.connections.links import service
from storepost.connections.links.schemas import (
    ConnectChoice,
    ConnectLink,
    ConnectLinkPreview,
    ConnectResult,
)

app = create_app()


@app.get("/v1/connect-links/<id>/preview", operation_id="connectLinks.preview")
def preview_connect_link(id: UUID) -> ConnectLinkPreview:
    """The store that the holder of a link may connect."""
    return ConnectLinkPreview.of(service.preview(id))


@app.get("/v1/connect-links/<id>", operation_id="connectLinks.get")
def get_connect_link(id: UUID, caller: SignedIn) -> ConnectLink:
    """The store, and the workspaces that the caller may connect it to."""
    link = service.open_link(id)
    return ConnectLink.of(link, service.choices_of(caller, link))


@app.post("/v1/connect-links/<id>/connect", operation_id="connectLinks.connect")
def connect(
    id: UUID, caller: SignedIn, writes: Writes, body: Annotated[ConnectChoice, Body()]
) -> ConnectResult:
    """Connects the store to a workspace of the caller's, or to a new one.

    A shop belongs to one workspace at a time: one that is connected elsewhere moves, and the owner
    of where it was is told by email.
    """
    return ConnectResult.of(service.connect(caller, id, body.root.value(), writes))


lambda_handler = app.handler()
