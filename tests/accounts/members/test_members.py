"""Members, an operation a class."""

from uuid import UUID, uuid4

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.accounts.identity.repository import PersonItem, person_key
from storepost.accounts.members import service
from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.accounts.workspaces.model import Membership, Role
from storepost.accounts.workspaces.repository import (
    MembershipPointerItem,
    WorkspaceRepository,
    membership_pointer_key,
)
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.item import find
from storepost.values import clock
from storepost.values.scope import PersonScope, WorkspaceScope
from tests.accounts.workspaces.test_workspaces import signed_in
from tests.harness.call_interruption import before_the_commit
from tests.harness.world import CANARY, Answer, Someone, World


@pytest.fixture
def owner(world: World) -> Someone:
    """The owner of a workspace."""
    return world.person("Olive Owner")


@pytest.fixture
def workspace(world: World, owner: Someone) -> WorkspaceScope:
    """The owner's workspace."""
    return world.workspace(owner, "Olive's Shop")


def make_key_on_leaving(world: World, admin: Someone) -> None:
    """An admin makes a key while somebody removes them."""
    body = {"name": "On leaving", "scope": "write"}
    assert world.call("POST", "/api-keys", token=admin.token, json_body=body).status == 201


def id_of(world: World, someone: Someone, workspace: WorkspaceScope) -> UUID:
    """The id of somebody's membership."""
    membership = world.membership(someone, workspace)
    assert membership is not None
    return membership.id


def roles(workspace: WorkspaceScope) -> dict[UUID, Role]:
    """Every member's role, by person."""
    return {m.person_id: m.role for m in WorkspaceRepository(workspace).memberships()}


def listed(world: World, token: str, **query: object) -> list[str]:
    """The names on the first page."""
    answer = world.call("GET", "/members", token=token, query=query)
    assert answer.status == 200, answer.body
    assert answer.json["total"] == len(answer.json["items"])
    return [item["name"] for item in answer.json["items"]]


WRITES = [
    ("POST", "/members/{id}/transfer-ownership", None),
    ("PATCH", "/members/{id}", {"role": "admin"}),
    ("DELETE", "/members/{id}", None),
]


class TestWrites:
    """What the writes on a member have in common."""

    @pytest.mark.parametrize(("method", "path", "body"), WRITES)
    def test_another_workspaces_member(
        self, world: World, owner: Someone, workspace: WorkspaceScope, method: str, path: str,
        body: object,
    ) -> None:  # fmt: skip
        elsewhere = world.workspace(world.person())
        member = world.member(elsewhere)
        target = path.format(id=id_of(world, member, elsewhere))
        answer = world.call(method, target, token=owner.token, json_body=body)
        assert answer.problem() == (404, "not_found")
        assert roles(elsewhere)[member.id] is Role.MEMBER

    @pytest.mark.parametrize(("method", "path", "body"), WRITES)
    def test_the_persons_id_is_none_of_a_member(
        self, world: World, owner: Someone, workspace: WorkspaceScope, method: str, path: str,
        body: object,
    ) -> None:  # fmt: skip
        member = world.member(workspace)
        answer = world.call(method, path.format(id=member.id), token=owner.token, json_body=body)
        assert answer.problem() == (404, "not_found")

    @pytest.mark.parametrize(("method", "path", "body"), WRITES)
    def test_no_uuid(
        self, world: World, owner: Someone, workspace: WorkspaceScope, method: str, path: str,
        body: object,
    ) -> None:  # fmt: skip
        answer = world.call(method, path.format(id=7), token=owner.token, json_body=body)
        assert answer.error_paths() == ["path.id"]

    @pytest.mark.parametrize(("method", "path", "body"), WRITES)
    def test_no_active_workspace(self, world: World, method: str, path: str, body: object) -> None:
        token = world.person().token
        answer = world.call(method, path.format(id=uuid4()), token=token, json_body=body)
        assert answer.problem() == (409, "no_active_workspace")

    @pytest.mark.parametrize(("method", "path", "body"), WRITES)
    def test_role_too_small(
        self, world: World, workspace: WorkspaceScope, method: str, path: str, body: object
    ) -> None:
        member = world.member(workspace)
        answer = world.call(method, path.format(id=7), token=member.token, json_body=body)
        assert answer.problem() == (403, "role")
        allowed = "owner" if "ownership" in path else "owner and its admins"
        assert answer.json["detail"] == f"Only the workspace's {allowed} can do this."


