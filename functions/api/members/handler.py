"""Members: who belongs to the workspace, as what, and how that ends."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler.openapi.params import Body, Query

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
    role: Annotated[list[Role] | None, Query()] = None,
    sort: Annotated[MemberOrder, Query()] = "joinedAt",
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[MemberSummary]:
    """The workspace's members, those who joined first before the others unless sorted otherwise."""
    filters = service.MemberFilter(q, frozenset(role or ()))
    listing = service.list_members(caller.workspace, filters, sort, PageRequest(page, page_size))
    return Page[MemberSummary].of(listing, MemberSummary.of)


@app.post(
    "/v1/members/<id>/transfer-ownership",
    operation_id="members.transferOwnership",
    status_code=204,
)
def transfer_ownership(id: UUID, caller: Owner, writes: Writes) -> None:
    """Makes another member the owner; the caller becomes an admin."""
    service.transfer_ownership(caller, id, writes)


@app.patch("/v1/members/<id>", operation_id="members.updateRole", status_code=204)
def update_member_role(
    id: UUID, caller: Admin, writes: Writes, body: Annotated[MemberUpdate, Body()]
) -> None:
    """Makes a member an admin, or an admin a member."""
    service.change_role(caller, id, body.role, writes)


@app.delete("/v1/members/<id>", operation_id="members.delete", status_code=204)
def delete_member(id: UUID, caller: Admin, writes: Writes) -> None:
    """Removes a member, whose access ends with the next request."""
    service.delete_member(caller, id, writes)


@app.post("/v1/members/leave", operation_id="members.leave", status_code=204)
def leave_workspace(caller: Member, writes: Writes) -> None:
    """Ends the caller's own membership in the active workspace."""
    service.leave(caller, writes)


lambda_handler = app.handler()
