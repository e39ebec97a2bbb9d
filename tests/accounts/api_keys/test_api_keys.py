"""API keys: who may do what, making, listing and reading them."""

from uuid import UUID

import pytest

from storepost.accounts.api_keys import service
from storepost.accounts.api_keys.model import ACTIVE_KEYS, ApiKey
from storepost.accounts.identity.model import KeyScope
from storepost.accounts.identity.repository import PersonItem, person_key
from storepost.accounts.identity.tokens import digest, is_well_formed
from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.accounts.workspaces.model import Role
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import find
from storepost.values import clock
from storepost.values.scope import PersonScope, WorkspaceScope
from tests.accounts.api_keys.keys import counted, made, revoked, shown, tokens, works
from tests.accounts.workspaces.test_workspaces import signed_in
from tests.harness.world import CANARY, Someone, World


class TestCreate:
    """POST /api-keys."""

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, ["/name", "/scope"]),
            ({"name": " ", "scope": "read"}, ["/name"]),
            ({"name": "x" * 101, "scope": "read"}, ["/name"]),
            ({"name": "Key", "scope": "all"}, ["/scope"]),
            ({"name": "Key", "scope": "read", "prefix": "x"}, ["/prefix"]),
        ],
    )
    def test_bad_input(
        self, world: World, owner: Someone, workspace: WorkspaceScope, body: object,
        paths: list[str],
    ) -> None:  # fmt: skip
        assert owner.call("POST", "/api-keys", body).error_paths() == paths
        assert tokens(world) == []

    @pytest.mark.parametrize("scope", list(KeyScope))
    def test_response_shows_the_secret_once(
        self, world: World, owner: Someone, workspace: WorkspaceScope, scope: KeyScope
    ) -> None:
        before = clock.now()
        answer = owner.call("POST", "/api-keys", {"name": f" Key {CANARY} ", "scope": scope})
        assert answer.status == 201
        secret, summary = answer.json["key"], answer.json["apiKey"]
        assert is_well_formed(secret)
        assert before <= clock.from_text(summary["createdAt"]) <= clock.now()
        assert answer.json == {
            "key": secret,
            "apiKey": {
                "id": str(UUID(summary["id"])),
                "name": f"Key {CANARY}",
                "scope": scope,
                "prefix": secret[: len("stp_") + 8],
                "createdBy": "Olive Owner",
                "createdAt": summary["createdAt"],
                "lastUsedAt": None,
                "rotatedAt": None,
                "status": "active",
                "revokedAt": None,
            },
        }
        assert shown(owner, UUID(summary["id"])) == summary
        assert tokens(world) == [f"token#{digest(secret)}"]
        stored = " ".join(str(row.to_simple_dict()) for row in world.rows())
        assert secret not in stored
        assert secret.removeprefix(summary["prefix"]) not in stored
        assert works(world, secret)

    def test_by_an_admin(self, world: World, workspace: WorkspaceScope) -> None:
        admin = world.member(workspace, Role.ADMIN)
        key, _ = made(admin)
        assert shown(admin, key)["createdBy"] == admin.name

    def test_limit_of_100_active_keys(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        for _ in range(ACTIVE_KEYS - 1):
            world.api_key(workspace, KeyScope.READ, owner)
        key, _ = made(owner)
        body = {"name": "One more", "scope": "read"}
        assert owner.call("POST", "/api-keys", body).problem() == (409, "key_limit")
        assert len(tokens(world)) == 100
        revoked(owner, key)
        revoked(owner, key)
        assert counted(workspace) == 99
        assert owner.call("POST", "/api-keys", body).status == 201
        again = owner.call("POST", "/api-keys", body)
        assert again.problem() == (409, "key_limit")

    def test_limit_is_per_workspace(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        for _ in range(ACTIVE_KEYS):
            world.api_key(workspace, KeyScope.READ, owner)
        other = world.person()
        world.workspace(other)
        made(other)

    def test_concurrent_creations_do_not_exceed_the_limit(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        for _ in range(ACTIVE_KEYS - 1):
            world.api_key(workspace, KeyScope.READ, owner)
        caller = WorkspaceCaller(signed_in(owner), workspace, world.membership(owner, workspace))
        body = {"name": "One more", "scope": "read"}
        with world.meanwhile(lambda c: service.create_key(caller, "First", KeyScope.READ, c)):
            answer = owner.call("POST", "/api-keys", body)
        assert answer.problem() == (409, "key_limit")
        assert (len(tokens(world)), counted(workspace)) == (100, 100)

    def test_concurrently_deleted_workspace_is_refused(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, secret = made(owner)
        members, body = WorkspaceRepository(workspace), {"name": "Late", "scope": "write"}
        stored = members.get()
        assert stored is not None
        with world.meanwhile(lambda changes: members.end(changes, stored)):
            answer = owner.call("POST", "/api-keys", body)
        assert answer.problem() == (409, "no_active_workspace")
        rotate = f"/api-keys/{key}/rotate"
        answer = world.call("POST", rotate, token=secret, json_body={})
        assert answer.problem() == (404, "not_found")
        assert tokens(world) == [f"token#{digest(secret)}"]

    def test_replay_from_another_session_is_refused(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        body = {"name": "Key", "scope": "read"}
        other, _ = world.sign_in(owner.id, workspace)
        first = owner.call("POST", "/api-keys", body, key="k")
        answer = world.call("POST", "/api-keys", token=other, json_body=body, key="k")
        assert answer.problem() == (409, "idempotency_secret_sealed")
        again = owner.call("POST", "/api-keys", body, key="k")
        assert again.body == first.body
        assert len(tokens(world)) == 1


class TestList:
    """GET /api-keys."""

    def names(self, by: Someone, **query: object) -> list[str]:
        """The names on the first page."""
        answer = by.call("GET", "/api-keys", query=query)
        assert answer.status == 200, answer.body
        assert answer.json["total"] == len(answer.json["items"])
        return [item["name"] for item in answer.json["items"]]

    def test_complete_response(self, world: World, owner: Someone) -> None:
        stranger = world.person()
        world.workspace(stranger)
        made(stranger)
        world.workspace(owner)
        key, _ = made(owner)
        answer = owner.call("GET", "/api-keys")
        assert answer.json == {
            "items": [shown(owner, key)], "total": 1, "page": 1, "pageSize": 25,
        }  # fmt: skip

    def test_sorts_and_filters(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        secrets = {}
        for name, scope in (("Zoë", "read"), ("ann Lee", "propose"), ("Bea", "write")):
            world.advance(minutes=2)
            secrets[name] = made(owner, name, scope)
        assert works(world, secrets["ann Lee"][1])
        world.advance(minutes=2)
        assert works(world, secrets["Zoë"][1])
        revoked(owner, secrets["ann Lee"][0])
        for query, expected in [
            ({}, "Bea,ann Lee,Zoë"),
            ({"sort": "-createdAt"}, "Bea,ann Lee,Zoë"),
            ({"sort": "createdAt"}, "Zoë,ann Lee,Bea"),
            ({"sort": "name"}, "ann Lee,Bea,Zoë"),
            ({"sort": "-name"}, "Zoë,Bea,ann Lee"),
            ({"sort": "lastUsedAt"}, "ann Lee,Zoë,Bea"),
            ({"sort": "-lastUsedAt"}, "Bea,Zoë,ann Lee"),
            ({"status": "active"}, "Bea,Zoë"),
            ({"status": "revoked"}, "ann Lee"),
            ({"status": "revoked,active"}, "Bea,ann Lee,Zoë"),
            ({"scope": "read,write"}, "Bea,Zoë"),
            ({"scope": "propose", "status": "active"}, ""),
            ({"q": "zoe"}, "Zoë"),
            ({"q": "le an"}, "ann Lee"),
            ({"q": "oe"}, ""),
        ]:
            assert ",".join(self.names(owner, **query)) == expected, query

    def test_search_by_key_prefix(self, owner: Someone, workspace: WorkspaceScope) -> None:
        _, secret = made(owner, "One")
        made(owner, "Two")
        assert self.names(owner, q=secret[: len("stp_") + 8]) == ["One"]

    def test_page_past_the_end_is_empty(self, owner: Someone, workspace: WorkspaceScope) -> None:
        made(owner)
        answer = owner.call("GET", "/api-keys", query={"page": 2, "pageSize": 10})
        assert answer.json == {"items": [], "total": 1, "page": 2, "pageSize": 10}


class TestGet:
    """GET /api-keys/{id}."""

    def test_created_by_is_the_creators_current_name(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        admin = world.member(workspace, Role.ADMIN)
        key, _ = made(admin)
        account = find(PersonItem, person_key(PersonScope(admin.id)))
        assert account is not None
        account.name = f"Renamed {CANARY}"
        changes = Changes()
        changes.save(account)
        changes.commit()
        assert shown(owner, key)["createdBy"] == f"Renamed {CANARY}"
        changes = Changes()
        changes.delete(PersonItem(*person_key(PersonScope(admin.id)), version=account.version))
        changes.commit()
        assert shown(owner, key)["createdBy"] is None

    def test_last_used_at_is_updated_at_most_once_a_minute(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, secret = made(owner)
        assert shown(owner, key)["lastUsedAt"] is None
        before = clock.now()
        assert works(world, secret)
        first = str(shown(owner, key)["lastUsedAt"])
        assert before <= clock.from_text(first) <= clock.now()
        world.advance(seconds=50)
        assert works(world, secret)
        assert shown(owner, key)["lastUsedAt"] == first
        world.advance(seconds=10)
        assert works(world, secret)
        assert str(shown(owner, key)["lastUsedAt"]) > first


def test_repr_of_api_key_hides_digest(world: World, workspace: WorkspaceScope) -> None:
    secret = world.api_key(workspace, KeyScope.READ)
    key: ApiKey = world.key_of(secret)
    assert key.secrets[0].digest == digest(secret)
    assert digest(secret) not in repr(key)
