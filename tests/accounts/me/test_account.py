"""The account itself, an operation a class."""

from uuid import uuid4

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.accounts.identity.repository import SessionItem, find_token
from storepost.accounts.identity.tokens import digest
from storepost.accounts.workspaces.model import Role
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.platform.persistence.changes import commit_anew
from storepost.values.ids import new_id
from storepost.values.scope import WorkspaceScope
from tests.harness.accounts import row_of
from tests.harness.call_interruption import before_the_commit
from tests.harness.world import CANARY, Answer, Someone, World


def active_workspace(token: str) -> WorkspaceScope | None:
    """The workspace that a session works in."""
    session = find_token(digest(token))
    assert isinstance(session, SessionItem)
    return WorkspaceScope(session.workspace_id) if session.workspace_id else None


class TestGet:
    """GET /me."""

    def test_person_without_workspace(self, world: World) -> None:
        someone = world.person()
        answer = someone.call("GET", "/me")
        assert answer.status == 200
        assert answer.json == {
            "user": {
                "id": str(someone.id),
                "name": someone.name,
                "email": someone.email,
                "emailUndeliverable": False,
                "twoFactor": {"app": None, "email": None, "trustedBrowsers": 0},
            },
            "workspaces": [],
        }

    def test_own_workspaces_sorted_by_name(self, world: World) -> None:
        someone = world.person()
        world.workspace(world.person(), "Aardvark")
        second = world.workspace(someone, "bee shop")
        first = world.workspace(world.person(), "Ånn's shop")
        world.join(someone, first, Role.ADMIN)
        answer = someone.call("GET", "/me")
        assert answer.json["workspaces"] == [
            {
                "id": str(scope.id),
                "name": name,
                "slug": f"ws-{scope.id.hex[:8]}",
                "role": role,
                "storeCount": 0,
                "requireTwoFactor": False,
            }
            for scope, name, role in [
                (first, "Ånn's shop", "admin"),
                (second, "bee shop", "owner"),
            ]
        ]

    def test_active_workspace_requires_two_factor(self, world: World) -> None:
        owner = world.person()
        workspace = world.workspace(owner)
        world.require_two_factor(workspace)
        answer = owner.call("GET", "/me")
        assert [w["requireTwoFactor"] for w in answer.json["workspaces"]] == [True]

    @pytest.mark.parametrize("scope", list(KeyScope))
    def test_by_api_key(self, world: World, scope: KeyScope) -> None:
        maker = world.person()
        workspace = world.workspace(maker)
        world.workspace(maker, "Another")
        key = world.api_key(workspace, scope, maker)
        answer = world.call("GET", "/me", token=key)
        assert answer.status == 200
        assert answer.json["user"]["id"] == str(maker.id)
        assert [w["id"] for w in answer.json["workspaces"]] == [str(workspace.id)]

    def test_by_api_key_whose_creator_left(self, world: World) -> None:
        workspace, maker = world.workspace(world.person()), world.person()
        answer = world.call("GET", "/me", token=world.api_key(workspace, KeyScope.READ, maker))
        assert answer.json["user"]["email"] == maker.email
        assert answer.json["workspaces"] == []

    def test_by_api_key_whose_creator_is_deleted(self, world: World) -> None:
        workspace = world.workspace(world.person())
        gone = Someone(new_id(), "", "", "", new_id())
        for maker in (None, gone):
            key = world.api_key(workspace, KeyScope.WRITE, maker)
            assert world.call("GET", "/me", token=key).problem() == (403, "sign_in_required")


class TestUpdate:
    """PATCH /me."""

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, ["/name"]),
            ({"name": None}, ["/name"]),
            ({"name": "   "}, ["/name"]),
            ({"name": "x" * 256}, ["/name"]),
            ({"name": "Ann", "email": "ann@example.com"}, ["/email"]),
        ],
    )
    def test_bad_input(self, world: World, body: object, paths: list[str]) -> None:
        someone = world.person()
        assert someone.call("PATCH", "/me", body).error_paths() == paths
        assert row_of(someone).name == someone.name

    def test_changes_the_name(self, world: World) -> None:
        someone, other = world.person(), world.person()
        name = f"Ann {CANARY}"
        answer = someone.call("PATCH", "/me", {"name": f" {name} "})
        shown = someone.call("GET", "/me").json
        assert shown["user"]["name"] == name
        assert (answer.status, answer.json) == (200, shown)
        assert row_of(other).name == other.name


