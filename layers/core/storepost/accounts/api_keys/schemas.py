"""API keys on the wire."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, StrictInt, StringConstraints

from storepost.accounts.api_keys.model import OVERLAP_SECONDS, ApiKey, KeyStatus
from storepost.accounts.api_keys.service import KeyView, NewSecret
from storepost.accounts.identity.model import KeyScope
from storepost.values.wire import SEEN, RequestBody, SecretAnswer, Shape, Timestamp

KeyOrder = Literal["name", "-name", "createdAt", "-createdAt", "lastUsedAt", "-lastUsedAt"]

KeyName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100), SEEN
]


class NewApiKey(RequestBody):
    """An API key to create. Its scope never changes afterwards."""

    name: KeyName = Field(
        description="What the key is called in lists and emails, such as the "
        "integration that uses it. Two keys may have the same name."
    )
    scope: KeyScope = Field(
        description="What the key may do: `read` reads everything, `propose` also "
        "makes change proposals, `write` also changes everything. It can't "
        "be changed later."
    )


class ApiKeyUpdate(RequestBody):
    """What can be changed of an API key: its name alone."""

    name: KeyName = Field(description="What the key is called in lists and emails from now on.")


class ApiKeyRotation(RequestBody):
    """How long the old secret of an API key works beside the new one."""

    overlap_seconds: Annotated[StrictInt, Field(ge=0, le=OVERLAP_SECONDS)] | None = Field(
        default=None,
        description="For how many seconds the old secret keeps working. Left out or null: 0, it "
        "ends at once. Where a key rotates itself it is at least 300, and 3,600 if left out, so "
        "that the key can't lock itself out.",
    )


class ApiKeySummary(Shape):
    """An API key as owners and admins see it: everything but its secret."""

    id: UUID = Field(description="The key's id. It stays the same when the key is rotated.")
    name: str = Field(description="What the key is called in lists and emails; it isn't unique.")
    scope: KeyScope = Field(
        description="What the key may do: `read` < `propose` < `write`, each with all "
        "that the ones before it may."
    )
    prefix: str = Field(
        description="The first 12 characters of the newest secret, such as "
        "`stp_7Kq2mX9a`: by them you recognise a key in your "
        "configuration. They open nothing."
    )
    created_by: str | None = Field(
        description="The name of the person who made the key. Null once that person's "
        "account is deleted."
    )
    created_at: Timestamp = Field(
        description="When the key was made; a rotation doesn't change it."
    )
    last_used_at: Timestamp | None = Field(
        description="When a request last came with this key, to the minute. Null as "
        "long as none did."
    )
    rotated_at: Timestamp | None = Field(
        description="When the key last got a new secret. Null where it has its first one."
    )
    status: KeyStatus = Field(
        description="`active`, or `revoked`: a revoked key never works again, and stays in lists."
    )
    revoked_at: Timestamp | None = Field(
        description="When the key was revoked. Null while it is active."
    )

    @classmethod
    def of(cls, view: KeyView) -> "ApiKeySummary":
        """Returns the key in this shape."""
        key: ApiKey = view.key
        return cls.from_model(key, created_by=view.created_by)


class CreatedApiKey(SecretAnswer):
    """An API key with its new secret, which is shown this once."""

    api_key: ApiKeySummary = Field(description="The key as lists show it, without the secret.")
    key: str = Field(
        description="The secret: send it as `Authorization: Bearer <key>`. It isn't "
        "stored and can't be shown again, so keep it like a password."
    )

    @classmethod
    def of(cls, made: NewSecret) -> "CreatedApiKey":
        """Returns the key and its secret in this shape."""
        return cls(api_key=ApiKeySummary.of(made.view), key=made.secret)
