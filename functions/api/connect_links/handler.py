"""Connect links: the person who approved the app in a shop chooses the shop's workspace."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler.openapi.params import Path

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
def preview_connect_link(
    id: Annotated[UUID, Path(description="The connect link to show: its id from the address.")],
) -> ConnectLinkPreview:
    """Preview a connect link.

    Shows the store that the holder of the link may connect, before they sign in. A used link is
    shown too until its hour is over.
    """
    return ConnectLinkPreview.of(service.preview(id))


@app.get("/v1/connect-links/<id>", operation_id="connectLinks.get")
def get_connect_link(
    id: Annotated[UUID, Path(description="The connect link to use: its id from the address.")],
    caller: SignedIn,
) -> ConnectLink:
    """Get a connect link.

    Shows the store, and the workspaces that the signed-in person may connect it to. A link works
    for one hour, and once.
    """
    link = service.open_link(id)
    return ConnectLink.of(link, service.choices_of(caller, link))


@app.post("/v1/connect-links/<id>/connect", operation_id="connectLinks.connect")
def connect(
    id: Annotated[UUID, Path(description="The connect link to use up: its id from the address.")],
    caller: SignedIn,
    writes: Writes,
    body: ConnectChoice,
) -> ConnectResult:
    """Connect a store by a connect link.

    Connects the store to a workspace where the person is owner or admin, or to a new one, and
    queues its first imports. A shop belongs to one workspace at a time: one that is connected
    elsewhere moves, and the owner of its former workspace is notified by email. A store that was
    connected to the workspace before keeps its id, and is sent the changes of consent that it
    missed.
    """
    return ConnectResult.of(service.connect(caller, id, body.root.value(), writes))


lambda_handler = app.handler()
