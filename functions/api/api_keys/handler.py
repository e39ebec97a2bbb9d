"""API keys: made, renamed, rotated and revoked by owners and admins."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler.openapi.params import Body, Query

from storepost.accounts.api_keys import service
from storepost.accounts.api_keys.model import KeyStatus
from storepost.accounts.api_keys.schemas import (
    ApiKeyRotation,
    ApiKeySummary,
    ApiKeyUpdate,
    CreatedApiKey,
    KeyOrder,
    NewApiKey,
)
from storepost.accounts.identity.model import KeyScope
from storepost.accounts.invitations.withdrawing import withdraw_of_key
from storepost.api.http.app import create_app
from storepost.api.http.callers import Rotator, SignedInAdmin
from storepost.api.http.lists import Page, PageNumber, Search, Size
from storepost.api.http.once import Writes
from storepost.values.pagination import PageRequest, PageSize

app = create_app()


@app.get("/v1/api-keys", operation_id="apiKeys.list")
def list_api_keys(
    caller: SignedInAdmin,
    q: Search | None = None,
    status: Annotated[list[KeyStatus] | None, Query()] = None,
    scope: Annotated[list[KeyScope] | None, Query()] = None,
    sort: Annotated[KeyOrder, Query()] = "-createdAt",
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[ApiKeySummary]:
    """The workspace's keys, revoked ones too, newest first unless sorted otherwise."""
    filters = service.KeyFilter(q, frozenset(status or ()), frozenset(scope or ()))
    listing = service.list_keys(caller.workspace, filters, sort, PageRequest(page, page_size))
    return Page[ApiKeySummary].of(listing, ApiKeySummary.of)


@app.post("/v1/api-keys", operation_id="apiKeys.create", status_code=201)
def create_api_key(
    caller: SignedInAdmin, writes: Writes, body: Annotated[NewApiKey, Body()]
) -> CreatedApiKey:
    """Makes a key; its secret is shown this once."""
    return CreatedApiKey.of(service.create_key(caller, body.name, body.scope, writes))


@app.get("/v1/api-keys/<id>", operation_id="apiKeys.get")
def get_api_key(id: UUID, caller: SignedInAdmin) -> ApiKeySummary:
    """One key, a revoked one too."""
    return ApiKeySummary.of(service.get_key(caller.workspace, id))


@app.patch("/v1/api-keys/<id>", operation_id="apiKeys.update", status_code=204)
def update_api_key(
    id: UUID,
    caller: SignedInAdmin,
    writes: Writes,
    body: Annotated[ApiKeyUpdate, Body()],
) -> None:
    """Renames an active key."""
    service.rename_key(caller.workspace, id, body.name, writes)


@app.post("/v1/api-keys/<id>/rotate", operation_id="apiKeys.rotate")
def rotate_api_key(
    id: UUID,
    caller: Rotator,
    writes: Writes,
    body: Annotated[ApiKeyRotation | None, Body()] = None,
) -> CreatedApiKey:
    """Gives a key a new secret; the old one works until the overlap ends."""
    overlap = body.overlap_seconds if body else None
    return CreatedApiKey.of(service.rotate_key(caller, id, overlap, writes))


@app.post("/v1/api-keys/<id>/revoke", operation_id="apiKeys.revoke", status_code=204)
def revoke_api_key(
    id: UUID,
    caller: SignedInAdmin,
    writes: Writes,
) -> None:
    """Ends a key from the next request on, with the open invitations that it made; repeatable."""
    service.revoke_key(caller.workspace, id, writes)
    withdraw_of_key(caller.workspace, id, writes)


lambda_handler = app.handler()
