"""Workspaces: making one, changing its name or policy, and the slug that a name would get."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler.openapi.params import Body, Query

from storepost.accounts.me.schemas import PasswordProof
from storepost.accounts.workspaces import service
from storepost.accounts.workspaces.schemas import (
    AvailableSlug,
    CreatedWorkspace,
    NewWorkspace,
    WorkspaceName,
    WorkspaceUpdate,
)
from storepost.api.http.app import create_app
from storepost.api.http.callers import Known, PathOwner, SignedIn
from storepost.api.http.once import Writes
from storepost.api.http.origin import From
from storepost.lifecycle.workspaces import service as deletion

app = create_app()


@app.post("/v1/workspaces", operation_id="workspaces.create", status_code=201)
def create_workspace(
    caller: SignedIn, writes: Writes, body: Annotated[NewWorkspace, Body()]
) -> CreatedWorkspace:
    """Makes a workspace whose owner is the caller; its slug is derived from the name."""
    return CreatedWorkspace.of(service.create_workspace(caller, body.name, writes))


@app.get("/v1/workspaces/available-slug", operation_id="workspaces.availableSlug")
def available_slug(
    _caller: Known,
    name: Annotated[WorkspaceName, Query(description="What the workspace is to be called.")],
) -> AvailableSlug:
    """The slug that a new workspace of that name would get."""
    return AvailableSlug(slug=service.available_slug(name))


@app.patch("/v1/workspaces/<id>", operation_id="workspaces.update", status_code=204)
def update_workspace(
    id: UUID,
    caller: PathOwner,
    writes: Writes,
    body: Annotated[WorkspaceUpdate, Body()],
) -> None:
    """Changes the name or the two-factor policy; the slug never changes."""
    service.update_workspace(caller, id, body.name, body.require_two_factor, writes)


@app.post("/v1/workspaces/<id>/delete", operation_id="workspaces.delete", status_code=202)
def delete_workspace(
    id: UUID,
    caller: PathOwner,
    origin: From,
    writes: Writes,
    body: Annotated[PasswordProof, Body()],
) -> None:
    """Deletes a workspace; it can't be undone.

    Nobody reaches it from then on: it is active in no session, its keys and invitations have ended
    and its slug is free. Its stores are disconnected and everything that it held is removed, within
    minutes or, of a large one, within hours. Unsubscribe links in emails that were sent for it lead
    nowhere any more.
    """
    deletion.delete_workspace(caller, id, body.password, origin.ip_address, writes)


lambda_handler = app.handler()
