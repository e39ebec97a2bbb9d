"""API keys: updating and revoking them."""

from functools import partial
from uuid import UUID, uuid4

import pytest

from storepost.accounts.api_keys import service
from storepost.accounts.identity.repository import ApiKeyTokenItem, touch_key
from storepost.accounts.identity.tokens import digest
from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.values import clock
from storepost.values.scope import WorkspaceScope
from tests.accounts.api_keys.keys import counted, made, name_behind, revoked, shown, tokens, works
from tests.accounts.workspaces.test_workspaces import signed_in
from tests.harness.world import Answer, Someone, World


class TestUpdate:
    """PATCH /api-keys/{id}."""

    def patch(self, by: Someone, key: UUID, body: object) -> Answer:
        """The answer to a change."""
        return by.call("PATCH", f"/api-keys/{key}", body)

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
        self, owner: Someone, workspace: WorkspaceScope, body: object,
        paths: list[str],
    ) -> None:  # fmt: skip
        assert self.patch(owner, uuid4(), body).error_paths() == paths

    def test_renames(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        key, secret = made(owner)
        before = shown(owner, key)
        answer = self.patch(owner, key, {"name": " New "})
        assert (answer.status, answer.json) == (200, {**before, "name": "New"})
        assert shown(owner, key) == answer.json
        assert works(world, secret)

    def test_renaming_applies_to_both_secrets_of_an_overlap(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        """A rotation's overlap has two secrets; a new secret is made under the new name."""
        key, first = made(owner, "Old")
        rotate = partial(world.call, "POST", f"/api-keys/{key}/rotate", token=owner.token)
        second = rotate(json_body={"overlapSeconds": 3600}).json["key"]
        assert self.patch(owner, key, {"name": "New"}).status == 200
        assert [name_behind(secret) for secret in (first, second)] == ["New", "New"]
        third = rotate(json_body={"overlapSeconds": 3600}).json["key"]
        assert [name_behind(secret) for secret in (second, third)] == ["New", "New"]

    def test_concurrently_rotated_secret_gets_the_new_name(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        """The secret that is new gets the name too."""
        key, _ = made(owner, "Old")
        caller = WorkspaceCaller(signed_in(owner), workspace, world.membership(owner, workspace))
        secrets: list[str] = []
        rotating = partial(service.rotate_key, caller, key, 0)
        with world.meanwhile(lambda c: secrets.append(rotating(c).secret)):
            assert self.patch(owner, key, {"name": "New"}).status == 200
        assert shown(owner, key)["name"] == "New"
        assert name_behind(secrets[0]) == "New"

    def test_revoked_key_is_refused(self, owner: Someone, workspace: WorkspaceScope) -> None:
        key, _ = made(owner, "Old")
        revoked(owner, key)
        assert self.patch(owner, key, {"name": "New"}).problem() == (409, "key_revoked")
        assert shown(owner, key)["name"] == "Old"

    def test_concurrently_revoked_key_is_refused(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, _ = made(owner, "Old")
        with world.meanwhile(lambda c: service.revoke_key(workspace, key, c)):
            answer = self.patch(owner, key, {"name": "New"})
        assert answer.problem() == (409, "key_revoked")
        assert shown(owner, key)["name"] == "Old"


class TestRevoke:
    """POST /api-keys/{id}/revoke."""

    def test_key_stops_working(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, secret = made(owner)
        assert works(world, secret)
        before, now = shown(owner, key), clock.now()
        revoked(owner, key)
        assert not works(world, secret)
        after = shown(owner, key)
        at = str(after["revokedAt"])
        assert now <= clock.from_text(at) <= clock.now()
        assert before["lastUsedAt"] is not None
        assert after == {**before, "status": "revoked", "revokedAt": at}
        assert tokens(world) == []
        assert counted(workspace) == 0

    def test_second_revocation_changes_nothing(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, _ = made(owner)
        revoked(owner, key)
        first = shown(owner, key)
        world.advance(seconds=1)
        revoked(owner, key)
        assert shown(owner, key) == first
        assert counted(workspace) == 0

    def test_concurrent_revocations_are_counted_once(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, _ = made(owner)
        made(owner)
        with world.meanwhile(lambda c: service.revoke_key(workspace, key, c)):
            revoked(owner, key)
        assert counted(workspace) == 1

    def test_both_secrets_of_an_overlap_stop_working(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, old = made(owner)
        path, body = f"/api-keys/{key}/rotate", {"overlapSeconds": 600}
        new = owner.call("POST", path, body).json["key"]
        assert (works(world, old), works(world, new)) == (True, True)
        revoked(owner, key)
        assert (works(world, old), works(world, new)) == (False, False)
        assert tokens(world) == []

    def test_concurrent_request_does_not_recreate_the_token(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, secret = made(owner)
        token = ApiKeyTokenItem.get(f"token#{digest(secret)}", "token")
        revoked(owner, key)
        assert not touch_key(token, clock.now())
        assert tokens(world) == []
