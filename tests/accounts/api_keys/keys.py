"""API keys as their tests make them and look at them."""

from uuid import UUID

from storepost.accounts.api_keys.repository import ActiveKeysItem, active_keys_key
from storepost.accounts.identity.repository import ApiKeyTokenItem, token_key
from storepost.accounts.identity.tokens import digest
from storepost.platform.persistence.item import find
from storepost.values.scope import WorkspaceScope
from tests.harness.world import CANARY, Someone, World


def made(by: Someone, name: str = f"Key {CANARY}", scope: str = "write") -> tuple[UUID, str]:
    """A new key: its id and its secret."""
    answer = by.call("POST", "/api-keys", {"name": name, "scope": scope})
    assert answer.status == 201, answer.body
    return UUID(answer.json["apiKey"]["id"]), answer.json["key"]


def shown(by: Someone, key: UUID) -> dict[str, object]:
    """The key as it is answered."""
    answer = by.call("GET", f"/api-keys/{key}")
    assert answer.status == 200, answer.body
    body: dict[str, object] = answer.json
    return body


def revoked(by: Someone, key: UUID) -> None:
    """Ends the key."""
    answer = by.call("POST", f"/api-keys/{key}/revoke")
    assert answer.status == 200
    assert answer.json == shown(by, key)


def works(world: World, secret: str) -> bool:
    """Whether the secret authenticates a request."""
    status = world.call("GET", "/members", token=secret).status
    assert status in {200, 401}
    return status == 200


def name_behind(secret: str) -> str:
    """The name that authentication reads for a secret."""
    row = find(ApiKeyTokenItem, token_key(digest(secret)))
    assert row is not None
    return row.name


def tokens(world: World) -> list[str]:
    """The digests of the secrets that authentication knows."""
    return [row.pk for row in world.rows("token#") if isinstance(row, ApiKeyTokenItem)]


def counted(workspace: WorkspaceScope) -> int:
    """How many active keys the limit knows of."""
    row = find(ActiveKeysItem, active_keys_key(workspace))
    assert row is not None
    return int(row.active)


ALL = [
    ("GET", "/api-keys", None),
    ("POST", "/api-keys", {"name": "Key", "scope": "read"}),
    ("GET", "/api-keys/{id}", None),
    ("PATCH", "/api-keys/{id}", {"name": "New"}),
    ("POST", "/api-keys/{id}/rotate", None),
    ("POST", "/api-keys/{id}/revoke", None),
]
