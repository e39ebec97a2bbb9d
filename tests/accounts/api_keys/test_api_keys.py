"""API keys, an operation a class."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from uuid import UUID, uuid4

import pytest

from storepost.accounts.api_keys import service
from storepost.accounts.api_keys.model import ACTIVE_KEYS, ApiKey
from storepost.accounts.api_keys.repository import ActiveKeysItem, ApiKeyItem, active_keys_key
from storepost.accounts.identity.model import KeyScope
from storepost.accounts.identity.repository import (
    ApiKeyTokenItem,
    PersonItem,
    person_key,
    token_key,
    touch_key,
)
from storepost.accounts.identity.tokens import digest, is_well_formed
from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.accounts.workspaces.model import Role
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import find
from storepost.values import clock
from storepost.values.scope import PersonScope, WorkspaceScope
from tests.accounts.workspaces.test_workspaces import signed_in
from tests.harness.world import CANARY, Answer, Someone, World


@pytest.fixture
def owner(world: World) -> Someone:
    """The owner of a workspace."""
    return world.person("Olive Owner")


@pytest.fixture
def workspace(world: World, owner: Someone) -> WorkspaceScope:
    """The owner's workspace."""
    return world.workspace(owner, "Olive's Shop")


def made(
    world: World, by: Someone, name: str = f"Key {CANARY}", scope: str = "write"
) -> tuple[UUID, str]:
    """A new key: its id and its secret."""
    body = {"name": name, "scope": scope}
    answer = world.call("POST", "/api-keys", token=by.token, json_body=body)
    assert answer.status == 201, answer.body
    return UUID(answer.json["apiKey"]["id"]), answer.json["key"]


def shown(world: World, by: Someone, key: UUID) -> dict[str, object]:
    """The key as it is answered."""
    answer = world.call("GET", f"/api-keys/{key}", token=by.token)
    assert answer.status == 200, answer.body
    body: dict[str, object] = answer.json
    return body


def revoked(world: World, by: Someone, key: UUID) -> None:
    """Ends the key."""
    answer = world.call("POST", f"/api-keys/{key}/revoke", token=by.token)
    assert answer.status == 200
    assert answer.json == shown(world, by, key)


def works(world: World, secret: str) -> bool:
    """Whether the secret lets anybody in."""
    status = world.call("GET", "/members", token=secret).status
    assert status in {200, 401}
    return status == 200


def name_behind(secret: str) -> str:
    """The name that authentication learns from a secret."""
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


