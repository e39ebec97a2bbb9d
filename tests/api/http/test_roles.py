"""A caller who loses the required role while an operation runs changes nothing any more."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.accounts.workspaces.model import Role
from storepost.accounts.workspaces.repository import MembershipItem, MembershipPointerItem
from storepost.api.reference.documents import interface
from storepost.values.scope import WorkspaceScope
from tests.harness.world import Someone, World

URL = {"url": "https://1.1.1.1/consent"}
ENDPOINT = {"url": "https://1.1.1.1/events", "events": ["*"]}
OF_ADMINS = "an owner or admin who is signed in"

type Target = Callable[[World, Someone, WorkspaceScope], object]
"""Makes what the operation is about; what names it in the path."""


def no_target(_world: World, _owner: Someone, _workspace: WorkspaceScope) -> None:
    """The operation makes something."""


def a_key(world: World, owner: Someone, workspace: WorkspaceScope) -> UUID:
    return world.key_of(world.api_key(workspace, KeyScope.READ, owner)).id


def a_member(world: World, _owner: Someone, workspace: WorkspaceScope) -> UUID:
    membership = world.membership(world.member(workspace), workspace)
    assert membership is not None
    return membership.id


def a_store(world: World, owner: Someone, _workspace: WorkspaceScope) -> str:
    return world.store(owner)


def store_with_write_back(world: World, owner: Someone, _workspace: WorkspaceScope) -> str:
    store = world.store(owner)
    assert owner.call("PUT", f"/stores/{store}/write-back", URL).status == 200
    return store


def an_invitation(world: World, owner: Someone, _workspace: WorkspaceScope) -> object:
    body = {"email": "guest@example.com", "role": "member"}
    made = owner.call("POST", "/invitations", body).json["id"]
    world.advance(hours=1)
    return made


def a_connection(world: World, owner: Someone, _workspace: WorkspaceScope) -> object:
    body = {"type": "shopify", "shop": "one.myshopify.com"}
    return owner.call("POST", "/connections", body).json["key"]


def a_profile(world: World, owner: Someone, _workspace: WorkspaceScope) -> object:
    return owner.call("POST", "/profiles", {"email": "somebody@example.com"}).json["id"]


def an_endpoint(world: World, owner: Someone, _workspace: WorkspaceScope) -> object:
    made = owner.call("POST", "/webhook-endpoints", ENDPOINT)
    return made.json["endpoint"]["id"]


def a_delivery(world: World, owner: Someone, workspace: WorkspaceScope) -> str:
    """As a path has it, with its endpoint's id before."""
    endpoint = an_endpoint(world, owner, workspace)
    sent = owner.call("POST", f"/webhook-endpoints/{endpoint}/test", {"type": "webhook.test"})
    return f"{endpoint}/deliveries/{sent.json['id']}"


OPERATIONS: dict[str, tuple[Target, dict[str, Any] | None]] = {
    "apiKeys.create": (no_target, {"name": "Mine", "scope": "write"}),
    "apiKeys.update": (a_key, {"name": "Other"}),
    "apiKeys.rotate": (a_key, {}),
    "apiKeys.revoke": (a_key, None),
    "connections.create": (no_target, {"type": "shopify", "shop": "one.myshopify.com"}),
    "connections.delete": (a_connection, None),
    "invitations.create": (no_target, {"email": "guest@example.com", "role": "admin"}),
    "invitations.delete": (an_invitation, None),
    "invitations.resend": (an_invitation, None),
    "members.delete": (a_member, None),
    "members.updateRole": (a_member, {"role": "admin"}),
    "profiles.delete": (a_profile, None),
    "stores.deleteWriteBack": (store_with_write_back, None),
    "stores.disconnect": (a_store, None),
    "stores.putWriteBack": (a_store, URL),
    "stores.rotateWriteBack": (store_with_write_back, None),
    "webhookEndpoints.create": (no_target, ENDPOINT),
    "webhookEndpoints.update": (an_endpoint, {"description": "Till"}),
    "webhookEndpoints.delete": (an_endpoint, None),
    "webhookEndpoints.rotateSecret": (an_endpoint, None),
    "webhookEndpoints.test": (an_endpoint, {"type": "webhook.test"}),
    "webhookEndpoints.retryDelivery": (a_delivery, None),
}
"""What owners and admins alone may do, with what it is done to and the body."""

