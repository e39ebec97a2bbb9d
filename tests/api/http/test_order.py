"""In which order a request is checked, whoever calls (docs/interface.md, section 1)."""

from typing import Any
from uuid import uuid4

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.accounts.identity.problems import ScopeTooSmall, SignInRequired
from storepost.accounts.workspaces.model import Role
from storepost.values.problems import Unauthenticated
from storepost.values.scope import WorkspaceScope
from tests.harness.answers import codes_in, operations
from tests.harness.world import BASE_URL, Someone, World

ID = str(uuid4())

OPERATIONS = [(method, path, operation) for path, method, operation in operations()]
WITH_CALLER = [each for each in OPERATIONS if each[2]["security"]]


CALLED = {
    (method, path.replace("{", "").replace("}", "")): operation
    for method, path, operation in OPERATIONS
}


def too_small(operation: dict[str, Any]) -> list[KeyScope]:
    """The scopes of keys that may not call the operation, by its description."""
    scopes = [KeyScope.READ, KeyScope.PROPOSE, KeyScope.WRITE]
    needed = operation["x-caller"]["scope"]
    return scopes[: scopes.index(needed)] if needed else []


def named(selected: list[tuple[str, str, dict[str, Any]]]) -> pytest.MarkDecorator:
    """A test for each of the operations."""
    return pytest.mark.parametrize(
        ("method", "path"),
        [(method, path.replace("{", "").replace("}", "")) for method, path, _ in selected],
        ids=[str(operation["operationId"]) for _, _, operation in selected],
    )


def of_a_workspace(operation: dict[str, Any]) -> bool:
    """Whether the operation needs an active workspace, by its description."""
    return "no_active_workspace" in codes_in(operation["responses"].get("409", {}))


class TestEveryOperation:
    """The answers of each operation to callers that it doesn't know or accept."""

    @named(WITH_CALLER)
    def test_anonymous(self, world: World, method: str, path: str) -> None:
        """This holds whatever else is wrong: here the ids, the query, the body and the key."""
        for token in (None, "stp_unknown", "sts_" + "a" * 43):
            answer = world.call(
                method, path, token=token, body=b"{", query={"page": "x"}, key="k" * 256
            )
            assert answer.problem() == (401, "unauthenticated")
            assert answer.json == Unauthenticated().document(BASE_URL)
            assert answer.header("www-authenticate") == "Bearer"
        assert world.rows() == []

    @named([each for each in WITH_CALLER if each[2]["x-caller"]["scope"] is None])
    def test_api_keys_where_sign_in_is_required(
        self, world: World, owner: Someone, workspace: WorkspaceScope, method: str, path: str
    ) -> None:
        """On a write the scope is checked first."""
        for scope in KeyScope:
            key = world.api_key(workspace, scope, owner)
            stored = {row.key for row in world.rows()}
            answer = world.call(method, path, token=key, body=b"{", key="k" * 256)
            if method != "GET" and scope is not KeyScope.WRITE:
                assert answer.problem() == (403, "scope")
                assert answer.json == ScopeTooSmall(answer.json["detail"]).document(BASE_URL)
            else:
                assert answer.json == SignInRequired().document(BASE_URL)
            assert {row.key for row in world.rows()} == stored

    @named([each for each in WITH_CALLER if too_small(each[2])])
    def test_api_keys_with_insufficient_scope(
        self, world: World, owner: Someone, workspace: WorkspaceScope, method: str, path: str
    ) -> None:
        for scope in too_small(CALLED[method, path]):
            key = world.api_key(workspace, scope, owner)
            stored = {row.key for row in world.rows()}
            answer = world.call(method, path, token=key, body=b"{", key="k" * 256)
            assert answer.problem() == (403, "scope")
            detail = answer.json["detail"]
            assert answer.json == ScopeTooSmall(detail).document(BASE_URL)
            assert f"`{CALLED[method, path]['x-caller']['scope']}`" in detail
            assert {row.key for row in world.rows()} == stored
            assert world.objects() == {}

    @named([each for each in WITH_CALLER if each[2]["x-caller"]["scope"] is not None])
    def test_api_keys_with_sufficient_scope(
        self, world: World, owner: Someone, workspace: WorkspaceScope, method: str, path: str
    ) -> None:
        """Either something else is wrong then, or nothing."""
        scope = KeyScope(CALLED[method, path]["x-caller"]["scope"])
        key = world.api_key(workspace, scope, owner)
        answer = world.call(method, path, token=key, body=b"{", key="k" * 256)
        assert answer.status < 400 or answer.problem()[1] not in {"unauthenticated", "scope"}

    @named([each for each in WITH_CALLER if of_a_workspace(each[2])])
    def test_no_active_workspace(self, world: World, method: str, path: str) -> None:
        answer = world.call(method, path, token=world.person().token, body=b"{", key="k" * 256)
        assert answer.problem() == (409, "no_active_workspace")

    @named([e for e in WITH_CALLER if e[0] != "GET" and "requestBody" not in e[2]])
    @pytest.mark.parametrize("key", ["", "k" * 256], ids=["empty", "long"])
    def test_idempotency_key_out_of_bounds(
        self,
        world: World,
        owner: Someone,
        workspace: WorkspaceScope,
        method: str,
        path: str,
        key: str,
    ) -> None:
        target = "/".join(ID if part.lower().endswith("id") else part for part in path.split("/"))
        query = {"externalId": "7"} if path.endswith(("customers", "orders", "products")) else None
        answer = world.call(method, target, token=owner.token, key=key, query=query)
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
