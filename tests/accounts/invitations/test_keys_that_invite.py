"""A stolen key: its owner is told what it does, and revoking it cancels its invitations."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pytest

from storepost.accounts.api_keys.repository import ApiKeyRepository
from storepost.accounts.identity.model import KeyScope
from storepost.accounts.invitations import cancelling
from storepost.accounts.invitations.model import InvitationStatus
from storepost.accounts.invitations.repository import find_invitation
from storepost.accounts.workspaces.model import Role
from storepost.values.scope import WorkspaceScope
from tests.harness.call_interruption import before_the_commit
from tests.harness.crash_points import crashes
from tests.harness.world import CANARY, Email, Someone, World


@pytest.fixture
def owner(world: World) -> Someone:
    """The owner of a workspace."""
    return world.person(f"Olive {CANARY}")


@pytest.fixture
def workspace(world: World, owner: Someone) -> WorkspaceScope:
    """The owner's workspace."""
    return world.workspace(owner)


@pytest.fixture
def key(world: World, owner: Someone, workspace: WorkspaceScope) -> str:
    """A key that anybody might have found."""
    return world.api_key(workspace, KeyScope.WRITE, owner)


def invites(world: World, token: str, role: str = "admin", email: str | None = None) -> str:
    """Invites somebody with the key; the invitation's id."""
    body = {"email": email or f"{uuid4().hex}.{CANARY}@example.com", "role": role}
    answer = world.call("POST", "/invitations", token=token, json_body=body)
    assert answer.status == 201, answer.body
    return str(answer.json["id"])


def revoke(world: World, owner: Someone, key: str) -> None:
    """The owner revokes the key."""
    path = f"/api-keys/{world.key_of(key).id}/revoke"
    assert owner.call("POST", path).status == 200


def open_ids(owner: Someone) -> set[str]:
    """The open invitations."""
    items = owner.call("GET", "/invitations", query={"pageSize": 100}).json["items"]
    return {item["id"] for item in items}


def status(invitation: str) -> InvitationStatus:
    """As it is stored."""
    found = find_invitation(UUID(invitation))
    assert found is not None
    return found.status


