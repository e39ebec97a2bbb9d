"""API keys: made, renamed, rotated and revoked by owners and admins."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler.openapi.params import Path, Query

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
from storepost.accounts.invitations.cancelling import cancel_invitations_of_key
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
    status: Annotated[
        list[KeyStatus] | None, Query(description="Only keys with this status.")
    ] = None,
    scope: Annotated[
        list[KeyScope] | None, Query(description="Only keys of exactly this scope.")
    ] = None,
    sort: Annotated[
        KeyOrder,
        Query(
            description="What to sort by; `-` before it reverses the order. Keys that were "
            "never used come last by `lastUsedAt`, and first by `-lastUsedAt`. "
            "Newest first (`-createdAt`) if left out."
        ),
    ] = "-createdAt",
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[ApiKeySummary]:
    """List API keys.

    Lists the workspace's keys, revoked ones too, newest first unless `sort` says otherwise. No
    secret is shown.
    """
    filters = service.KeyFilter(q, frozenset(status or ()), frozenset(scope or ()))
    listing = service.list_keys(caller.workspace, filters, sort, PageRequest(page, page_size))
    return Page[ApiKeySummary].of(listing, ApiKeySummary.of)


@app.post("/v1/api-keys", operation_id="apiKeys.create", status_code=201)
def create_api_key(caller: SignedInAdmin, writes: Writes, body: NewApiKey) -> CreatedApiKey:
    """Create an API key.

    The key belongs to the workspace and works from the next request on. Its secret is in this
    answer and never again. A workspace has at most 100 active keys. The key keeps working when its
    maker leaves the workspace.
    """
    return CreatedApiKey.of(service.create_key(caller, body.name, body.scope, writes))


@app.get("/v1/api-keys/<id>", operation_id="apiKeys.get")
def get_api_key(
    id: Annotated[UUID, Path(description="The API key to read.")], caller: SignedInAdmin
) -> ApiKeySummary:
    """Get an API key.

    Revoked keys can be read too. The secret is never shown again.
    """
    return ApiKeySummary.of(service.get_key(caller.workspace, id))


@app.patch(
    "/v1/api-keys/<id>",
    operation_id="apiKeys.update",
    response_description="The key with its new name.",
)
def update_api_key(
    id: Annotated[UUID, Path(description="The API key to rename.")],
    caller: SignedInAdmin,
    writes: Writes,
    body: ApiKeyUpdate,
) -> ApiKeySummary:
    """Rename an API key.

    Its secret and scope stay as they are. A revoked key can't be renamed.
    """
    return ApiKeySummary.of(service.rename_key(caller.workspace, id, body.name, writes))


@app.post(
    "/v1/api-keys/<id>/rotate",
    operation_id="apiKeys.rotate",
    response_description="The key with its new secret, which is shown this once.",
)
def rotate_api_key(
    id: Annotated[
        UUID, Path(description="The API key to rotate. A key that calls can only name itself.")
    ],
    caller: Rotator,
    writes: Writes,
    body: ApiKeyRotation | None = None,
) -> CreatedApiKey:
    """Rotate an API key.

    The key gets a new secret and keeps its id, name and scope. The old secret works until
    `overlapSeconds` are over, also where the key is rotated again meanwhile; without an overlap
    every former secret ends at once. At most five secrets of a key work at a time. A `write` key
    can rotate itself. The workspace's owner and the person who made the key are notified by email.
    """
    overlap = body.overlap_seconds if body else None
    return CreatedApiKey.of(service.rotate_key(caller, id, overlap, writes))


@app.post(
    "/v1/api-keys/<id>/revoke",
    operation_id="apiKeys.revoke",
    response_description="The revoked key: no request with it is accepted any more.",
)
def revoke_api_key(
    id: Annotated[UUID, Path(description="The API key to revoke.")],
    caller: SignedInAdmin,
    writes: Writes,
) -> ApiKeySummary:
    """Revoke an API key.

    The key ends with the next request, and so does the old secret of a rotation. Open invitations
    that the key made are cancelled. It can't be undone. Revoking a revoked key changes nothing and
    is 200 too.
    """
    revoked = service.revoke_key(caller.workspace, id, writes)
    cancel_invitations_of_key(caller.workspace, id, writes)
    return ApiKeySummary.of(revoked)


lambda_handler = app.handler()
