"""Workspaces: making one, changing its name or policy, and the slug that a name would get."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from storepost.accounts.me.schemas import PasswordProof
from storepost.accounts.workspaces import service
from storepost.accounts.workspaces.schemas import (
    AvailableSlug,
    CreatedWorkspace,
    NewWorkspace,
    WorkspaceName,
    WorkspaceSummary,
    WorkspaceUpdate,
)
from storepost.api.http.app import create_app
from storepost.api.http.callers import Known, PathMember, PathOwner, SignedIn
from storepost.api.http.once import Writes
from storepost.api.http.origin import From
from storepost.lifecycle.workspaces import service as deletion

app = create_app()


@app.post(
    "/v1/workspaces",
    operation_id="workspaces.create",
    status_code=201,
    response_description="The new workspace; the caller owns it.",
)
def create_workspace(caller: SignedIn, writes: Writes, body: NewWorkspace) -> CreatedWorkspace:
    """Create a workspace.

    The signed-in person becomes its owner. The slug is made from the name. Where the session has no
    active workspace, this one becomes active.
    """
    return CreatedWorkspace.from_model(service.create_workspace(caller, body.name, writes))


@app.get("/v1/workspaces/available-slug", operation_id="workspaces.availableSlug")
def available_slug(
    _caller: Known,
    name: Annotated[WorkspaceName, Query(description="What the new workspace would be called.")],
) -> AvailableSlug:
    """Check which slug a name gets.

    Answers the slug that a new workspace of that name would get: the name in small letters with
    hyphens, and a number where that is taken. Nothing is reserved.
    """
    return AvailableSlug(slug=service.available_slug(name))


@app.get("/v1/workspaces/<id>", operation_id="workspaces.get")
def get_workspace(
    id: Annotated[
        UUID, Path(description="The workspace to read, one that the signed-in person belongs to.")
    ],
    caller: PathMember,
) -> WorkspaceSummary:
    """Get a workspace.

    One of the signed-in person's own workspaces, with their role there. It needn't be the session's
    active one. `GET /me` lists all of them.
    """
    return WorkspaceSummary.of(service.get_workspace(caller, id))


@app.patch(
    "/v1/workspaces/<id>",
    operation_id="workspaces.update",
    status_code=204,
    response_description="The workspace is changed.",
)
def update_workspace(
    id: Annotated[
        UUID, Path(description="The workspace to change, one that the signed-in person owns.")
    ],
    caller: PathOwner,
    writes: Writes,
    body: WorkspaceUpdate,
) -> None:
    """Update a workspace.

    Changes the name or whether two-factor authentication is required. The slug never changes. The
    workspace needn't be the session's active one. Requiring two-factor locks out members who have
    it off, until they turn it on; their own accounts stay open to them.
    """
    service.update_workspace(caller, id, body.name, body.require_two_factor, writes)


@app.post(
    "/v1/workspaces/<id>/delete",
    operation_id="workspaces.delete",
    status_code=202,
    response_description="Nobody reaches the workspace any more; its data is being deleted. The "
    "answer has no body.",
)
def delete_workspace(
    id: Annotated[
        UUID, Path(description="The workspace to delete, one that the signed-in person owns.")
    ],
    caller: PathOwner,
    origin: From,
    writes: Writes,
    body: PasswordProof,
) -> None:
    """Delete a workspace.

    It can't be undone. Nobody reaches the workspace from then on: it is active in no session, its
    keys and invitations have ended and its slug is free. Its stores are disconnected and all its
    data is deleted, within minutes or, of a large one, within hours. Unsubscribe links in emails
    that were sent for it lead nowhere any more.
    """
    deletion.delete_workspace(caller, id, body.password, origin.ip_address, writes)


lambda_handler = app.handler()
