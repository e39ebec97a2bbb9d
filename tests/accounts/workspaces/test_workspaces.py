"""Workspaces, an operation a class."""

from uuid import UUID, uuid4

import pytest

from storepost.accounts.identity.model import KeyScope, SignedInPerson
from storepost.accounts.identity.repository import SessionItem, as_session, find_person, find_token
from storepost.accounts.identity.tokens import digest
from storepost.accounts.workspaces import service
from storepost.accounts.workspaces.model import Role, Workspace
from storepost.accounts.workspaces.repository import (
    SlugItem,
    WorkspaceItem,
    WorkspaceRepository,
    slug_key,
    workspace_key,
)
from storepost.api.http.callers import person_in_workspace
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import find
from storepost.values.scope import PersonScope, WorkspaceScope
from tests.harness.world import CANARY, Answer, Someone, World


def made(by: Someone, name: str, key: str | None = None) -> Answer:
    """The answer to a new workspace of that name."""
    return by.call("POST", "/workspaces", {"name": name}, key=key)


def signed_in(someone: Someone) -> SignedInPerson:
    """The person as authentication finds them."""
    session, person = find_token(digest(someone.token)), find_person(PersonScope(someone.id))
    assert isinstance(session, SessionItem)
    assert person is not None
    return SignedInPerson(person, as_session(session), someone.token)


def stored(workspace: WorkspaceScope) -> Workspace:
    """The workspace as it is stored."""
    found = WorkspaceRepository(workspace).get()
    assert found is not None
    return found


class TestCreate:
    """POST /workspaces."""

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, ["/name"]),
            ({"name": ""}, ["/name"]),
            ({"name": "  "}, ["/name"]),
            ({"name": "x" * 101}, ["/name"]),
            ({"name": 7}, ["/name"]),
            ({"name": "Shop", "slug": "shop"}, ["/slug"]),
        ],
    )
    def test_bad_input(self, world: World, body: object, paths: list[str]) -> None:
        assert world.person().call("POST", "/workspaces", body).error_paths() == paths
        assert world.rows("workspace#") == []

    def test_caller_becomes_owner(self, world: World) -> None:
        person = world.person()
        answer = made(person, f"  Zoë's {CANARY}  ")
        assert answer.status == 201
        assert answer.json == {
            "id": str(UUID(answer.json["id"])),
            "name": f"Zoë's {CANARY}",
            "slug": f"zoes-{CANARY}",
        }
        workspace = WorkspaceScope(UUID(answer.json["id"]))
        assert stored(workspace) == Workspace(
            workspace.id, f"Zoë's {CANARY}", f"zoes-{CANARY}", False, 0
        )
        [membership] = WorkspaceRepository(workspace).memberships()
        assert (membership.person_id, membership.role) == (person.id, Role.OWNER)
        claim = find(SlugItem, slug_key(f"zoes-{CANARY}"))
        assert claim is not None
        assert claim.workspace_id == workspace.id

    def test_becomes_active_if_none_is_active(self, world: World) -> None:
        person = world.person()
        first, second = (made(person, name).json["id"] for name in ("One", "Two"))
        assert first != second
        assert str(person_in_workspace(signed_in(person)).workspace.id) == first
        account = find_person(PersonScope(person.id))
        assert account is not None
        assert str(account.last_workspace_id) == first

    def test_becomes_active_after_leaving_the_active_one(self, world: World) -> None:
        workspace = world.workspace(world.person())
        member = world.member(workspace)
        assert member.call("POST", "/members/leave").status == 204
        new = made(member, "Mine").json["id"]
        assert str(person_in_workspace(signed_in(member)).workspace.id) == new

    def test_taken_slug_gets_a_number(self, world: World) -> None:
        person = world.person()
        slugs = [made(person, "Shop").json["slug"] for _ in range(3)]
        assert slugs == ["shop", "shop-2", "shop-3"]

    def test_slug_gets_random_suffix_past_every_number(self, world: World) -> None:
        person = world.person()
        changes = Changes()
        for slug in ["shop", *(f"shop-{number}" for number in range(2, 52))]:
            changes.create(SlugItem(*slug_key(slug), workspace_id=uuid4()))
        changes.commit()
        slugs = {made(person, "Shop").json["slug"] for _ in range(3)}
        assert len(slugs) == 3
        assert all(slug.startswith("shop-") and len(slug) == 13 for slug in slugs)

    def test_concurrent_creations_get_different_slugs(self, world: World) -> None:
        first, second = world.person(), world.person()
        with world.meanwhile(lambda c: service.create_workspace(signed_in(second), "Shop", c)):
            answer = made(first, "Shop")
        assert (answer.status, answer.json["slug"]) == (201, "shop-2")
        rows = [row for row in world.rows() if isinstance(row, WorkspaceItem)]
        assert sorted(row.slug for row in rows) == ["shop", "shop-2"]


