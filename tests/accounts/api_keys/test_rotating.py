"""API keys: giving them another secret."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID, uuid4

import pytest

from storepost.accounts.api_keys import service
from storepost.accounts.identity.repository import ApiKeyTokenItem, touch_key
from storepost.accounts.identity.tokens import digest
from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.accounts.workspaces.model import Role
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.scope import WorkspaceScope
from tests.accounts.api_keys.keys import counted, made, revoked, shown, tokens, works
from tests.accounts.workspaces.test_workspaces import signed_in
from tests.harness.world import CANARY, Answer, Someone, World


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
        return world.call("POST", f"/api-keys/{key}/rotate", token=token, json_body=body, key=idem)

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
        key, secret = made(owner)
        for token in (owner.token, secret):
            assert self.rotate(world, token, key, overlap).error_paths() == ["/overlapSeconds"]
        assert works(world, secret)

    def test_unknown_field(self, owner: Someone, workspace: WorkspaceScope) -> None:
        path, body = f"/api-keys/{uuid4()}/rotate", {"overlap": 1}
        assert owner.call("POST", path, body).error_paths() == ["/overlap"]

    def test_by_person_old_secret_ends_immediately(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, old = made(owner)
        assert works(world, old)
        before, now = shown(owner, key), clock.now()
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
        assert shown(owner, key) == answer.json["apiKey"]
        assert (works(world, old), works(world, new)) == (False, True)
        assert tokens(world) == [f"token#{digest(new)}"]
        assert counted(workspace) == 1

    @pytest.mark.parametrize("overlap", [1, 86400])
    def test_by_person_old_secret_works_during_overlap(
        self, world: World, owner: Someone, workspace: WorkspaceScope, overlap: int
    ) -> None:
        key, old = made(owner)
        new = self.rotate(world, owner.token, key, overlap).json["key"]
        assert (works(world, old), works(world, new)) == (True, True)
        world.advance(seconds=overlap)
        assert (works(world, old), works(world, new)) == (False, True)

    @pytest.mark.parametrize(("overlap", "seconds"), [(None, 3600), (300, 300), (86400, 86400)])
    def test_by_key_itself_old_secret_works_during_overlap(
        self, world: World, owner: Someone, workspace: WorkspaceScope, overlap: int | None,
        seconds: int,
    ) -> None:  # fmt: skip
        key, old = made(owner)
        answer = self.rotate(world, old, key, overlap)
        assert (answer.status, answer.json["apiKey"]["id"]) == (200, str(key))
        new = answer.json["key"]
        world.advance(seconds=seconds - 5)
        assert (works(world, old), works(world, new)) == (True, True)
        world.advance(seconds=5)
        assert (works(world, old), works(world, new)) == (False, True)

    @pytest.mark.parametrize("overlap", [0, 299])
    def test_by_key_itself_overlap_below_five_minutes_is_refused(
        self, world: World, owner: Someone, workspace: WorkspaceScope, overlap: int
    ) -> None:
        key, secret = made(owner)
        assert self.rotate(world, secret, key, overlap).error_paths() == ["/overlapSeconds"]
        assert tokens(world) == [f"token#{digest(secret)}"]

    def test_key_of_former_member_rotates_itself(
        self, world: World, workspace: WorkspaceScope
    ) -> None:
        admin = world.member(workspace, Role.ADMIN)
        key, secret = made(admin)
        assert admin.call("POST", "/members/leave").status == 204
        assert self.rotate(world, secret, key).status == 200

    def test_second_rotation_leaves_the_first_one_its_overlap(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, first = made(owner)
        second = self.rotate(world, first, key, 600).json["key"]
        world.advance(seconds=300)
        third = self.rotate(world, first, key, 3600).json["key"]
        assert [works(world, s) for s in (first, second, third)] == [True, True, True]
        world.advance(seconds=300)
        assert [works(world, s) for s in (first, second, third)] == [False, True, True]
        world.advance(seconds=3300)
        assert [works(world, s) for s in (first, second, third)] == [False, False, True]
        assert len(tokens(world)) == 3
        fourth = self.rotate(world, third, key, 600).json["key"]
        assert set(tokens(world)) == {f"token#{digest(s)}" for s in (third, fourth)}

    def test_rotation_without_overlap_ends_every_former_secret(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, first = made(owner)
        second = self.rotate(world, first, key, 600).json["key"]
        third = self.rotate(world, owner.token, key).json["key"]
        assert [works(world, s) for s in (first, second, third)] == [False, False, True]
        assert tokens(world) == [f"token#{digest(third)}"]

    def test_at_most_four_former_secrets_work(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, first = made(owner)
        later = [self.rotate(world, owner.token, key, 600).json["key"] for _ in range(5)]
        assert [works(world, s) for s in (first, *later)] == [False, *[True] * 5]
        assert len(tokens(world)) == 5
        revoked(owner, key)
        assert tokens(world) == []

    def test_concurrent_rotations_leave_each_secret_its_overlap(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, first = made(owner)
        caller = WorkspaceCaller(signed_in(owner), workspace, world.membership(owner, workspace))
        other: list[str] = []
        with world.meanwhile(lambda c: other.append(service.rotate_key(caller, key, 60, c).secret)):
            last = self.rotate(world, owner.token, key, 60).json["key"]
        assert [works(world, s) for s in (first, other[-1], last)] == [True, True, True]
        world.advance(seconds=60)
        assert [works(world, s) for s in (first, other[-1], last)] == [False, False, True]

    def test_last_used_at_survives_deletion_of_old_secrets(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, old = made(owner)
        assert works(world, old)
        used = shown(owner, key)["lastUsedAt"]
        assert used is not None
        for overlap in (600, 0):
            world.advance(minutes=2)
            self.rotate(world, owner.token, key, overlap)
            assert shown(owner, key)["lastUsedAt"] == used
        assert len(tokens(world)) == 1

    def test_concurrent_use_is_counted_in_last_used_at(
        self,
        world: World,
        owner: Someone,
        workspace: WorkspaceScope,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        key, old = made(owner)
        before = clock.now()
        with self.used_meanwhile(monkeypatch, old):
            answer = self.rotate(world, owner.token, key)
        assert answer.status == 200
        assert clock.from_text(answer.json["apiKey"]["lastUsedAt"]) >= before
        assert shown(owner, key) == answer.json["apiKey"]

    def test_revoked_key_is_refused(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, _ = made(owner)
        revoked(owner, key)
        assert self.rotate(world, owner.token, key).problem() == (409, "key_revoked")
        assert tokens(world) == []

    def test_concurrently_revoked_key_is_refused(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, secret = made(owner)
        with world.meanwhile(lambda c: service.revoke_key(workspace, key, c)):
            answer = self.rotate(world, secret, key)
        assert answer.problem() == (409, "key_revoked")
        assert tokens(world) == []
        assert world.emails() == []

    def test_owner_and_creator_are_emailed(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        admin = world.member(workspace, Role.ADMIN)
        rotator = world.member(workspace, Role.ADMIN)
        key, _ = made(admin, f"Sync {CANARY}")
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

    def test_owner_who_created_the_key_gets_one_email(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, _ = made(owner)
        self.rotate(world, owner.token, key)
        [email] = world.emails()
        assert email.to == owner.email
        assert "stopped working at once" in email.text

    def test_email_names_the_key_that_rotated_itself(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, secret = made(owner, f"Robot {CANARY}")
        self.rotate(world, secret, key)
        [email] = world.emails()
        assert f"Rotated by: Robot {CANARY}" in email.text

    def test_retry_with_old_secret_is_replayed(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key, old = made(owner)
        first = self.rotate(world, old, key, idem="k")
        again = self.rotate(world, old, key, idem="k")
        assert (again.status, again.body) == (200, first.body)
        assert again.header("idempotency-replayed") == "true"
        sealed = self.rotate(world, first.json["key"], key, idem="k")
        assert sealed.problem() == (409, "idempotency_secret_sealed")
        assert len(tokens(world)) == 2
        assert len(world.emails()) == 1