class TestGetWorkspace:
    """GET /me/workspace."""

    def test_chosen_workspace(self, world: World) -> None:
        someone = world.person()
        first, second = world.workspace(someone), world.workspace(someone)
        other, _ = world.sign_in(someone.id, second)
        body = {"workspaceId": str(first.id)}
        chosen = someone.call("PUT", "/me/workspace", body)
        shown = someone.call("GET", "/me/workspace")
        assert (shown.status, shown.json) == (200, chosen.json)
        assert shown.header("etag") == chosen.header("etag")
        assert shown.json == world.call("GET", f"/workspaces/{first.id}", token=other).json
        in_other = world.call("GET", "/me/workspace", token=other)
        assert in_other.json["id"] == str(second.id)

    def test_no_active_workspace_is_404(self, world: World) -> None:
        someone = world.person()
        answer = someone.call("GET", "/me/workspace")
        assert answer.problem() == (404, "not_found")
        workspace = world.workspace(world.person())
        world.join(someone, workspace, Role.MEMBER)
        answer = someone.call("GET", "/me/workspace")
        assert (answer.status, answer.json["role"]) == (200, "member")
        membership = world.membership(someone, workspace)
        assert membership is not None
        commit_anew(lambda c: WorkspaceRepository(workspace).delete_member(c, membership))
        answer = someone.call("GET", "/me/workspace")
        assert answer.problem() == (404, "not_found")

    def test_workspace_requiring_two_factor(self, world: World) -> None:
        someone = world.person()
        workspace = world.workspace(someone)
        world.require_two_factor(workspace)
        answer = someone.call("GET", "/me/workspace")
        assert (answer.status, answer.json["id"]) == (200, str(workspace.id))

    def test_concurrent_choice_fails_the_precondition(self, world: World) -> None:
        someone = world.person()
        first, second = world.workspace(someone), world.workspace(someone)
        tag = someone.call("GET", "/me/workspace").header("etag")
        assert tag is not None

        def choose(workspace: WorkspaceScope, **headers: str) -> Answer:
            body = {"workspaceId": str(workspace.id)}
            return someone.call("PUT", "/me/workspace", body, headers=headers)

        with before_the_commit(lambda: choose(first)):
            answer = choose(second, **{"if-match": tag})
        assert answer.problem() == (412, "precondition_failed")
        assert active_workspace(someone.token) == first


class TestSetWorkspace:
    """PUT /me/workspace."""

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, ["/workspaceId"]),
            ({"workspaceId": "mine"}, ["/workspaceId"]),
            ({"workspaceId": None}, ["/workspaceId"]),
            ({"workspaceId": str(uuid4()), "slug": "a"}, ["/slug"]),
        ],
    )
    def test_bad_input(self, world: World, body: object, paths: list[str]) -> None:
        assert world.person().call("PUT", "/me/workspace", body).error_paths() == paths

    def test_foreign_or_unknown_workspace_is_refused(self, world: World) -> None:
        someone, theirs = world.person(), world.workspace(world.person())
        own_workspace = world.workspace(someone)
        for identifier in (theirs.id, uuid4()):
            answer = someone.call("PUT", "/me/workspace", {"workspaceId": str(identifier)})
            assert answer.problem() == (422, "validation")
        assert active_workspace(someone.token) == own_workspace
        assert row_of(someone).last_workspace_id is None

    def test_applies_to_this_session_and_the_next_sign_in(self, world: World) -> None:
        someone = world.person()
        first, second = world.workspace(someone), world.workspace(someone)
        other, _ = world.sign_in(someone.id, first)
        answer = someone.call("PUT", "/me/workspace", {"workspaceId": str(first.id)})
        shown = someone.call("GET", f"/workspaces/{first.id}").json
        assert (answer.status, answer.json) == (200, shown)
        assert active_workspace(someone.token) == first
        assert row_of(someone).last_workspace_id == first.id
        world.call("PUT", "/me/workspace", token=other, json_body={"workspaceId": str(second.id)})
        assert (active_workspace(other), active_workspace(someone.token)) == (second, first)
        assert row_of(someone).last_workspace_id == second.id

    def test_workspace_that_requires_two_factor(self, world: World) -> None:
        someone = world.person()
        workspace = world.workspace(someone)
        world.require_two_factor(workspace)
        world.activate(someone, None)
        answer = someone.call("PUT", "/me/workspace", {"workspaceId": str(workspace.id)})
        assert (answer.status, answer.json["requireTwoFactor"]) == (200, True)
        assert active_workspace(someone.token) == workspace