class TestAvailableSlug:
    """GET /workspaces/available-slug."""

    def test_caller_without_workspace(self, world: World) -> None:
        token = world.person().token
        query = {"name": "Olive & Co"}
        answer = world.call("GET", "/workspaces/available-slug", token=token, query=query)
        assert (answer.status, answer.json) == (200, {"slug": "olive-co"})

    def test_new_workspace_gets_the_available_slug(self, world: World) -> None:
        person = world.person()
        for _ in range(2):
            query = {"name": "Shop"}
            token = person.token
            available = world.call("GET", "/workspaces/available-slug", token=token, query=query)
            assert available.json["slug"] == made(person, "Shop").json["slug"]


class TestUpdate:
    """PATCH /workspaces/{id}."""

    def patch(
        self,
        world: World,
        token: str | None,
        workspace: object,
        body: object,
        key: str | None = None,
    ) -> Answer:
        """The answer to a change of the workspace."""
        return world.call("PATCH", f"/workspaces/{workspace}", token=token, json_body=body, key=key)

    def test_bad_input_for_workspace_of_another_person(
        self, world: World, workspace: WorkspaceScope
    ) -> None:
        answer = self.patch(world, world.person().token, workspace.id, {"name": ""})
        assert answer.error_paths() == ["/name"]

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({"name": ""}, ["/name"]),
            ({"name": "x" * 101}, ["/name"]),
            ({"name": None, "requireTwoFactor": None}, ["/name", "/requireTwoFactor"]),
            ({"requireTwoFactor": "yes"}, ["/requireTwoFactor"]),
            ({"requireTwoFactor": 1}, ["/requireTwoFactor"]),
            ({"slug": "mine"}, ["/slug"]),
        ],
    )
    def test_bad_input(
        self,
        world: World,
        workspace: WorkspaceScope,
        owner: Someone,
        body: object,
        paths: list[str],
    ) -> None:
        assert self.patch(world, owner.token, workspace.id, body).error_paths() == paths

    def test_renaming_does_not_change_the_slug(
        self, world: World, workspace: WorkspaceScope, owner: Someone
    ) -> None:
        slug = stored(workspace).slug
        answer = self.patch(world, owner.token, workspace.id, {"name": " New Name "})
        assert (answer.status, answer.body) == (204, b"")
        assert stored(workspace) == Workspace(workspace.id, "New Name", slug, False, 0)
        assert find(WorkspaceItem, workspace_key(workspace)) is not None

    def test_empty_body_changes_nothing(
        self, world: World, workspace: WorkspaceScope, owner: Someone
    ) -> None:
        before = stored(workspace)
        assert self.patch(world, owner.token, workspace.id, {}).status == 204
        assert stored(workspace) == before

    def test_inactive_workspace_can_be_updated(
        self, world: World, workspace: WorkspaceScope, owner: Someone
    ) -> None:
        world.activate(owner, None)
        assert self.patch(world, owner.token, workspace.id, {"name": "New"}).status == 204
        assert stored(workspace).name == "New"

    def test_owner_without_two_factor_cannot_require_it(
        self, world: World, workspace: WorkspaceScope, owner: Someone
    ) -> None:
        body = {"name": "New", "requireTwoFactor": True}
        answer = self.patch(world, owner.token, workspace.id, body)
        assert answer.problem() == (409, "two_factor_off")
        assert stored(workspace).name == "Olive's Shop"
        assert not stored(workspace).require_two_factor
        off = {"requireTwoFactor": False}
        assert self.patch(world, owner.token, workspace.id, off).status == 204

    def test_two_factor_is_required_of_members(
        self, world: World, workspace: WorkspaceScope, owner: Someone
    ) -> None:
        member = world.member(workspace, Role.ADMIN)
        world.turn_two_factor_on(owner)
        body: dict[str, object] = {"requireTwoFactor": True}
        assert self.patch(world, owner.token, workspace.id, body).status == 204
        assert stored(workspace).require_two_factor
        for method, path in [
            ("GET", "/members"),
            ("GET", "/invitations"),
            ("POST", "/invitations"),
            ("GET", "/api-keys"),
            ("POST", "/api-keys"),
            ("POST", "/members/leave"),
            ("POST", f"/members/{uuid4()}/transfer-ownership"),
            ("PATCH", f"/workspaces/{workspace.id}"),
        ]:
            answer = member.call(method, path)
            assert answer.problem() == (403, "two_factor_required"), path
        assert owner.call("GET", "/members").status == 200
        world.turn_two_factor_on(member)
        assert member.call("GET", "/members").status == 200

    def test_two_factor_is_not_required_of_api_keys(
        self, world: World, workspace: WorkspaceScope, owner: Someone
    ) -> None:
        key = world.api_key(workspace, KeyScope.READ, owner)
        world.turn_two_factor_on(owner)
        body = {"requireTwoFactor": True}
        assert self.patch(world, owner.token, workspace.id, body).status == 204
        assert world.call("GET", "/members", token=key).status == 200
