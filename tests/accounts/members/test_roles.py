"""Members: another role, and another owner."""

from uuid import UUID, uuid4

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.accounts.members import service
from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.accounts.workspaces.model import Membership, Role
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.platform.persistence.changes import commit_anew
from storepost.values.scope import WorkspaceScope
from tests.accounts.members.memberships import id_of, roles
from tests.accounts.workspaces.test_workspaces import signed_in
from tests.harness.world import Answer, Someone, World


class TestTransferOwnership:
    """POST /members/{id}/transfer-ownership."""

    def transfer(self, world: World, token: str, target: UUID, key: str | None = None) -> Answer:
        """The answer to a transfer."""
        return world.call("POST", f"/members/{target}/transfer-ownership", token=token, key=key)

    def test_transfer_to_oneself_is_refused(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        answer = self.transfer(world, owner.token, id_of(world, owner, workspace))
        assert answer.problem() == (409, "already_owner")
        assert roles(workspace) == {owner.id: Role.OWNER}

    def test_new_owner_needs_two_factor_if_the_workspace_requires_it(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        world.turn_two_factor_on(owner)
        world.require_two_factor(workspace)
        member = world.member(workspace)
        target = id_of(world, member, workspace)
        assert self.transfer(world, owner.token, target).problem() == (409, "two_factor_off")
        assert roles(workspace) == {owner.id: Role.OWNER, member.id: Role.MEMBER}
        world.turn_two_factor_on(member)
        assert self.transfer(world, owner.token, target).status == 204
        assert roles(workspace) == {owner.id: Role.ADMIN, member.id: Role.OWNER}

    def test_workspace_concurrently_requires_two_factor(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        world.turn_two_factor_on(owner)
        member = world.member(workspace)
        repository = WorkspaceRepository(workspace)
        with world.meanwhile(
            lambda changes: repository.update(changes, name=None, require_two_factor=True)
        ):
            answer = self.transfer(world, owner.token, id_of(world, member, workspace))
        assert answer.problem() == (409, "two_factor_off")
        assert roles(workspace) == {owner.id: Role.OWNER, member.id: Role.MEMBER}

    @pytest.mark.parametrize("role", [Role.ADMIN, Role.MEMBER])
    def test_swaps_the_roles(
        self, world: World, owner: Someone, workspace: WorkspaceScope, role: Role
    ) -> None:
        member = world.member(workspace, role)
        answer = self.transfer(world, owner.token, id_of(world, member, workspace))
        assert (answer.status, answer.body) == (204, b"")
        assert roles(workspace) == {owner.id: Role.ADMIN, member.id: Role.OWNER}
        back = self.transfer(world, owner.token, id_of(world, member, workspace))
        assert back.problem() == (403, "role")

    def test_concurrent_transfers_leave_one_owner(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        first, second = world.member(workspace), world.member(workspace)
        caller = WorkspaceCaller(signed_in(owner), workspace, world.membership(owner, workspace))
        other = id_of(world, second, workspace)
        with world.meanwhile(lambda c: service.transfer_ownership(caller, other, c)):
            answer = self.transfer(world, owner.token, id_of(world, first, workspace))
        assert answer.problem() == (403, "role")
        assert roles(workspace) == {
            owner.id: Role.ADMIN,
            first.id: Role.MEMBER,
            second.id: Role.OWNER,
        }

    def test_transfer_to_concurrently_removed_member_is_refused(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        member = world.member(workspace)
        target = id_of(world, member, workspace)
        with world.meanwhile(world.unseating(member, workspace, demoted=False)):
            answer = self.transfer(world, owner.token, target)
        assert answer.problem() == (404, "not_found")
        assert roles(workspace) == {owner.id: Role.OWNER}


class TestUpdateRole:
    """PATCH /members/{id}."""

    def patch(
        self, world: World, token: str, target: object, role: object, key: str | None = None
    ) -> Answer:
        """The answer to a new role."""
        body = {"role": role}
        return world.call("PATCH", f"/members/{target}", token=token, json_body=body, key=key)

    @pytest.mark.parametrize("by_key", [False, True])
    @pytest.mark.parametrize("role", ["admin", "member"])
    def test_admin_demoted_before_members_are_read_is_refused(
        self, world: World, workspace: WorkspaceScope, monkeypatch: pytest.MonkeyPatch, role: str,
        *, by_key: bool,
    ) -> None:  # fmt: skip
        """A demoted admin can't make themselves an admin again."""
        admin = world.member(workspace, Role.ADMIN)
        token = world.api_key(workspace, KeyScope.WRITE, admin) if by_key else admin.token
        target = id_of(world, admin, workspace)
        demote = world.unseating(admin, workspace, demoted=True)
        plain = WorkspaceRepository.memberships

        def demoted_first(repository: WorkspaceRepository) -> list[Membership]:
            monkeypatch.setattr(WorkspaceRepository, "memberships", plain)
            commit_anew(demote)
            return plain(repository)

        monkeypatch.setattr(WorkspaceRepository, "memberships", demoted_first)
        assert self.patch(world, token, target, role).problem() == (403, "role")
        assert roles(workspace)[admin.id] is Role.MEMBER

    @pytest.mark.parametrize("demoted", [False, True])
    def test_own_role_of_admin_removed_or_demoted_concurrently(
        self, world: World, workspace: WorkspaceScope, *, demoted: bool
    ) -> None:
        admin = world.member(workspace, Role.ADMIN)
        target = id_of(world, admin, workspace)
        with world.meanwhile(world.unseating(admin, workspace, demoted=demoted)):
            answer = self.patch(world, admin.token, target, "member")
        assert answer.problem() == ((403, "role") if demoted else (404, "not_found"))
        assert roles(workspace).get(admin.id) is (Role.MEMBER if demoted else None)

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, ["/role"]),
            ({"role": "owner"}, ["/role"]),
            ({"role": None}, ["/role"]),
            ({"role": "admin", "name": "x"}, ["/name"]),
        ],
    )
    def test_bad_input(
        self, owner: Someone, workspace: WorkspaceScope, body: object,
        paths: list[str],
    ) -> None:  # fmt: skip
        assert owner.call("PATCH", f"/members/{uuid4()}", body).error_paths() == paths

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            (Role.MEMBER, Role.ADMIN),
            (Role.ADMIN, Role.MEMBER),
            (Role.ADMIN, Role.ADMIN),
            (Role.MEMBER, Role.MEMBER),
        ],
    )
    def test_changes_the_role(
        self, world: World, owner: Someone, workspace: WorkspaceScope, before: Role, after: Role
    ) -> None:
        member = world.member(workspace, before)
        answer = self.patch(world, owner.token, id_of(world, member, workspace), after)
        assert (answer.status, answer.body) == (204, b"")
        assert roles(workspace) == {owner.id: Role.OWNER, member.id: after}

    def test_by_an_admins_write_key(self, world: World, workspace: WorkspaceScope) -> None:
        key = world.api_key(workspace, KeyScope.WRITE, world.member(workspace, Role.ADMIN))
        member = world.member(workspace)
        assert self.patch(world, key, id_of(world, member, workspace), "admin").status == 204
        assert roles(workspace)[member.id] is Role.ADMIN

    def test_role_of_the_owner_cannot_be_changed(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        admin = world.member(workspace, Role.ADMIN)
        for token in (owner.token, admin.token):
            answer = self.patch(world, token, id_of(world, owner, workspace), "admin")
            assert answer.problem() == (409, "owner_role")
        assert roles(workspace)[owner.id] is Role.OWNER

    def test_role_of_concurrent_new_owner_cannot_be_changed(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        admin, member = world.member(workspace, Role.ADMIN), world.member(workspace)
        caller = WorkspaceCaller(signed_in(owner), workspace, world.membership(owner, workspace))
        target = id_of(world, member, workspace)
        with world.meanwhile(lambda c: service.transfer_ownership(caller, target, c)):
            answer = self.patch(world, admin.token, target, "admin")
        assert answer.problem() == (409, "owner_role")
        assert roles(workspace)[member.id] is Role.OWNER

    def test_admin_demotes_themselves_and_retries(
        self, world: World, workspace: WorkspaceScope
    ) -> None:
        admin = world.member(workspace, Role.ADMIN)
        target = id_of(world, admin, workspace)
        first = self.patch(world, admin.token, target, "member", key="k")
        again = self.patch(world, admin.token, target, "member", key="k")
        assert (first.status, again.status) == (204, 204)
        assert again.header("idempotency-replayed") == "true"
        assert self.patch(world, admin.token, target, "admin").problem() == (403, "role")
        assert roles(workspace)[admin.id] is Role.MEMBER
