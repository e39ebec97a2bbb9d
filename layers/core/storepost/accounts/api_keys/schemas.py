"""API keys on the wire."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, StrictInt, StringConstraints

from storepost.accounts.api_keys.model import OVERLAP_SECONDS, ApiKey, KeyStatus
from storepost.accounts.api_keys.service import KeyView, NewSecret
from storepost.accounts.identity.model import KeyScope
from storepost.values.wire import RequestBody, SecretAnswer, Shape, Timestamp

type KeyOrder = Literal["name", "-name", "createdAt", "-createdAt", "lastUsedAt", "-lastUsedAt"]

KeyName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]


class NewApiKey(RequestBody):
    """What a key begins with; the scope never changes."""

    name: KeyName
    scope: KeyScope


class ApiKeyUpdate(RequestBody):
    """What may change of a key."""

    name: KeyName


class ApiKeyRotation(RequestBody):
    """How long the old secret goes on working beside the new one."""

    overlap_seconds: Annotated[StrictInt, Field(ge=0, le=OVERLAP_SECONDS)] | None = None


class ApiKeySummary(Shape):
    """A key as owners and admins see it."""

    id: UUID
    name: str
    scope: KeyScope
    prefix: str
    created_by: str | None
    created_at: Timestamp
    last_used_at: Timestamp | None
    rotated_at: Timestamp | None
    status: KeyStatus
    revoked_at: Timestamp | None

    @classmethod
    def of(cls, view: KeyView) -> "ApiKeySummary":
        """The key in this shape."""
        key: ApiKey = view.key
        return cls(
            id=key.id,
            name=key.name,
            scope=key.scope,
            prefix=key.prefix,
            created_by=view.created_by,
            created_at=key.created_at,
            last_used_at=key.last_used_at,
            rotated_at=key.rotated_at,
            status=key.status,
            revoked_at=key.revoked_at,
        )


class CreatedApiKey(SecretAnswer):
    """A key with its new secret, which is shown this once."""

    api_key: ApiKeySummary
    key: str

    @classmethod
    def of(cls, made: NewSecret) -> "CreatedApiKey":
        """The key and its secret in this shape."""
        return cls(api_key=ApiKeySummary.of(made.view), key=made.secret)
