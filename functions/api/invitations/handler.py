"""Invitations: sent and withdrawn by a workspace, answered by the invited person."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler.openapi.params import Body

from storepost.accounts.invitations import service
from storepost.accounts.invitations.schemas import (
    AcceptedInvitation,
    InvitationPreview,
    InvitationSummary,
    NewInvitation,
)
from storepost.api.http.app import create_app
from storepost.api.http.callers import Admin, Reader, SignedIn
from storepost.api.http.lists import Page, PageNumber, Search, Size
from storepost.api.http.once import Writes
from storepost.api.http.origin import From
from storepost.values.pagination import PageRequest, PageSize

app = create_app()


@app.get("/v1/invitations", operation_id="invitations.list")
def list_invitations(
    caller: Reader,
    q: Search | None = None,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[InvitationSummary]:
    """The open invitations, expired ones too, newest first."""
    listing = service.list_invitations(caller.workspace, q, PageRequest(page, page_size))
    return Page[InvitationSummary].of(listing, InvitationSummary.of)


@app.post("/v1/invitations", operation_id="invitations.create", status_code=201)
def create_invitation(
    caller: Admin, origin: From, writes: Writes, body: Annotated[NewInvitation, Body()]
) -> InvitationSummary:
    """Emails an address a link that is valid for seven days."""
    invitation = service.invite(caller, body.email, body.role, origin.base_url, writes)
    return InvitationSummary.of(invitation)


@app.get("/v1/invitations/<id>/preview", operation_id="invitations.preview")
def preview_invitation(id: UUID) -> InvitationPreview:
    """What the holder of an emailed link is invited to."""
    return InvitationPreview.of(*service.preview(id))


@app.post("/v1/invitations/<id>/resend", operation_id="invitations.resend", status_code=204)
def resend_invitation(
    id: UUID,
    caller: Admin,
    origin: From,
    writes: Writes,
) -> None:
    """Emails an open invitation again; its seven days begin anew."""
    service.resend(caller, id, origin.base_url, writes)


@app.delete("/v1/invitations/<id>", operation_id="invitations.delete", status_code=204)
def delete_invitation(
    id: UUID,
    caller: Admin,
    writes: Writes,
) -> None:
    """Cancels an open invitation: the emailed link stops working."""
    service.delete_invitation(caller.workspace, id, writes)


@app.post("/v1/invitations/<id>/accept", operation_id="invitations.accept")
def accept_invitation(
    id: UUID,
    caller: SignedIn,
    writes: Writes,
) -> AcceptedInvitation:
    """Makes the invited person a member."""
    return AcceptedInvitation(workspace_slug=service.accept(caller, id, writes).slug)


@app.post("/v1/invitations/<id>/decline", operation_id="invitations.decline", status_code=204)
def decline_invitation(
    id: UUID,
    caller: SignedIn,
    writes: Writes,
) -> None:
    """Turns the invitation down."""
    service.decline(caller, id, writes)


lambda_handler = app.handler()
