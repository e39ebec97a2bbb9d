"""Members: what all writes refuse, and the list."""

import pytest

from storepost.accounts.workspaces.model import Role
from storepost.values import clock
from storepost.values.scope import WorkspaceScope
from tests.accounts.members.memberships import WRITES, listed
from tests.harness.world import CANARY, Someone, World


class TestWrites:
    """What the writes on a member have in common."""

    @pytest.mark.parametrize(("method", "path", "body"), WRITES)
    def test_user_id_is_not_a_member_id(
        self, world: World, owner: Someone, workspace: WorkspaceScope, method: str, path: str,
        body: object,
    ) -> None:  # fmt: skip
        member = world.member(workspace)
        assert owner.call(method, path.format(id=member.id), body).problem() == (404, "not_found")


class TestList:
    """GET /members."""

    def test_complete_response(self, world: World, owner: Someone) -> None:
        workspace = world.workspace(owner)
        world.workspace(world.person())
        world.advance(minutes=5)
        member = world.member(workspace)
        answer = member.call("GET", "/members")
        now = clock.now()
        assert answer.status == 200
        first, second = (world.membership(person, workspace) for person in (owner, member))
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

    def test_last_active_at_is_updated_at_most_once_a_minute(
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

    def test_sorted_by_name_and_joined_at(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
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

    def test_ties_are_sorted_by_id(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        for _ in range(6):
            world.join(world.person("Same Name"), workspace, Role.MEMBER)
        items = owner.call("GET", "/members", query={"sort": "name", "q": "same"}).json["items"]
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

    def test_filtered_by_role(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
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
            answer = owner.call("GET", "/members", query={"page": page, "pageSize": 10})
            assert answer.status == 200
            assert len(answer.json["items"]) == size
            assert {k: answer.json[k] for k in ("total", "page", "pageSize")} == {
                "total": 12, "page": page, "pageSize": 10,
            }  # fmt: skip
            seen += [item["joinedAt"] for item in answer.json["items"]]
        assert seen == sorted(set(seen))
        assert len(seen) == 12
