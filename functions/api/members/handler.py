"""Members: who belongs to the workspace, as what, and how that ends."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from storepost.accounts.members import service
from storepost.accounts.members.schemas import MemberOrder, MemberSummary, MemberUpdate
from storepost.accounts.workspaces.model import Role
from storepost.api.http.app import create_app
from storepost.api.http.callers import Admin, Member, Owner, Reader
from storepost.api.http.lists import Page, PageNumber, Search, Size
from storepost.api.http.once import Writes
from storepost.values.pagination import PageRequest, PageSize

app = create_app()


@app.get("/v1/members", operation_id="members.list")
def list_members(
    caller: Reader,
    q: Search | None = None,
    role: Annotated[list[Role] | None, Query(description="Only members with this role.")] = None,
    sort: Annotated[
        MemberOrder,
        Query(
            description="What to sort by; `-` before it reverses the order. Who joined "
            "first comes first (`joinedAt`) if left out."
        ),
    ] = "joinedAt",
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[MemberSummary]:
    """List members.

    Lists the people who belong to the workspace; who joined first comes first unless `sort` says
    otherwise. `q` searches names and email addresses.
    """
    filters = service.MemberFilter(q, frozenset(role or ()))
    listing = service.list_members(caller.workspace, filters, sort, PageRequest(page, page_size))
    return Page[MemberSummary].of(listing, MemberSummary.of)


@app.get("/v1/members/<id>", operation_id="members.get")
def get_member(
    id: Annotated[UUID, Path(description="The member to read, by the membership's id.")],
    caller: Reader,
) -> MemberSummary:
    """Get a member.

    A person who belongs to the workspace, with their role there.
    """
    return MemberSummary.of(service.get_member(caller.workspace, id))


@app.post(
    "/v1/members/<id>/transfer-ownership",
    operation_id="members.transferOwnership",
    status_code=204,
    response_description="The member is the owner now, and the caller an admin.",
)
def transfer_ownership(
    id: Annotated[
        UUID, Path(description="The member who becomes the owner, by the membership's id.")
    ],
    caller: Owner,
    writes: Writes,
) -> None:
    """Transfer the ownership of the workspace.

    Makes another member the owner, and the caller an admin, in one step. Where the workspace
    requires two-factor authentication, the new owner must have it on.
    """
    service.transfer_ownership(caller, id, writes)


@app.patch(
    "/v1/members/<id>",
    operation_id="members.updateRole",
    status_code=204,
    response_description="The member has this role, as it may have been before.",
)
def update_member_role(
    id: Annotated[UUID, Path(description="The member whose role changes, by the membership's id.")],
    caller: Admin,
    writes: Writes,
    body: MemberUpdate,
) -> None:
    """Change a member's role.

    Makes a member an admin, or an admin a member, from the next request on. The owner's role
    changes only by a transfer. Where an API key does this, the owner is notified by email.
    """
    service.change_role(caller, id, body.role, writes)


@app.delete(
    "/v1/members/<id>",
    operation_id="members.delete",
    status_code=204,
    response_description="The person isn't a member any more.",
)
def delete_member(
    id: Annotated[UUID, Path(description="The member to remove, by the membership's id.")],
    caller: Admin,
    writes: Writes,
) -> None:
    """Remove a member.

    Ends somebody's membership: their access ends with the next request, and the account stays
    theirs. API keys that they made go on working but without the rights of their role, and the
    owner gets an email that lists these keys. The owner can't be removed. Where an API key does
    this, the owner is notified by email.
    """
    service.delete_member(caller, id, writes)


@app.post(
    "/v1/members/leave",
    operation_id="members.leave",
    status_code=204,
    response_description="The caller isn't a member any more.",
)
def leave_workspace(caller: Member, writes: Writes) -> None:
    """Leave the workspace.

    Ends the caller's own membership in the active workspace; the session has no active workspace
    then. The owner has to transfer the ownership first, or delete the workspace.
    """
    service.leave(caller, writes)


lambda_handler = app.handler()