class TestList:
    """GET /members."""

    def test_no_active_workspace(self, world: World) -> None:
        answer = world.call("GET", "/members", token=world.person().token, query={"page": 0})
        assert answer.problem() == (409, "no_active_workspace")

    def test_the_whole_answer(self, world: World, owner: Someone) -> None:
        workspace = world.workspace(owner)
        world.workspace(world.person())
        world.advance(minutes=5)
        member = world.member(workspace)
        answer = world.call("GET", "/members", token=member.token)
        now = clock.now()
        assert answer.status == 200
        first, second = (world.membership(who, workspace) for who in (owner, member))
        assert first is not None
        assert second is not None
        seen = clock.from_text(answer.json["items"][1]["lastActiveAt"])
        assert second.joined_at <= seen <= now
        assert answer.json == {
            "items": [
                {
                    "id": str(first.id),
                    "userId": str(owner.id),
                    "name": "Olive Owner",
                    "email": owner.email,
                    "role": "owner",
                    "joinedAt": clock.to_text(first.joined_at),
                    "lastActiveAt": None,
                },
                {
                    "id": str(second.id),
                    "userId": str(member.id),
                    "name": member.name,
                    "email": member.email,
                    "role": "member",
                    "joinedAt": clock.to_text(second.joined_at),
                    "lastActiveAt": clock.to_text(seen),
                },
            ],
            "total": 2,
            "page": 1,
            "pageSize": 25,
        }

    def test_by_a_read_key_without_a_maker(self, world: World, workspace: WorkspaceScope) -> None:
        assert listed(world, world.api_key(workspace, KeyScope.READ)) == ["Olive Owner"]

    def test_activity_is_noted_at_most_once_a_minute(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        listed(world, owner.token)
        membership = world.membership(owner, workspace)
        assert membership is not None
        world.advance(seconds=58)
        listed(world, owner.token)
        assert world.membership(owner, workspace) == membership
        world.advance(seconds=2)
        listed(world, owner.token)
        later = world.membership(owner, workspace)
        assert later is not None
        assert later.last_active_at is not None
        assert membership.last_active_at is not None
        assert later.last_active_at > membership.last_active_at

    def test_order(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        for name in ("bea", "Ánn", "ann lee"):
            world.advance(seconds=1)
            world.join(world.person(name), workspace, Role.MEMBER)
        joined = ["Olive Owner", "bea", "Ánn", "ann lee"]
        named = ["Ánn", "ann lee", "bea", "Olive Owner"]
        assert listed(world, owner.token) == joined
        assert listed(world, owner.token, sort="joinedAt") == joined
        assert listed(world, owner.token, sort="-joinedAt") == joined[::-1]
        assert listed(world, owner.token, sort="name") == named
        assert listed(world, owner.token, sort="-name") == named[::-1]

    def test_ties_by_id(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        for _ in range(6):
            world.join(world.person("Same Name"), workspace, Role.MEMBER)
        query = {"sort": "name", "q": "same"}
        items = world.call("GET", "/members", token=owner.token, query=query).json["items"]
        ids = [item["id"] for item in items]
        assert len(ids) == 6
        assert ids == sorted(ids)

    def test_search(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        guest = world.person(f"Zoë van Dijk {CANARY}")
        world.join(guest, workspace, Role.MEMBER)
        for q in ("zoe", "DIJK van", guest.email, f"  {CANARY} zo ", "person2.can"):
            assert listed(world, owner.token, q=q) == [guest.name], q
        for q in ("ijk", "zoe olive", f"x{guest.email}"):
            assert listed(world, owner.token, q=q) == [], q

    def test_roles(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        admin = world.member(workspace, Role.ADMIN)
        member = world.member(workspace)
        assert listed(world, owner.token, role="admin") == [admin.name]
        assert listed(world, owner.token, role="owner,member") == [owner.name, member.name]
        assert listed(world, owner.token, role="member", q="olive") == []

    def test_pages(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        for _ in range(11):
            world.advance(seconds=1)
            world.member(workspace)
        seen = []
        for page, size in ((1, 10), (2, 2), (3, 0)):
            query = {"page": page, "pageSize": 10}
            answer = world.call("GET", "/members", token=owner.token, query=query)
            assert answer.status == 200
            assert len(answer.json["items"]) == size
            assert {k: answer.json[k] for k in ("total", "page", "pageSize")} == {
                "total": 12, "page": page, "pageSize": 10,
            }  # fmt: skip
            seen += [item["joinedAt"] for item in answer.json["items"]]
        assert seen == sorted(set(seen))
        assert len(seen) == 12

    @pytest.mark.parametrize(
        ("query", "path"),
        [
            ({"page": 0}, "query.page"),
            ({"pageSize": 11}, "query.pageSize"),
            ({"role": "boss"}, "query.role"),
            ({"role": "admin,boss"}, "query.role"),
            ({"role": ""}, "query.role"),
            ({"sort": "email"}, "query.sort"),
            ({"q": ""}, "query.q"),
            ({"q": "x" * 201}, "query.q"),
        ],
    )
    def test_bad_input(
        self, world: World, owner: Someone, workspace: WorkspaceScope, query: dict[str, object],
        path: str,
    ) -> None:  # fmt: skip
        answer = world.call("GET", "/members", token=owner.token, query=query)
        assert answer.error_paths() == [path]


class TestTransferOwnership:
    """POST /members/{id}/transfer-ownership."""

    def transfer(self, world: World, token: str, target: UUID, key: str | None = None) -> Answer:
        """The answer to a transfer."""
        return world.call("POST", f"/members/{target}/transfer-ownership", token=token, key=key)

    def test_keys_may_not(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        key = world.api_key(workspace, KeyScope.WRITE, owner)
        assert self.transfer(world, key, uuid4()).problem() == (403, "sign_in_required")

    def test_admins_may_not(self, world: World, workspace: WorkspaceScope) -> None:
        admin = world.member(workspace, Role.ADMIN)
        answer = self.transfer(world, admin.token, uuid4())
        assert answer.problem() == (403, "role")
        assert answer.json["detail"] == "Only the workspace's owner can do this."

    def test_unknown(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        assert self.transfer(world, owner.token, uuid4()).problem() == (404, "not_found")

    def test_to_oneself(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        answer = self.transfer(world, owner.token, id_of(world, owner, workspace))
        assert answer.problem() == (409, "already_owner")
        assert roles(workspace) == {owner.id: Role.OWNER}

    def test_not_to_a_member_without_two_factor_where_the_workspace_demands_it(
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

    def test_the_workspace_demands_it_meanwhile(
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

    def test_a_retry_gets_the_first_answer(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        member = world.member(workspace)
        target = id_of(world, member, workspace)
        first = self.transfer(world, owner.token, target, key="k")
        again = self.transfer(world, owner.token, target, key="k")
        assert (first.status, again.status, again.body) == (204, 204, b"")
        assert first.header("idempotency-replayed") is None
        assert again.header("idempotency-replayed") == "true"
        for other in ("other", "x" * 256):
            assert self.transfer(world, owner.token, target, key=other).problem() == (403, "role")
        elsewhere = self.transfer(world, owner.token, uuid4(), key="k")
        assert elsewhere.problem() == (403, "role")
        assert roles(workspace) == {owner.id: Role.ADMIN, member.id: Role.OWNER}

    def test_two_at_once_leave_one_owner(
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

    def test_to_somebody_removed_meanwhile(
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

    @pytest.mark.parametrize("demoted", [False, True])
    def test_by_who_is_no_admin_any_more(
        self, world: World, workspace: WorkspaceScope, *, demoted: bool
    ) -> None:
        admin, other = world.member(workspace, Role.ADMIN), world.member(workspace)
        target = id_of(world, other, workspace)
        with world.meanwhile(world.unseating(admin, workspace, demoted=demoted)):
            answer = self.patch(world, admin.token, target, "admin")
        assert answer.problem() == (403, "role")
        assert roles(workspace)[other.id] is Role.MEMBER

    @pytest.mark.parametrize("by_key", [False, True])
    @pytest.mark.parametrize("role", ["admin", "member"])
    def test_by_an_admin_demoted_before_the_members_are_read(
        self, world: World, workspace: WorkspaceScope, monkeypatch: pytest.MonkeyPatch, role: str,
        *, by_key: bool,
    ) -> None:  # fmt: skip
        """Nobody makes themselves an admin again."""
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
    def test_oneself_as_no_admin_any_more(
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
        self, world: World, owner: Someone, workspace: WorkspaceScope, body: object,
        paths: list[str],
    ) -> None:  # fmt: skip
        answer = world.call("PATCH", f"/members/{uuid4()}", token=owner.token, json_body=body)
        assert answer.error_paths() == paths

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

    def test_the_owner(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        admin = world.member(workspace, Role.ADMIN)
        for token in (owner.token, admin.token):
            answer = self.patch(world, token, id_of(world, owner, workspace), "admin")
            assert answer.problem() == (409, "owner_role")
        assert roles(workspace)[owner.id] is Role.OWNER

    def test_made_owner_meanwhile(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        admin, member = world.member(workspace, Role.ADMIN), world.member(workspace)
        caller = WorkspaceCaller(signed_in(owner), workspace, world.membership(owner, workspace))
        target = id_of(world, member, workspace)
        with world.meanwhile(lambda c: service.transfer_ownership(caller, target, c)):
            answer = self.patch(world, admin.token, target, "admin")
        assert answer.problem() == (409, "owner_role")
        assert roles(workspace)[member.id] is Role.OWNER

    def test_an_admins_own_role_and_the_retry(
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


class TestDelete:
    """DELETE /members/{id}."""

    def delete(self, world: World, token: str, target: object, key: str | None = None) -> Answer:
        """The answer to a removal."""
        return world.call("DELETE", f"/members/{target}", token=token, key=key)

    def test_the_member_loses_access(
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

    def test_the_owner_is_told_of_a_key_that_they_make_meanwhile(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        admin = world.member(workspace, Role.ADMIN)
        target = id_of(world, admin, workspace)

        with before_the_commit(lambda: make_key_on_leaving(world, admin)):
            assert self.delete(world, owner.token, target).status == 204
        [email] = world.emails()
        assert email.to == owner.email
        assert "On leaving" in email.text

    def test_the_owner_is_told_of_a_key_that_takes_anothers_place_meanwhile(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        """As many are active as before."""
        admin = world.member(workspace, Role.ADMIN)
        target = id_of(world, admin, workspace)
        revoked = world.key_of(world.api_key(workspace, KeyScope.READ, admin))

        def meanwhile() -> None:
            path = f"/api-keys/{revoked.id}/revoke"
            assert world.call("POST", path, token=admin.token).status == 200
            make_key_on_leaving(world, admin)

        with before_the_commit(meanwhile):
            assert self.delete(world, owner.token, target).status == 204
        [email] = world.emails()
        assert email.to == owner.email
        assert "On leaving" in email.text
        assert revoked.name not in email.text

    def test_oneself_as_no_admin_any_more(self, world: World, workspace: WorkspaceScope) -> None:
        admin = world.member(workspace, Role.ADMIN)
        target = id_of(world, admin, workspace)
        with world.meanwhile(world.unseating(admin, workspace, demoted=True)):
            answer = self.delete(world, admin.token, target)
        assert answer.problem() == (403, "role")
        assert roles(workspace)[admin.id] is Role.MEMBER

    def test_coming_back_activates_nothing_that_was_lost(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        member = world.member(workspace)
        other_session, _ = world.sign_in(member.id, workspace)
        self.delete(world, owner.token, id_of(world, member, workspace))
        world.advance(seconds=1)
        body = {"email": member.email, "role": "member"}
        made = world.call("POST", "/invitations", token=owner.token, json_body=body).json["id"]
        accepted = world.call("POST", f"/invitations/{made}/accept", token=member.token)
        assert accepted.status == 200
        assert len(listed(world, member.token)) == 2
        answer = world.call("GET", "/members", token=other_session)
        assert answer.problem() == (409, "no_active_workspace")

    def test_removed_while_a_request_comes_in(
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
        answer = world.call("GET", "/members", token=member.token)
        assert answer.problem() == (409, "no_active_workspace")
        assert world.membership(member, workspace) is None

    def test_the_owner(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        admin = world.member(workspace, Role.ADMIN)
        for token in (owner.token, admin.token):
            answer = self.delete(world, token, id_of(world, owner, workspace))
            assert answer.problem() == (409, "owner_removal")
        assert roles(workspace)[owner.id] is Role.OWNER

    def test_made_owner_meanwhile(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        admin, member = world.member(workspace, Role.ADMIN), world.member(workspace)
        caller = WorkspaceCaller(signed_in(owner), workspace, world.membership(owner, workspace))
        target = id_of(world, member, workspace)
        with world.meanwhile(lambda c: service.transfer_ownership(caller, target, c)):
            answer = self.delete(world, admin.token, target)
        assert answer.problem() == (409, "owner_removal")
        assert roles(workspace)[member.id] is Role.OWNER

    def test_twice(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        target = id_of(world, world.member(workspace), workspace)
        assert self.delete(world, owner.token, target, key="k").status == 204
        again = self.delete(world, owner.token, target, key="k")
        assert (again.status, again.header("idempotency-replayed")) == (204, "true")
        anew = self.delete(world, owner.token, target)
        assert (anew.status, anew.header("idempotency-replayed")) == (204, None)

    def test_oneself_and_the_retry(self, world: World, workspace: WorkspaceScope) -> None:
        admin = world.member(workspace, Role.ADMIN)
        target = id_of(world, admin, workspace)
        assert self.delete(world, admin.token, target, key="k").status == 204
        again = self.delete(world, admin.token, target, key="k")
        assert (again.status, again.header("idempotency-replayed")) == (204, "true")
        anew = self.delete(world, admin.token, target)
        assert anew.problem() == (409, "no_active_workspace")

    def test_the_owner_is_told_of_the_keys(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        admin = world.member(workspace, Role.ADMIN)
        kept, revoked = (world.api_key(workspace, KeyScope.WRITE, admin) for _ in range(2))
        mine = world.api_key(workspace, KeyScope.WRITE, owner)
        path = f"/api-keys/{world.key_of(revoked).id}/revoke"
        assert world.call("POST", path, token=owner.token).status == 200
        remover = world.member(workspace, Role.ADMIN)
        assert self.delete(world, remover.token, id_of(world, admin, workspace)).status == 204
        [email] = world.emails()
        assert email.to == owner.email
        assert admin.name in email.text
        assert "Olive's Shop" in email.text
        assert world.key_of(kept).name in email.text
        assert world.key_of(kept).prefix in email.text
        assert world.key_of(mine).prefix not in email.text
        assert revoked[:12] not in email.text
        assert kept not in email.text

    def test_the_keys_go_on_without_the_role(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        admin = world.member(workspace, Role.ADMIN)
        key = world.api_key(workspace, KeyScope.WRITE, admin)
        member = id_of(world, world.member(workspace), workspace)
        self.delete(world, owner.token, id_of(world, admin, workspace))
        assert len(listed(world, key)) == 2
        body = {"role": "admin"}
        answer = world.call("PATCH", f"/members/{member}", token=key, json_body=body)
        assert answer.problem() == (403, "role")


class TestLeave:
    """POST /members/leave."""

    def leave(self, world: World, token: str | None, key: str | None = None) -> Answer:
        """The answer to leaving."""
        return world.call("POST", "/members/leave", token=token, key=key)

    def test_keys_may_not(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        key = world.api_key(workspace, KeyScope.WRITE, owner)
        assert self.leave(world, key).problem() == (403, "sign_in_required")

    def test_no_active_workspace(self, world: World) -> None:
        answer = self.leave(world, world.person().token)
        assert answer.problem() == (409, "no_active_workspace")

    def test_the_owner(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
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

    def test_leaves_only_the_active_one(self, world: World, workspace: WorkspaceScope) -> None:
        member = world.member(workspace)
        other = world.workspace(world.person())
        world.join(member, other, Role.MEMBER)
        assert self.leave(world, member.token).status == 204
        assert world.membership(member, workspace) is not None
        assert world.membership(member, other) is None

    def test_a_retry_gets_the_first_answer(self, world: World, workspace: WorkspaceScope) -> None:
        member = world.member(workspace)
        first = self.leave(world, member.token, key="k")
        again = self.leave(world, member.token, key="k")
        assert (first.status, again.status) == (204, 204)
        assert again.header("idempotency-replayed") == "true"
        other = self.leave(world, member.token, key="other")
        assert other.problem() == (409, "no_active_workspace")

    def test_made_owner_meanwhile(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        member = world.member(workspace)
        caller = WorkspaceCaller(signed_in(owner), workspace, world.membership(owner, workspace))
        target = id_of(world, member, workspace)
        with world.meanwhile(lambda c: service.transfer_ownership(caller, target, c)):
            answer = self.leave(world, member.token)
        assert answer.problem() == (409, "owner_leave")
        assert roles(workspace)[member.id] is Role.OWNER
