"""Members: removing one, and leaving."""

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.accounts.identity.repository import PersonItem, person_key
from storepost.accounts.members import service
from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.accounts.workspaces.model import Role
from storepost.accounts.workspaces.repository import (
    MembershipPointerItem,
    WorkspaceRepository,
    membership_pointer_key,
)
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import find
from storepost.values.scope import PersonScope, WorkspaceScope
from tests.accounts.members.memberships import id_of, listed, make_key_on_leaving, roles
from tests.accounts.workspaces.test_workspaces import signed_in
from tests.harness.call_interruption import before_the_commit
from tests.harness.world import Answer, Someone, World


class TestDelete:
    """DELETE /members/{id}."""

    def delete(self, world: World, token: str, target: object, key: str | None = None) -> Answer:
        """The answer to a removal."""
        return world.call("DELETE", f"/members/{target}", token=token, key=key)

    def test_member_loses_access(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        member = world.member(workspace)
        other_session, _ = world.sign_in(member.id, workspace)
        assert listed(world, other_session) == ["Olive Owner", member.name]
        answer = self.delete(world, owner.token, id_of(world, member, workspace))
        assert (answer.status, answer.body) == (204, b"")
        assert roles(workspace) == {owner.id: Role.OWNER}
        pointer = membership_pointer_key(PersonScope(member.id), workspace)
        assert find(MembershipPointerItem, pointer) is None
        for token in (member.token, other_session):
            answer = world.call("GET", "/members", token=token)
            assert answer.problem() == (409, "no_active_workspace")
        assert world.emails() == []

    def test_owner_is_emailed_about_concurrently_created_key(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        admin = world.member(workspace, Role.ADMIN)
        target = id_of(world, admin, workspace)

        with before_the_commit(lambda: make_key_on_leaving(admin)):
            assert self.delete(world, owner.token, target).status == 204
        [email] = world.emails()
        assert email.to == owner.email
        assert "On leaving" in email.text

    def test_owner_is_emailed_about_concurrent_replacement_key(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        """The number of active keys stays the same."""
        admin = world.member(workspace, Role.ADMIN)
        target = id_of(world, admin, workspace)
        revoked = world.key_of(world.api_key(workspace, KeyScope.READ, admin))

        def meanwhile() -> None:
            assert admin.call("POST", f"/api-keys/{revoked.id}/revoke").status == 200
            make_key_on_leaving(admin)

        with before_the_commit(meanwhile):
            assert self.delete(world, owner.token, target).status == 204
        [email] = world.emails()
        assert email.to == owner.email
        assert "On leaving" in email.text
        assert revoked.name not in email.text

    def test_concurrently_demoted_admin_cannot_delete_themselves(
        self, world: World, workspace: WorkspaceScope
    ) -> None:
        admin = world.member(workspace, Role.ADMIN)
        target = id_of(world, admin, workspace)
        with world.meanwhile(world.unseating(admin, workspace, demoted=True)):
            answer = self.delete(world, admin.token, target)
        assert answer.problem() == (403, "role")
        assert roles(workspace)[admin.id] is Role.MEMBER

    def test_rejoining_does_not_reactivate_other_sessions(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        member = world.member(workspace)
        other_session, _ = world.sign_in(member.id, workspace)
        self.delete(world, owner.token, id_of(world, member, workspace))
        world.advance(seconds=1)
        body = {"email": member.email, "role": "member"}
        made = owner.call("POST", "/invitations", body).json["id"]
        accepted = member.call("POST", f"/invitations/{made}/accept")
        assert accepted.status == 200
        assert len(listed(world, member.token)) == 2
        answer = world.call("GET", "/members", token=other_session)
        assert answer.problem() == (409, "no_active_workspace")

    def test_request_of_concurrently_removed_member_is_refused(
        self, world: World, workspace: WorkspaceScope, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        member = world.member(workspace)
        plain = WorkspaceRepository.touch_member

        def removed_first(*args: object) -> bool:
            membership = world.membership(member, workspace)
            assert membership is not None
            changes = Changes()
            WorkspaceRepository(workspace).delete_member(changes, membership)
            changes.commit()
            return plain(*args)  # type: ignore[arg-type]

        monkeypatch.setattr(WorkspaceRepository, "touch_member", removed_first)
        assert member.call("GET", "/members").problem() == (409, "no_active_workspace")
        assert world.membership(member, workspace) is None

    def test_owner_cannot_be_removed(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        admin = world.member(workspace, Role.ADMIN)
        for token in (owner.token, admin.token):
            answer = self.delete(world, token, id_of(world, owner, workspace))
            assert answer.problem() == (409, "owner_removal")
        assert roles(workspace)[owner.id] is Role.OWNER

    def test_member_who_concurrently_became_owner_cannot_be_removed(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        admin, member = world.member(workspace, Role.ADMIN), world.member(workspace)
        caller = WorkspaceCaller(signed_in(owner), workspace, world.membership(owner, workspace))
        target = id_of(world, member, workspace)
        with world.meanwhile(lambda c: service.transfer_ownership(caller, target, c)):
            answer = self.delete(world, admin.token, target)
        assert answer.problem() == (409, "owner_removal")
        assert roles(workspace)[member.id] is Role.OWNER

    def test_admin_removes_themselves_and_retries(
        self, world: World, workspace: WorkspaceScope
    ) -> None:
        admin = world.member(workspace, Role.ADMIN)
        target = id_of(world, admin, workspace)
        assert self.delete(world, admin.token, target, key="k").status == 204
        again = self.delete(world, admin.token, target, key="k")
        assert (again.status, again.header("idempotency-replayed")) == (204, "true")
        anew = self.delete(world, admin.token, target)
        assert anew.problem() == (409, "no_active_workspace")

    def test_owner_is_emailed_the_active_keys(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        admin = world.member(workspace, Role.ADMIN)
        remaining, revoked = (world.api_key(workspace, KeyScope.WRITE, admin) for _ in range(2))
        key = world.api_key(workspace, KeyScope.WRITE, owner)
        path = f"/api-keys/{world.key_of(revoked).id}/revoke"
        assert owner.call("POST", path).status == 200
        remover = world.member(workspace, Role.ADMIN)
        assert self.delete(world, remover.token, id_of(world, admin, workspace)).status == 204
        [email] = world.emails()
        assert email.to == owner.email
        assert admin.name in email.text
        assert "Olive's Shop" in email.text
        assert world.key_of(remaining).name in email.text
        assert world.key_of(remaining).prefix in email.text
        assert world.key_of(key).prefix not in email.text
        assert revoked[:12] not in email.text
        assert remaining not in email.text

    def test_api_keys_still_work_without_the_admin_role(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        admin = world.member(workspace, Role.ADMIN)
        key = world.api_key(workspace, KeyScope.WRITE, admin)
        member = id_of(world, world.member(workspace), workspace)
        self.delete(world, owner.token, id_of(world, admin, workspace))
        assert len(listed(world, key)) == 2
        answer = world.call("PATCH", f"/members/{member}", token=key, json_body={"role": "admin"})
        assert answer.problem() == (403, "role")


class TestLeave:
    """POST /members/leave."""

    def leave(self, world: World, token: str | None, key: str | None = None) -> Answer:
        """The answer to leaving."""
        return world.call("POST", "/members/leave", token=token, key=key)

    def test_owner_cannot_leave(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        assert self.leave(world, owner.token).problem() == (409, "owner_leave")
        assert roles(workspace) == {owner.id: Role.OWNER}

    @pytest.mark.parametrize("role", [Role.ADMIN, Role.MEMBER])
    def test_ends_the_membership(
        self, world: World, owner: Someone, workspace: WorkspaceScope, role: Role
    ) -> None:
        member = world.member(workspace, role)
        answer = self.leave(world, member.token)
        assert (answer.status, answer.body) == (204, b"")
        assert roles(workspace) == {owner.id: Role.OWNER}
        pointer = membership_pointer_key(PersonScope(member.id), workspace)
        assert find(MembershipPointerItem, pointer) is None
        assert self.leave(world, member.token).problem() == (409, "no_active_workspace")
        assert find(PersonItem, person_key(PersonScope(member.id))) is not None

    def test_leaves_only_the_active_workspace(
        self, world: World, workspace: WorkspaceScope
    ) -> None:
        member = world.member(workspace)
        other = world.workspace(world.person())
        world.join(member, other, Role.MEMBER)
        assert self.leave(world, member.token).status == 204
        assert world.membership(member, workspace) is not None
        assert world.membership(member, other) is None

    def test_member_who_concurrently_became_owner_cannot_leave(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        member = world.member(workspace)
        caller = WorkspaceCaller(signed_in(owner), workspace, world.membership(owner, workspace))
        target = id_of(world, member, workspace)
        with world.meanwhile(lambda c: service.transfer_ownership(caller, target, c)):
            answer = self.leave(world, member.token)
        assert answer.problem() == (409, "owner_leave")
        assert roles(workspace)[member.id] is Role.OWNER