class TestCallers:
    """Who may call what."""

    @pytest.mark.parametrize(("method", "path", "body"), ALL)
    def test_keys_may_not(
        self, world: World, owner: Someone, workspace: WorkspaceScope, method: str, path: str,
        body: object,
    ) -> None:  # fmt: skip
        key = world.api_key(workspace, KeyScope.WRITE, owner)
        other = world.key_of(world.api_key(workspace, KeyScope.WRITE, owner)).id
        answer = world.call(method, path.format(id=other), token=key, json_body=body)
        assert answer.problem() == (403, "sign_in_required")

    @pytest.mark.parametrize(("method", "path", "body"), ALL)
    def test_role_too_small(
        self, world: World, workspace: WorkspaceScope, method: str, path: str, body: object
    ) -> None:
        member = world.member(workspace)
        answer = world.call(method, path.format(id=7), token=member.token, json_body=body)
        assert answer.problem() == (403, "role")

    @pytest.mark.parametrize(("method", "path", "body"), ALL)
    def test_no_active_workspace(self, world: World, method: str, path: str, body: object) -> None:
        token = world.person().token
        answer = world.call(method, path.format(id=7), token=token, json_body=body)
        assert answer.problem() == (409, "no_active_workspace")

    @pytest.mark.parametrize(("method", "path", "body"), ALL[2:])
    def test_another_workspaces_key(
        self, world: World, owner: Someone, workspace: WorkspaceScope, method: str, path: str,
        body: object,
    ) -> None:  # fmt: skip
        stranger = world.person()
        world.workspace(stranger)
        key, secret = made(world, stranger)
        answer = world.call(method, path.format(id=key), token=owner.token, json_body=body)
        assert answer.problem() == (404, "not_found")
        assert works(world, secret)

    @pytest.mark.parametrize(("method", "path", "body"), ALL[2:])
    def test_no_uuid(
        self, world: World, owner: Someone, workspace: WorkspaceScope, method: str, path: str,
        body: object,
    ) -> None:  # fmt: skip
        answer = world.call(method, path.format(id=7), token=owner.token, json_body=body)
        assert answer.error_paths() == ["path.id"]


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
        answer = world.call("POST", "/api-keys", token=owner.token, json_body=body)
        assert answer.error_paths() == paths
        assert tokens(world) == []

    @pytest.mark.parametrize("scope", list(KeyScope))
    def test_shows_the_secret_once(
        self, world: World, owner: Someone, workspace: WorkspaceScope, scope: KeyScope
    ) -> None:
        before = clock.now()
        body = {"name": f" Key {CANARY} ", "scope": scope}
        answer = world.call("POST", "/api-keys", token=owner.token, json_body=body)
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
        assert shown(world, owner, UUID(summary["id"])) == summary
        assert tokens(world) == [f"token#{digest(secret)}"]
        stored = " ".join(str(row.to_simple_dict()) for row in world.rows())
        assert secret not in stored
        assert secret.removeprefix(summary["prefix"]) not in stored
        assert works(world, secret)

    def test_by_an_admin(self, world: World, workspace: WorkspaceScope) -> None:
        admin = world.member(workspace, Role.ADMIN)
        key, _ = made(world, admin)
        assert shown(world, admin, key)["createdBy"] == admin.name

    def test_a_hundred_active_ones(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        for _ in range(ACTIVE_KEYS - 1):
            world.api_key(workspace, KeyScope.READ, owner)
        key, _ = made(world, owner)
        body = {"name": "One more", "scope": "read"}
        answer = world.call("POST", "/api-keys", token=owner.token, json_body=body)
        assert answer.problem() == (409, "key_limit")
        assert len(tokens(world)) == 100
        revoked(world, owner, key)
        revoked(world, owner, key)
        assert counted(workspace) == 99
        assert world.call("POST", "/api-keys", token=owner.token, json_body=body).status == 201
        again = world.call("POST", "/api-keys", token=owner.token, json_body=body)
        assert again.problem() == (409, "key_limit")

    def test_the_limit_is_each_workspaces_own(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        for _ in range(ACTIVE_KEYS):
            world.api_key(workspace, KeyScope.READ, owner)
        other = world.person()
        world.workspace(other)
        made(world, other)

    def test_two_at_once_for_the_last_place(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        for _ in range(ACTIVE_KEYS - 1):
            world.api_key(workspace, KeyScope.READ, owner)
        caller = WorkspaceCaller(signed_in(owner), workspace, world.membership(owner, workspace))
        body = {"name": "One more", "scope": "read"}
        with world.meanwhile(lambda c: service.create_key(caller, "First", KeyScope.READ, c)):
            answer = world.call("POST", "/api-keys", token=owner.token, json_body=body)
        assert answer.problem() == (409, "key_limit")
        assert (len(tokens(world)), counted(workspace)) == (100, 100)

    @pytest.mark.parametrize("demoted", [False, True])
    def test_by_who_is_no_admin_any_more(
        self, world: World, workspace: WorkspaceScope, *, demoted: bool
    ) -> None:
        """A key outlives its maker's membership, so nobody may make one on leaving."""
        admin = world.member(workspace, Role.ADMIN)
        body = {"name": "Mine", "scope": "write"}
        with world.meanwhile(world.unseating(admin, workspace, demoted=demoted)):
            answer = world.call("POST", "/api-keys", token=admin.token, json_body=body)
        assert answer.problem() == (403, "role")
        assert tokens(world) == []

    def test_of_a_workspace_that_has_just_ended(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, secret = made(world, owner)
        members, body = WorkspaceRepository(workspace), {"name": "Late", "scope": "write"}
        held = members.get()
        assert held is not None
        with world.meanwhile(lambda changes: members.end(changes, held)):
            answer = world.call("POST", "/api-keys", token=owner.token, json_body=body)
        assert answer.problem() == (409, "no_active_workspace")
        rotate = f"/api-keys/{key}/rotate"
        answer = world.call("POST", rotate, token=secret, json_body={})
        assert answer.problem() == (404, "not_found")
        assert tokens(world) == [f"token#{digest(secret)}"]

    def test_replay(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        body = {"name": "Key", "scope": "read"}
        first = world.call("POST", "/api-keys", token=owner.token, json_body=body, key="k")
        again = world.call("POST", "/api-keys", token=owner.token, json_body=body, key="k")
        assert (again.status, again.body) == (201, first.body)
        assert again.header("idempotency-replayed") == "true"
        assert len(tokens(world)) == 1

    def test_replay_with_another_session(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        body = {"name": "Key", "scope": "read"}
        other, _ = world.sign_in(owner.id, workspace)
        first = world.call("POST", "/api-keys", token=owner.token, json_body=body, key="k")
        answer = world.call("POST", "/api-keys", token=other, json_body=body, key="k")
        assert answer.problem() == (409, "idempotency_secret_sealed")
        again = world.call("POST", "/api-keys", token=owner.token, json_body=body, key="k")
        assert again.body == first.body
        assert len(tokens(world)) == 1


class TestList:
    """GET /api-keys."""

    def names(self, world: World, by: Someone, **query: object) -> list[str]:
        """The names on the first page."""
        answer = world.call("GET", "/api-keys", token=by.token, query=query)
        assert answer.status == 200, answer.body
        assert answer.json["total"] == len(answer.json["items"])
        return [item["name"] for item in answer.json["items"]]

    def test_the_whole_answer(self, world: World, owner: Someone) -> None:
        stranger = world.person()
        world.workspace(stranger)
        made(world, stranger)
        world.workspace(owner)
        key, _ = made(world, owner)
        answer = world.call("GET", "/api-keys", token=owner.token)
        assert answer.json == {
            "items": [shown(world, owner, key)], "total": 1, "page": 1, "pageSize": 25,
        }  # fmt: skip

    def test_orders_and_filters(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        secrets = {}
        for name, scope in (("Zoë", "read"), ("ann Lee", "propose"), ("Bea", "write")):
            world.advance(minutes=2)
            secrets[name] = made(world, owner, name, scope)
        assert works(world, secrets["ann Lee"][1])
        world.advance(minutes=2)
        assert works(world, secrets["Zoë"][1])
        revoked(world, owner, secrets["ann Lee"][0])
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
            assert ",".join(self.names(world, owner, **query)) == expected, query

    def test_search_by_the_shown_prefix(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        _, secret = made(world, owner, "One")
        made(world, owner, "Two")
        assert self.names(world, owner, q=secret[: len("stp_") + 8]) == ["One"]

    def test_past_the_end(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        made(world, owner)
        query = {"page": 2, "pageSize": 10}
        answer = world.call("GET", "/api-keys", token=owner.token, query=query)
        assert answer.json == {"items": [], "total": 1, "page": 2, "pageSize": 10}

    @pytest.mark.parametrize(
        ("query", "path"),
        [
            ({"status": "ended"}, "query.status"),
            ({"scope": "read,all"}, "query.scope"),
            ({"sort": "scope"}, "query.sort"),
            ({"q": "x" * 201}, "query.q"),
        ],
    )
    def test_bad_input(
        self, world: World, owner: Someone, workspace: WorkspaceScope, query: dict[str, object],
        path: str,
    ) -> None:  # fmt: skip
        answer = world.call("GET", "/api-keys", token=owner.token, query=query)
        assert answer.error_paths() == [path]


class TestGet:
    """GET /api-keys/{id}."""

    def test_unknown(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        answer = world.call("GET", f"/api-keys/{uuid4()}", token=owner.token)
        assert answer.problem() == (404, "not_found")

    def test_the_makers_name_is_the_present_one(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        admin = world.member(workspace, Role.ADMIN)
        key, _ = made(world, admin)
        account = find(PersonItem, person_key(PersonScope(admin.id)))
        assert account is not None
        account.name = f"Renamed {CANARY}"
        changes = Changes()
        changes.save(account)
        changes.commit()
        assert shown(world, owner, key)["createdBy"] == f"Renamed {CANARY}"
        changes = Changes()
        changes.delete(PersonItem(*person_key(PersonScope(admin.id)), version=account.version))
        changes.commit()
        assert shown(world, owner, key)["createdBy"] is None

    def test_last_use_is_noted_at_most_once_a_minute(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, secret = made(world, owner)
        assert shown(world, owner, key)["lastUsedAt"] is None
        before = clock.now()
        assert works(world, secret)
        first = str(shown(world, owner, key)["lastUsedAt"])
        assert before <= clock.from_text(first) <= clock.now()
        world.advance(seconds=50)
        assert works(world, secret)
        assert shown(world, owner, key)["lastUsedAt"] == first
        world.advance(seconds=10)
        assert works(world, secret)
        assert str(shown(world, owner, key)["lastUsedAt"]) > first


class TestUpdate:
    """PATCH /api-keys/{id}."""

    def patch(self, world: World, by: Someone, key: UUID, body: object) -> Answer:
        """The answer to a change."""
        return world.call("PATCH", f"/api-keys/{key}", token=by.token, json_body=body)

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, ["/name"]),
            ({"name": ""}, ["/name"]),
            ({"name": "x" * 101}, ["/name"]),
            ({"name": "New", "scope": "read"}, ["/scope"]),
        ],
    )
    def test_bad_input(
        self, world: World, owner: Someone, workspace: WorkspaceScope, body: object,
        paths: list[str],
    ) -> None:  # fmt: skip
        assert self.patch(world, owner, uuid4(), body).error_paths() == paths

    def test_renames(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        key, secret = made(world, owner)
        before = shown(world, owner, key)
        answer = self.patch(world, owner, key, {"name": " New "})
        assert (answer.status, answer.json) == (200, {**before, "name": "New"})
        assert shown(world, owner, key) == answer.json
        assert works(world, secret)

    def test_each_secret_knows_the_name(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        """During a rotation's overlap there are two, and a new one is made under the new name."""
        key, first = made(world, owner, "Old")
        rotate = partial(world.call, "POST", f"/api-keys/{key}/rotate", token=owner.token)
        second = rotate(json_body={"overlapSeconds": 3600}).json["key"]
        assert self.patch(world, owner, key, {"name": "New"}).status == 200
        assert [name_behind(secret) for secret in (first, second)] == ["New", "New"]
        third = rotate(json_body={"overlapSeconds": 3600}).json["key"]
        assert [name_behind(secret) for secret in (second, third)] == ["New", "New"]

    def test_rotated_meanwhile(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        """The secret that is new gets the name too."""
        key, _ = made(world, owner, "Old")
        caller = WorkspaceCaller(signed_in(owner), workspace, world.membership(owner, workspace))
        secrets: list[str] = []
        rotating = partial(service.rotate_key, caller, key, 0)
        with world.meanwhile(lambda c: secrets.append(rotating(c).secret)):
            assert self.patch(world, owner, key, {"name": "New"}).status == 200
        assert shown(world, owner, key)["name"] == "New"
        assert name_behind(secrets[0]) == "New"

    def test_revoked(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        key, _ = made(world, owner, "Old")
        revoked(world, owner, key)
        answer = self.patch(world, owner, key, {"name": "New"})
        assert answer.problem() == (409, "key_revoked")
        assert shown(world, owner, key)["name"] == "Old"

    def test_revoked_meanwhile(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, _ = made(world, owner, "Old")
        with world.meanwhile(lambda c: service.revoke_key(workspace, key, c)):
            answer = self.patch(world, owner, key, {"name": "New"})
        assert answer.problem() == (409, "key_revoked")
        assert shown(world, owner, key)["name"] == "Old"


class TestRotate:
    """POST /api-keys/{id}/rotate."""

    def rotate(
        self,
        world: World,
        token: str,
        key: UUID,
        overlap: object = None,
        *,
        idem: str | None = None,
    ) -> Answer:
        """The answer to a rotation; without an overlap there is no body at all."""
        body = None if overlap is None else {"overlapSeconds": overlap}
        path = f"/api-keys/{key}/rotate"
        return world.call("POST", path, token=token, json_body=body, key=idem)

    @contextmanager
    def used_meanwhile(self, monkeypatch: pytest.MonkeyPatch, secret: str) -> Iterator[None]:
        """Notes a use of the secret after the rotation's reads and before its writes."""
        plain = Changes.commit

        def commit_second(changes: Changes) -> None:
            monkeypatch.setattr(Changes, "commit", plain)
            token = ApiKeyTokenItem.get(f"token#{digest(secret)}", "token")
            assert touch_key(token, clock.now())
            plain(changes)

        monkeypatch.setattr(Changes, "commit", commit_second)
        yield
        assert Changes.commit is plain

    @pytest.mark.parametrize("overlap", [-1, 86401, "300", 1.5, True])
    def test_bad_input(
        self, world: World, owner: Someone, workspace: WorkspaceScope, overlap: object
    ) -> None:
        key, secret = made(world, owner)
        for token in (owner.token, secret):
            answer = self.rotate(world, token, key, overlap)
            assert answer.error_paths() == ["/overlapSeconds"]
        assert works(world, secret)

    def test_unknown(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        assert self.rotate(world, owner.token, uuid4()).problem() == (404, "not_found")

    def test_unknown_field(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        path, body = f"/api-keys/{uuid4()}/rotate", {"overlap": 1}
        answer = world.call("POST", path, token=owner.token, json_body=body)
        assert answer.error_paths() == ["/overlap"]

    def test_by_a_person_the_old_secret_ends_at_once(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, old = made(world, owner)
        assert works(world, old)
        before, now = shown(world, owner, key), clock.now()
        answer = self.rotate(world, owner.token, key)
        assert answer.status == 200
        new = answer.json["key"]
        rotated = answer.json["apiKey"]["rotatedAt"]
        assert now <= clock.from_text(rotated) <= clock.now()
        assert answer.json == {
            "key": new,
            "apiKey": {**before, "prefix": new[: len("stp_") + 8], "rotatedAt": rotated},
        }
        assert before["lastUsedAt"] is not None
        assert shown(world, owner, key) == answer.json["apiKey"]
        assert (works(world, old), works(world, new)) == (False, True)
        assert tokens(world) == [f"token#{digest(new)}"]
        assert counted(workspace) == 1

    @pytest.mark.parametrize("overlap", [1, 86400])
    def test_by_a_person_with_an_overlap(
        self, world: World, owner: Someone, workspace: WorkspaceScope, overlap: int
    ) -> None:
        key, old = made(world, owner)
        new = self.rotate(world, owner.token, key, overlap).json["key"]
        assert (works(world, old), works(world, new)) == (True, True)
        world.advance(seconds=overlap)
        assert (works(world, old), works(world, new)) == (False, True)

    @pytest.mark.parametrize(("overlap", "seconds"), [(None, 3600), (300, 300), (86400, 86400)])
    def test_by_the_key_itself(
        self, world: World, owner: Someone, workspace: WorkspaceScope, overlap: int | None,
        seconds: int,
    ) -> None:  # fmt: skip
        key, old = made(world, owner)
        answer = self.rotate(world, old, key, overlap)
        assert (answer.status, answer.json["apiKey"]["id"]) == (200, str(key))
        new = answer.json["key"]
        world.advance(seconds=seconds - 5)
        assert (works(world, old), works(world, new)) == (True, True)
        world.advance(seconds=5)
        assert (works(world, old), works(world, new)) == (False, True)

    @pytest.mark.parametrize("overlap", [0, 299])
    def test_a_key_must_leave_itself_some_time(
        self, world: World, owner: Someone, workspace: WorkspaceScope, overlap: int
    ) -> None:
        key, secret = made(world, owner)
        answer = self.rotate(world, secret, key, overlap)
        assert answer.error_paths() == ["/overlapSeconds"]
        assert tokens(world) == [f"token#{digest(secret)}"]

    def test_by_the_key_of_somebody_removed(self, world: World, workspace: WorkspaceScope) -> None:
        admin = world.member(workspace, Role.ADMIN)
        key, secret = made(world, admin)
        assert world.call("POST", "/members/leave", token=admin.token).status == 204
        assert self.rotate(world, secret, key).status == 200

    def test_again_during_an_overlap_ends_the_oldest(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, first = made(world, owner)
        second = self.rotate(world, first, key, 600).json["key"]
        third = self.rotate(world, first, key, 600).json["key"]
        assert [works(world, s) for s in (first, second, third)] == [False, True, True]
        world.advance(seconds=600)
        assert [works(world, s) for s in (first, second, third)] == [False, False, True]
        assert len(tokens(world)) == 2
        fourth = self.rotate(world, owner.token, key).json["key"]
        assert tokens(world) == [f"token#{digest(fourth)}"]

    def test_two_at_once(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        key, first = made(world, owner)
        caller = WorkspaceCaller(signed_in(owner), workspace, world.membership(owner, workspace))
        other: list[str] = []
        with world.meanwhile(lambda c: other.append(service.rotate_key(caller, key, 60, c).secret)):
            last = self.rotate(world, owner.token, key, 60).json["key"]
        assert [works(world, s) for s in (first, other[-1], last)] == [False, True, True]
        assert len(tokens(world)) == 2

    def test_the_last_use_of_what_is_gone_is_kept(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, old = made(world, owner)
        assert works(world, old)
        used = shown(world, owner, key)["lastUsedAt"]
        assert used is not None
        for overlap in (600, 0):
            world.advance(minutes=2)
            self.rotate(world, owner.token, key, overlap)
            assert shown(world, owner, key)["lastUsedAt"] == used
        assert len(tokens(world)) == 1

    def test_a_use_meanwhile_is_kept(
        self,
        world: World,
        owner: Someone,
        workspace: WorkspaceScope,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        key, old = made(world, owner)
        before = clock.now()
        with self.used_meanwhile(monkeypatch, old):
            answer = self.rotate(world, owner.token, key)
        assert answer.status == 200
        assert clock.from_text(answer.json["apiKey"]["lastUsedAt"]) >= before
        assert shown(world, owner, key) == answer.json["apiKey"]

    def test_revoked(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        key, _ = made(world, owner)
        revoked(world, owner, key)
        assert self.rotate(world, owner.token, key).problem() == (409, "key_revoked")
        assert tokens(world) == []

    def test_revoked_meanwhile(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, secret = made(world, owner)
        with world.meanwhile(lambda c: service.revoke_key(workspace, key, c)):
            answer = self.rotate(world, secret, key)
        assert answer.problem() == (409, "key_revoked")
        assert tokens(world) == []
        assert world.emails() == []

    def test_owner_and_maker_are_told(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        admin = world.member(workspace, Role.ADMIN)
        rotator = world.member(workspace, Role.ADMIN)
        key, _ = made(world, admin, f"Sync {CANARY}")
        answer = self.rotate(world, rotator.token, key, 600)
        emails = world.emails()
        assert {email.to for email in emails} == {owner.email, admin.email}
        assert len(emails) == 2
        for email in emails:
            assert f"Sync {CANARY}" in email.text
            assert rotator.name in email.text
            assert answer.json["apiKey"]["prefix"] in email.text
            assert "The old secret works until" in email.text
            assert answer.json["key"] not in email.text

    def test_one_email_where_they_are_one(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, _ = made(world, owner)
        self.rotate(world, owner.token, key)
        [email] = world.emails()
        assert email.to == owner.email
        assert "stopped working at once" in email.text

    def test_a_key_that_rotates_itself_is_named(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, secret = made(world, owner, f"Robot {CANARY}")
        self.rotate(world, secret, key)
        [email] = world.emails()
        assert f"Rotated by: Robot {CANARY}" in email.text

    def test_a_retry_with_the_old_secret_replays(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, old = made(world, owner)
        first = self.rotate(world, old, key, idem="k")
        again = self.rotate(world, old, key, idem="k")
        assert (again.status, again.body) == (200, first.body)
        assert again.header("idempotency-replayed") == "true"
        sealed = self.rotate(world, first.json["key"], key, idem="k")
        assert sealed.problem() == (409, "idempotency_secret_sealed")
        assert len(tokens(world)) == 2
        assert len(world.emails()) == 1

    def test_replay_by_a_person(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, _ = made(world, owner)
        first = self.rotate(world, owner.token, key, 0, idem="k")
        again = self.rotate(world, owner.token, key, 0, idem="k")
        assert (again.status, again.body) == (200, first.body)
        other = self.rotate(world, owner.token, key, 1, idem="k")
        assert other.problem() == (422, "idempotency_key_reused")
        assert tokens(world) == [f"token#{digest(first.json['key'])}"]


class TestRevoke:
    """POST /api-keys/{id}/revoke."""

    def test_unknown(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        answer = world.call("POST", f"/api-keys/{uuid4()}/revoke", token=owner.token)
        assert answer.problem() == (404, "not_found")

    def test_ends_the_key(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        key, secret = made(world, owner)
        assert works(world, secret)
        before, now = shown(world, owner, key), clock.now()
        revoked(world, owner, key)
        assert not works(world, secret)
        after = shown(world, owner, key)
        at = str(after["revokedAt"])
        assert now <= clock.from_text(at) <= clock.now()
        assert before["lastUsedAt"] is not None
        assert after == {**before, "status": "revoked", "revokedAt": at}
        assert tokens(world) == []
        assert counted(workspace) == 0

    def test_is_repeatable(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        key, _ = made(world, owner)
        revoked(world, owner, key)
        first = shown(world, owner, key)
        world.advance(seconds=1)
        revoked(world, owner, key)
        assert shown(world, owner, key) == first
        assert counted(workspace) == 0

    def test_two_at_once_count_once(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, _ = made(world, owner)
        made(world, owner)
        with world.meanwhile(lambda c: service.revoke_key(workspace, key, c)):
            revoked(world, owner, key)
        assert counted(workspace) == 1

    def test_ends_an_overlap_too(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, old = made(world, owner)
        path, body = f"/api-keys/{key}/rotate", {"overlapSeconds": 600}
        new = world.call("POST", path, token=owner.token, json_body=body).json["key"]
        assert (works(world, old), works(world, new)) == (True, True)
        revoked(world, owner, key)
        assert (works(world, old), works(world, new)) == (False, False)
        assert tokens(world) == []

    def test_revoked_while_a_request_comes_in(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, secret = made(world, owner)
        token = ApiKeyTokenItem.get(f"token#{digest(secret)}", "token")
        revoked(world, owner, key)
        assert not touch_key(token, clock.now())
        assert tokens(world) == []

    def test_replay(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        key, _ = made(world, owner)
        path = f"/api-keys/{key}/revoke"
        answers = [world.call("POST", path, token=owner.token, key="k") for _ in range(2)]
        assert [a.status for a in answers] == [200, 200]
        assert answers[1].body == answers[0].body
        assert answers[1].header("idempotency-replayed") == "true"
        rows = [row for row in world.rows(workspace.key) if isinstance(row, ApiKeyItem)]
        assert [row.digests for row in rows] == [[]]


def test_a_keys_repr_tells_no_digest(world: World, workspace: WorkspaceScope) -> None:
    secret = world.api_key(workspace, KeyScope.READ)
    key: ApiKey = world.key_of(secret)
    assert key.secrets[0].digest == digest(secret)
    assert digest(secret) not in repr(key)
