"""A repeated `DELETE` is 204 as the first was; `tests/docs/test_story.py` repeats one of each."""

from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.accounts.workspaces.model import Role
from storepost.platform.persistence.deletions import KNOWN_FOR, DeletionItem
from storepost.values.scope import WorkspaceScope
from tests.harness.crash_points import KEY, crashes, until_answered
from tests.harness.world import Answer, Someone, World
from tests.orders.sample import order


@pytest.fixture
def locale(owner: Someone, workspace: WorkspaceScope) -> str:
    """The path of a locale that may be deleted."""
    for code in ("en", "de"):
        made = owner.call("POST", "/locales", {"code": code})
        assert made.status == 201
    return f"/locales/{made.json['id']}"


def delete(world: World, by: Someone | str, path: str, **more: Any) -> Answer:
    """The answer to a `DELETE`."""
    return world.call("DELETE", path, token=by if isinstance(by, str) else by.token, **more)


def stored(world: World) -> list[dict[str, Any]]:
    """The rows that requests of a resource leave, as they are stored."""
    rows = [row.serialize() for row in world.rows() if not row.pk.startswith(("budget", "key"))]
    return sorted(rows, key=str)


class TestRepeatedDelete:
    """What was deleted is deleted again with the same answer and no effect."""

    def test_same_response_and_no_effect(self, world: World, owner: Someone, locale: str) -> None:
        first = delete(world, owner, locale)
        after = stored(world)
        again = delete(world, owner, locale)
        assert (first.status, first.body) == (again.status, again.body) == (204, b"")
        assert again.header("content-type") is None
        assert again.header("cache-control") == "no-store"
        assert stored(world) == after
        assert owner.call("GET", locale).problem() == (404, "not_found")

    def test_allowed_callers_of_the_workspace(
        self, world: World, owner: Someone, workspace: WorkspaceScope, locale: str
    ) -> None:
        assert delete(world, owner, locale).status == 204
        key = world.api_key(workspace, KeyScope.WRITE, owner)
        assert delete(world, key, locale).status == 204
        assert delete(world, world.member(workspace), locale).status == 204
        reader = world.api_key(workspace, KeyScope.READ, owner)
        assert delete(world, reader, locale).problem() == (403, "scope")
        assert world.call("DELETE", locale).problem() == (401, "unauthenticated")

    def test_other_workspace_gets_not_found(
        self, world: World, owner: Someone, locale: str
    ) -> None:
        assert delete(world, owner, locale).status == 204
        stranger = world.owner()
        assert delete(world, stranger, locale).problem() == (404, "not_found")

    def test_unknown_id_is_not_found(self, world: World, owner: Someone, locale: str) -> None:
        assert delete(world, owner, locale).status == 204
        for _ in range(2):
            assert delete(world, owner, f"/locales/{uuid4()}").problem() == (404, "not_found")

    def test_refused_deletion_is_not_recorded(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        made = owner.call("POST", "/locales", {"code": "en"}).json
        path = f"/locales/{made['id']}"
        for _ in range(2):
            assert delete(world, owner, path).problem() == (409, "locale_default")
        assert list(DeletionItem.scan(DeletionItem.id.startswith("deletion#"))) == []

    def test_deletion_is_recorded_for_thirty_days(
        self, world: World, owner: Someone, workspace: WorkspaceScope, locale: str
    ) -> None:
        key = world.api_key(workspace, KeyScope.WRITE, owner)
        assert timedelta(days=30) == KNOWN_FOR
        assert delete(world, key, locale).status == 204
        world.advance(days=29, hours=23)
        assert delete(world, key, locale).status == 204
        world.advance(hours=2)
        assert delete(world, key, locale).problem() == (404, "not_found")

    def test_recreated_order_is_deleted_again(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        path = f"/stores/{world.store(owner)}/orders/1001"
        for minute in (10, 20):
            body = order(updatedAt=f"2026-02-01T10:{minute}:00.000Z")
            put = owner.call("PUT", path, body)
            assert put.status == 201, put.body
            for _ in range(2):
                assert delete(world, owner, path).status == 204
                listed = owner.call("GET", f"/orders/{put.json['id']}")
                assert listed.problem() == (404, "not_found")


class TestWithIdempotencyKey:
    """With an `idempotency-key` each answer is kept."""

    def test_repeated_delete_with_key_is_replayed(
        self, world: World, owner: Someone, locale: str
    ) -> None:
        assert delete(world, owner, locale).status == 204
        again = delete(world, owner, locale, key="second")
        replayed = delete(world, owner, locale, key="second")
        assert (again.status, again.header("idempotency-replayed")) == (204, None)
        assert (replayed.status, replayed.header("idempotency-replayed")) == (204, "true")

    def test_killed_at_any_call_then_deleted_by_retry(
        self, world: World, owner: Someone, workspace: WorkspaceScope, locale: str
    ) -> None:
        for positions in crashes(world, lambda: delete(world, owner, locale, key=KEY)):
            for key in (None, KEY):
                answer = until_answered(world, partial(delete, world, owner, locale, key=key))
                assert answer.status == 204, positions


class TestClosed:
    """A resource that stays readable as deleted: the same answer for as long as it exists."""

    def test_canceled_invitation_is_deleted_again(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        body = {"email": "gus@guests.example.net", "role": "member"}
        made = owner.call("POST", "/invitations", body).json
        for days in (0, 1, 40):
            world.advance(days=days)
            world_owner, _ = world.sign_in(owner.id, workspace)
            assert delete(world, world_owner, f"/invitations/{made['id']}").status == 204

    @pytest.mark.parametrize("role", [Role.MEMBER, Role.ADMIN])
    def test_accepted_invitation_is_refused(
        self, world: World, owner: Someone, workspace: WorkspaceScope, role: Role
    ) -> None:
        guest = world.person()
        made = owner.call("POST", "/invitations", {"email": guest.email, "role": role}).json
        path = f"/invitations/{made['id']}"
        assert guest.call("POST", f"{path}/accept").status == 200
        assert delete(world, owner, path).problem() == (409, "invitation_closed")
