"""Invitations: sent and withdrawn by a workspace, answered by the invited person."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler.openapi.params import Path

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
    """List open invitations.

    Lists those that nobody has answered or deleted, expired ones too, newest first. `q` searches
    their email addresses.
    """
    listing = service.list_invitations(caller.workspace, q, PageRequest(page, page_size))
    return Page[InvitationSummary].of(listing, InvitationSummary.of)


@app.post(
    "/v1/invitations",
    operation_id="invitations.create",
    status_code=201,
    response_description="The invitation; its email is on its way.",
)
def create_invitation(
    caller: Admin, origin: From, writes: Writes, body: NewInvitation
) -> InvitationSummary:
    """Invite somebody to the workspace.

    Emails the address a link that is valid for seven days. A person sends at most 50 invitation
    emails in a day, and a key counts as the person who made it. Where a key invites an admin, the
    owner is notified by email.
    """
    invitation = service.invite(caller, body.email, body.role, origin.base_url, writes)
    return InvitationSummary.of(invitation)


@app.get("/v1/invitations/<id>", operation_id="invitations.get")
def get_invitation(
    id: Annotated[UUID, Path(description="The open invitation to read.")], caller: Reader
) -> InvitationSummary:
    """Get an open invitation.

    An invitation that nobody has answered or cancelled, an expired one too. A closed one is 404.
    The holder of the emailed link sees it by its preview instead.
    """
    return InvitationSummary.of(service.get_invitation(caller.workspace, id))


@app.get("/v1/invitations/<id>/preview", operation_id="invitations.preview")
def preview_invitation(
    id: Annotated[UUID, Path(description="The invitation to show: its id from the emailed link.")],
) -> InvitationPreview:
    """Preview an invitation.

    Shows what the holder of an emailed link is invited to, before they sign in. A deleted, answered
    or expired invitation is still shown, with its `status`.
    """
    return InvitationPreview.of(*service.preview(id))


@app.post(
    "/v1/invitations/<id>/resend",
    operation_id="invitations.resend",
    status_code=204,
    response_description="The link is on its way, and valid for seven days from now.",
)
def resend_invitation(
    id: Annotated[UUID, Path(description="The invitation to send again.")],
    caller: Admin,
    origin: From,
    writes: Writes,
) -> None:
    """Resend an invitation.

    Emails the link of an open invitation again, an hour after it was last sent at the earliest. Its
    seven days start again, also where they were over. It counts as one of the sender's 50
    invitation emails in a day.
    """
    service.resend(caller, id, origin.base_url, writes)


@app.delete(
    "/v1/invitations/<id>",
    operation_id="invitations.delete",
    status_code=204,
    response_description="The invitation is cancelled and can't be accepted any more.",
)
def delete_invitation(
    id: Annotated[UUID, Path(description="The open invitation to cancel.")],
    caller: Admin,
    writes: Writes,
) -> None:
    """Cancel an invitation.

    The emailed link stops working. The invited person isn't notified; whoever opens the link sees
    that it was cancelled.
    """
    service.delete_invitation(caller.workspace, id, writes)


@app.post(
    "/v1/invitations/<id>/accept",
    operation_id="invitations.accept",
    response_description="The workspace that the person belongs to now.",
)
def accept_invitation(
    id: Annotated[
        UUID, Path(description="The invitation to accept: its id from the emailed link.")
    ],
    caller: SignedIn,
    writes: Writes,
) -> AcceptedInvitation:
    """Accept an invitation.

    Makes the signed-in person a member of the workspace. They must be signed in with the invited
    address. Where their session has no active workspace, this one becomes active; otherwise choose
    it with `PUT /me/workspace`.
    """
    return AcceptedInvitation(workspace_slug=service.accept(caller, id, writes).slug)


@app.post(
    "/v1/invitations/<id>/decline",
    operation_id="invitations.decline",
    status_code=204,
    response_description="The invitation is declined and can't be accepted any more.",
)
def decline_invitation(
    id: Annotated[
        UUID, Path(description="The invitation to decline: its id from the emailed link.")
    ],
    caller: SignedIn,
    writes: Writes,
) -> None:
    """Decline an invitation.

    The invitation is closed as `rejected`, and the link stops working. The workspace isn't notified
    by email; it can invite the address again.
    """
    service.decline(caller, id, writes)


lambda_handler = app.handler()
