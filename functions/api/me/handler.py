"""The signed-in person: account, two-factor settings, sessions."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler.openapi.params import Body

from storepost.http.app import create_app
from storepost.http.callers import Known, SignedIn
from storepost.http.lists import Page, PageNumber, Size
from storepost.http.once import Writes
from storepost.me import account, sessions
from storepost.me.schemas import ChosenWorkspace, Me, MeUpdate, SessionSummary
from storepost.pagination import PageRequest, PageSize

app = create_app()


@app.get("/v1/me", operation_id="me.get")
def get_me(caller: Known) -> Me:
    """Who calls; for a key the person who made it, with the key's workspace alone."""
    return Me.of(account.account_of(caller))


@app.patch("/v1/me", operation_id="me.update", status_code=204)
def update_me(caller: SignedIn, writes: Writes, body: Annotated[MeUpdate, Body()]) -> None:
    """Changes the person's name."""
    account.rename(caller, body.name, writes)


@app.put("/v1/me/workspace", operation_id="me.setWorkspace", status_code=204)
def set_workspace(
    caller: SignedIn, writes: Writes, body: Annotated[ChosenWorkspace, Body()]
) -> None:
    """Chooses the workspace that this session works in; the next session opens in it too."""
    account.choose_workspace(caller, body.workspace_id, writes)


@app.get("/v1/sessions", operation_id="sessions.list")
def list_sessions(
    caller: SignedIn, page: PageNumber = 1, page_size: Size = PageSize.TWENTY_FIVE
) -> Page[SessionSummary]:
    """Where the person is signed in, most recently active first."""
    listing = sessions.list_sessions(caller, PageRequest(page, page_size))
    current = caller.session.id
    return Page[SessionSummary].of(listing, lambda row: SessionSummary.of(row, current))


@app.delete("/v1/sessions/<id>", operation_id="sessions.delete", status_code=204)
def delete_session(id: UUID, caller: SignedIn, writes: Writes) -> None:
    """Signs a browser or device out at once."""
    sessions.end_session(caller, id, writes)


lambda_handler = app.handler()