WITHOUT_COMMIT = {"consent.openErasedEvidence", "webhookEndpoints.replay"}
"""A POST so that no address stands in a path, and one that only sends a message to a queue."""

PLACES = {
    operation["operationId"]: (method.upper(), path, operation)
    for path, methods in interface()["paths"].items()
    for method, operation in methods.items()
}


def stored(world: World) -> list[dict[str, Any]]:
    """All rows but those of who belongs to the workspace."""
    memberships = MembershipItem, MembershipPointerItem
    rows = (row for row in world.rows() if not isinstance(row, memberships))
    return sorted((row.serialize() for row in rows), key=str)


def test_every_admin_operation_is_covered() -> None:
    writes = {
        name
        for name, (method, _, operation) in PLACES.items()
        if method != "GET" and operation.get("x-caller", {}).get("people") == OF_ADMINS
    }
    assert writes - WITHOUT_COMMIT == OPERATIONS.keys()


@pytest.mark.parametrize("demoted", [False, True])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_concurrently_lost_role_is_refused(
    world: World, owner: Someone, workspace: WorkspaceScope, operation: str, *, demoted: bool
) -> None:
    target, body = OPERATIONS[operation]
    method, path, _ = PLACES[operation]
    named = str(target(world, owner, workspace))
    path = (
        path.replace("{id}/deliveries/{deliveryId}", "{id}")
        .replace("{id}", named)
        .replace("{key}", named)
    )
    admin = world.member(workspace, Role.ADMIN)
    assert admin.call("GET", "/members").status == 200  # it is noted as active
    before = stored(world)
    with world.meanwhile(world.unseating(admin, workspace, demoted=demoted)):
        answer = admin.call(method, path, body)
    assert answer.problem() == (403, "role")
    assert stored(world) == before


@pytest.mark.parametrize("demoted", [False, True])
def test_api_key_whose_creator_concurrently_lost_the_role_is_refused(
    world: World, owner: Someone, workspace: WorkspaceScope, *, demoted: bool
) -> None:
    store, admin = world.store(owner), world.member(workspace, Role.ADMIN)
    key = world.api_key(workspace, KeyScope.WRITE, admin)
    assert world.call("GET", "/members", token=key).status == 200
    before = stored(world)
    with world.meanwhile(world.unseating(admin, workspace, demoted=demoted)):
        answer = world.call("POST", f"/stores/{store}/disconnect", token=key)
    assert answer.problem() == (403, "role")
    assert stored(world) == before


def test_api_key_rotates_itself_while_its_creator_is_removed(
    world: World, owner: Someone, workspace: WorkspaceScope
) -> None:
    admin = world.member(workspace, Role.ADMIN)
    key = world.api_key(workspace, KeyScope.WRITE, admin)
    with world.meanwhile(world.unseating(admin, workspace, demoted=False)):
        answer = world.call("POST", f"/api-keys/{world.key_of(key).id}/rotate", token=key)
    assert answer.status == 200


def test_unchanged_role_is_accepted_without_a_write(
    world: World, owner: Someone, workspace: WorkspaceScope
) -> None:
    """Such a request has no condition on the caller's role either."""
    target = a_member(world, owner, workspace)
    admin = world.member(workspace, Role.ADMIN)
    with world.meanwhile(world.unseating(admin, workspace, demoted=True)):
        answer = admin.call("PATCH", f"/members/{target}", {"role": "member"})
    assert (answer.status, answer.body) == (204, b"")
