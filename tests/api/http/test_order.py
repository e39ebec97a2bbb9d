"""In which order a request is checked, whoever calls (docs/interface.md, section 1)."""

from typing import Any
from uuid import uuid4

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.accounts.workspaces.model import Role
from storepost.values.scope import WorkspaceScope
from tests.harness.answers import operations
from tests.harness.world import Someone, World

ID = str(uuid4())

OPERATIONS = [(method, path, operation) for path, method, operation in operations()]
WITH_CALLER = [each for each in OPERATIONS if each[2]["security"]]


def named(selected: list[tuple[str, str, dict[str, Any]]]) -> pytest.MarkDecorator:
    """A test for each of the operations."""
    return pytest.mark.parametrize(
        ("method", "path"),
        [(method, path.replace("{", "").replace("}", "")) for method, path, _ in selected],
        ids=[str(operation["operationId"]) for _, _, operation in selected],
    )


@named([e for e in WITH_CALLER if e[0] != "GET" and "requestBody" not in e[2]])
@pytest.mark.parametrize("key", ["", "k" * 256], ids=["empty", "long"])
def test_idempotency_key_out_of_bounds(
    owner: Someone, workspace: WorkspaceScope, method: str, path: str, key: str
) -> None:
    target = "/".join(ID if part.lower().endswith("id") else part for part in path.split("/"))
    query = {"externalId": "7"} if path.endswith(("customers", "orders", "products")) else None
    answer = owner.call(method, target, key=key, query=query)
    assert answer.error_paths() == ["header.idempotency-key"]


class TestOrder:
    """One request that is wrong in every way, corrected step by step."""

    def test_checks_of_an_api_key(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        member = world.member(workspace, Role.MEMBER)

        def change(token: str, of: str, role: str) -> tuple[int, str]:
            path, body = f"/members/{of}", {"role": role}
            return world.call("PATCH", path, token=token, json_body=body).problem()

        assert change("stp_x", "none", "x") == (401, "unauthenticated")
        read = world.api_key(workspace, KeyScope.READ, member)
        assert change(read, "none", "x") == (403, "scope")
        write = world.api_key(workspace, KeyScope.WRITE, member)
        assert change(write, "none", "x") == (403, "role")
        admins = world.api_key(workspace, KeyScope.WRITE, owner)
        assert change(admins, "none", "x") == (422, "validation")
        assert change(admins, ID, "member") == (404, "not_found")
        own = world.membership(owner, workspace)
        assert own is not None
        assert change(admins, str(own.id), "member") == (409, "owner_role")

    def test_checks_of_a_person(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        someone = world.person()

        def create(by: Someone | None, name: object) -> tuple[int, str]:
            body = {"name": name, "scope": "read"}
            token = by.token if by else None
            return world.call("POST", "/api-keys", token=token, json_body=body).problem()

        assert create(None, 7) == (401, "unauthenticated")
        assert create(someone, 7) == (409, "no_active_workspace")
        world.join(someone, workspace, Role.MEMBER)
        world.require_two_factor(workspace)
        assert create(someone, 7) == (403, "two_factor_required")
        world.turn_two_factor_on(someone)
        assert create(someone, 7) == (403, "role")
        world.turn_two_factor_on(owner)
        assert create(owner, 7) == (422, "validation")