class TestOwnerNotifications:
    """The owner is told at once what a key does to people."""

    @contextmanager
    def one_email(self, world: World, owner: Someone) -> Iterator[list[Email]]:
        """The one email that the owner gets because of the block."""
        before, found = len(world.emails()), list[Email]()
        yield found
        found += [email for email in world.emails()[before:] if email.to == owner.email]
        assert len(found) == 1

    def test_key_invites_an_admin(self, world: World, owner: Someone, key: str) -> None:
        email = f"thief.{CANARY}@example.com"
        with self.one_email(world, owner) as emails:
            invites(world, key, email=email)
        text = emails[0].text.replace("\u200c", "")
        assert email in text
        assert world.key_of(key).prefix in text
        assert "invited an admin" in emails[0].subject

    def test_key_resends_an_admins_invitation(self, world: World, owner: Someone, key: str) -> None:
        invitation = invites(world, key)
        world.advance(hours=1)
        with self.one_email(world, owner):
            assert world.call("POST", f"/invitations/{invitation}/resend", token=key).status == 204

    @pytest.mark.parametrize("role", ["admin", "member"])
    def test_key_changes_a_role(
        self, world: World, owner: Someone, workspace: WorkspaceScope, key: str, role: str
    ) -> None:
        before = Role.MEMBER if role == "admin" else Role.ADMIN
        member = world.member(workspace, before)
        membership = world.membership(member, workspace)
        assert membership is not None
        path, body = f"/members/{membership.id}", {"role": role}
        with self.one_email(world, owner) as emails:
            for _ in range(2):  # the second one changes nothing
                assert world.call("PATCH", path, token=key, json_body=body).status == 204
        assert f"Role: {role}" in emails[0].text
        assert member.name in emails[0].text.replace("\u200c", "")

    def test_key_removes_a_member(
        self, world: World, owner: Someone, workspace: WorkspaceScope, key: str
    ) -> None:
        membership = world.membership(world.member(workspace), workspace)
        assert membership is not None
        with self.one_email(world, owner) as emails:
            assert world.call("DELETE", f"/members/{membership.id}", token=key).status == 204
        assert "removed a member" in emails[0].subject

    def test_actions_of_people_send_no_email(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        admin, member = world.member(workspace, Role.ADMIN), world.member(workspace)
        membership = world.membership(member, workspace)
        assert membership is not None
        before = len(world.emails())
        path = f"/members/{membership.id}"
        admin.call("PATCH", path, {"role": "admin"})
        admin.call("DELETE", path)
        invites(world, admin.token)
        assert [e for e in world.emails()[before:] if e.to == owner.email] == []

    def test_key_that_invites_a_member_sends_no_email(
        self, world: World, owner: Someone, key: str
    ) -> None:
        invites(world, key, "member")
        assert [e for e in world.emails() if e.to == owner.email] == []


class TestRevokeKey:
    """Revoking a key cancels the open invitations that it made."""

    def test_only_invitations_of_the_key_are_canceled(
        self, world: World, owner: Someone, workspace: WorkspaceScope, key: str
    ) -> None:
        other = world.api_key(workspace, KeyScope.WRITE, owner)
        invitation = invites(world, key)
        theirs = {invites(world, other), invites(world, owner.token)}
        revoke(world, owner, key)
        assert open_ids(owner) == theirs
        assert status(invitation) is InvitationStatus.CANCELED
        preview = world.call("GET", f"/invitations/{invitation}/preview")
        assert preview.json["status"] == "canceled"

    def test_canceled_addresses_can_be_invited_again(
        self, world: World, owner: Someone, key: str
    ) -> None:
        email = f"again.{CANARY}@example.com"
        invites(world, key, email=email)
        revoke(world, owner, key)
        assert open_ids(owner) == set()
        invites(world, owner.token, email=email)

    def test_many_invitations_are_canceled_in_batches(
        self, world: World, owner: Someone, key: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(cancelling, "MAX_AT_ONCE", 2)
        made = [invites(world, key) for _ in range(5)]
        revoke(world, owner, key)
        assert open_ids(owner) == set()
        assert {status(each) for each in made} == {InvitationStatus.CANCELED}

    @pytest.mark.parametrize("action", ["accept", "decline"])
    def test_pending_invitation_of_revoked_key_is_refused(
        self,
        world: World,
        owner: Someone,
        key: str,
        action: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """The run died right after it revoked the key, before it cancelled an invitation."""
        thief = world.person()
        invitation = invites(world, key, email=thief.email)
        monkeypatch.setattr(cancelling, "_cancel_some", lambda *_: 0)
        revoke(world, owner, key)
        assert status(invitation) is InvitationStatus.PENDING
        preview = world.call("GET", f"/invitations/{invitation}/preview")
        assert preview.json["status"] == "canceled"
        answer = thief.call("POST", f"/invitations/{invitation}/{action}")
        assert answer.problem() == (409, "invitation_closed")

    def test_concurrently_accepted_invitation_is_refused(
        self, world: World, owner: Someone, key: str
    ) -> None:
        thief = world.person()
        path = f"/invitations/{invites(world, key, email=thief.email)}/accept"
        with before_the_commit(partial(revoke, world, owner, key)):
            answer = thief.call("POST", path)
        assert answer.problem() == (409, "invitation_closed")

    def test_concurrently_created_invitation_is_refused(
        self, world: World, owner: Someone, key: str
    ) -> None:
        email = f"late.{CANARY}@example.com"
        body = {"email": email, "role": "admin"}
        with before_the_commit(partial(revoke, world, owner, key)):
            answer = world.call("POST", "/invitations", token=key, json_body=body)
        assert answer.problem() == (401, "unauthenticated")
        assert open_ids(owner) == set()

    def test_killed_at_any_call_then_completed_by_retry(
        self,
        world: World,
        owner: Someone,
        workspace: WorkspaceScope,
        key: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """A second call completes the first one's work."""
        monkeypatch.setattr(cancelling, "MAX_AT_ONCE", 1)
        for _ in range(2):
            invites(world, key)
        key_id = world.key_of(key).id

        def work() -> Any:
            assert owner.call("POST", f"/api-keys/{key_id}/revoke").status == 200

        for positions in crashes(world, work):
            work()
            assert open_ids(owner) == set(), positions
            assert not ApiKeyRepository(workspace).is_active(key_id)
