"""What tests of members look at, and the operations that write."""

from uuid import UUID

from storepost.accounts.workspaces.model import Role
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.values.scope import WorkspaceScope
from tests.harness.world import Someone, World


def make_key_on_leaving(admin: Someone) -> None:
    """An admin makes a key while another one removes them."""
    assert admin.call("POST", "/api-keys", {"name": "On leaving", "scope": "write"}).status == 201


def id_of(world: World, someone: Someone, workspace: WorkspaceScope) -> UUID:
    """The id of a person's membership."""
    membership = world.membership(someone, workspace)
    assert membership is not None
    return membership.id


def roles(workspace: WorkspaceScope) -> dict[UUID, Role]:
    """Every member's role, by person."""
    return {m.person_id: m.role for m in WorkspaceRepository(workspace).memberships()}


def listed(world: World, token: str, **query: object) -> list[str]:
    """The names on the first page."""
    answer = world.call("GET", "/members", token=token, query=query)
    assert answer.status == 200, answer.body
    assert answer.json["total"] == len(answer.json["items"])
    return [item["name"] for item in answer.json["items"]]


WRITES = [
    ("POST", "/members/{id}/transfer-ownership", None),
    ("PATCH", "/members/{id}", {"role": "admin"}),
    ("DELETE", "/members/{id}", None),
]
