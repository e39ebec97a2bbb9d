"""Deleting the account."""

import pytest

from local.events.pumps import run_schedule
from storepost.accounts.identity.model import KeyScope
from storepost.accounts.identity.repository import find_account, find_person
from storepost.accounts.me import deletion, repository
from storepost.accounts.me.erasure import erase
from storepost.accounts.me.messages import AccountErasureMessage
from storepost.accounts.workspaces.model import Role
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.idempotency import RecordItem
from storepost.values.ids import short
from storepost.values.scope import PersonScope, WorkspaceScope
from tests.accounts.me.accounts import (
    PASSWORD,
    account,
    app_on,
    email_on,
    refuses_wrong_password,
    start_email,
    trust,
)
from tests.harness.runs import run_worker
from tests.harness.world import Answer, Someone, World


def delete(someone: Someone, key: str | None = None) -> Answer:
    """The answer with the right password."""
    return someone.call("POST", "/me/delete", {"password": PASSWORD}, key=key)


def membership_exists(workspace: WorkspaceScope, someone: Someone) -> bool:
    """Whether the person is a member."""
    return WorkspaceRepository(workspace).membership_of(someone.id) is not None


def traces(world: World, someone: Someone) -> list[str]:
    """The rows of either table that name the person in any way."""
    named = (str(someone.id), short(someone.id), someone.name, someone.email)
    rows = [str(row.attribute_values) for row in world.rows()]
    rows += [str(record.attribute_values) for record in RecordItem.scan()]
    return [row for row in rows if any(name in row for name in named)]


class TestDelete:
    """POST /me/delete."""

    @pytest.mark.parametrize(
        ("body", "paths"), [({}, ["/password"]), ({"password": PASSWORD, "sure": True}, ["/sure"])]
    )
    def test_bad_input(self, world: World, body: object, paths: list[str]) -> None:
        someone = account(world)
        assert someone.call("POST", "/me/delete", body).error_paths() == paths
        assert find_person(PersonScope(someone.id)) is not None

    def test_wrong_password(self, world: World) -> None:
        refuses_wrong_password(world, "/me/delete", {})

    def test_owner_of_a_workspace_is_refused(self, world: World) -> None:
        someone = account(world)
        own, joined = world.workspace(someone), world.workspace(world.person())
        world.join(someone, joined, Role.ADMIN)
        assert delete(someone).problem() == (409, "owner_leave")
        assert membership_exists(own, someone)
        assert membership_exists(joined, someone)
        assert someone.call("GET", "/me").status == 200
        assert world.queue_depth("AccountErasureQueue") == 0

    def test_account_and_memberships_end_immediately(self, world: World) -> None:
        someone, owner = account(world), world.person()
        workspace = world.workspace(owner)
        world.join(someone, workspace, Role.ADMIN)
        elsewhere, _ = world.sign_in(someone.id)
        answer = delete(someone)
        assert (answer.status, answer.body) == (204, b"")
        for token in (someone.token, elsewhere):
            assert world.call("GET", "/me", token=token).problem() == (401, "unauthenticated")
        assert find_person(PersonScope(someone.id)) is None
        assert find_account(someone.email) is None
        assert not membership_exists(workspace, someone)
        assert membership_exists(workspace, owner)

    def test_no_personal_data_remains(self, world: World) -> None:
        someone, other = account(world), account(world)
        workspace = world.workspace(other)
        world.join(someone, workspace, Role.ADMIN)
        app_on(world, someone)
        email_on(world, someone)
        trust(someone, 2)
        world.sign_in(someone.id)
        invited = {"email": "guest@example.com", "role": "member"}
        created = someone.call("POST", "/invitations", invited)
        assert created.status == 201
        body = {"email": "next.canary@example.com", "password": PASSWORD}
        assert someone.call("POST", "/me/email", body).status == 202
        others = traces(world, other)
        assert delete(someone, key="k").status == 204
        world.deliver()
        # An invitation belongs to its workspace, with the name of its sender.
        assert [row for row in traces(world, someone) if "'invited_by'" not in row] == []
        assert [row for row in traces(world, other) if row not in others] == []
        assert world.rows("due#") == []
        assert world.queue_depth("AccountErasureQueue") == 0
        assert world.queue_depth("AccountErasureDeadLetters") == 0

    def test_message_missed_by_the_stream_is_swept(self, world: World) -> None:
        someone = account(world)
        assert delete(someone).status == 204
        world.advance(minutes=2, seconds=1)
        assert run_schedule("outbox_sweep") == {"sent": 1}
        assert world.rows("due#") == []
        assert world.queue_depth("AccountErasureQueue") == 1

    def test_address_becomes_available(self, world: World) -> None:
        someone, other = account(world), account(world)
        assert delete(someone).status == 204
        other.call("POST", "/me/email", {"email": someone.email, "password": PASSWORD})
        assert world.emails()[-1].to == someone.email
        assert other.name in world.emails()[-1].text

    @pytest.mark.parametrize("delivered", [False, True])
    def test_api_keys_still_work_without_the_admin_role(
        self, world: World, delivered: bool
    ) -> None:
        someone, workspace = account(world), world.workspace(world.person())
        world.join(someone, workspace, Role.ADMIN)
        key = world.api_key(workspace, KeyScope.WRITE, someone)
        invited = {"email": "guest@example.com", "role": "member"}
        assert world.call("GET", "/invitations", token=key).status == 200
        delete(someone)
        if delivered:
            world.deliver()
        assert world.call("GET", "/invitations", token=key).status == 200
        answer = world.call("POST", "/invitations", token=key, json_body=invited)
        assert answer.problem() == (403, "role")
        answer = world.call("GET", "/me", token=key)
        assert answer.problem() == (403, "sign_in_required")

    def test_more_memberships_than_one_transaction(self, world: World) -> None:
        someone, owner = account(world), world.person()
        workspaces = [world.workspace(owner) for _ in range(deletion.MEMBERSHIPS_AT_ONCE + 3)]
        for workspace in workspaces:
            world.join(someone, workspace, Role.ADMIN)
        keys = [world.api_key(workspace, KeyScope.WRITE, someone) for workspace in workspaces]
        assert delete(someone, key="k").status == 204
        remaining = [w for w in workspaces if membership_exists(w, someone)]
        assert len(remaining) == 3
        for key in keys:  # a role without an account has no effect, removed yet or not
            answer = world.call("POST", "/invitations", token=key, json_body={})
            assert answer.problem() == (403, "role")
        world.deliver()
        assert [w for w in workspaces if membership_exists(w, someone)] == []
        assert all(membership_exists(workspace, owner) for workspace in workspaces)

    def test_retry_is_unauthenticated(self, world: World) -> None:
        someone = account(world)
        assert delete(someone, key="k").status == 204
        # No caller is left who could retry.
        assert delete(someone, key="k").problem() == (401, "unauthenticated")


class TestErase:
    """The worker that removes what is left."""

    def prepared(self, world: World) -> Someone:
        """A deleted account whose worker hasn't run."""
        someone = account(world)
        app_on(world, someone)
        start_email(world, someone)
        trust(someone, 4)
        for _ in range(4):
            world.sign_in(someone.id)
        assert delete(someone).status == 204
        assert traces(world, someone)
        return someone

    def test_killed_run_is_resumed(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        someone = self.prepared(world)
        monkeypatch.setattr(repository, "ROWS_AT_ONCE", 2)
        plain, commits = Changes.commit, 0

        def killed_at_the_third(changes: Changes) -> None:
            nonlocal commits
            commits += 1
            if commits == 3:
                raise MemoryError
            plain(changes)

        message = AccountErasureMessage(someone.id)
        with monkeypatch.context() as patch:
            patch.setattr(Changes, "commit", killed_at_the_third)
            with pytest.raises(MemoryError):
                run_worker(erase, message)
        assert traces(world, someone)
        run_worker(erase, message)
        assert world.rows(f"person#{short(someone.id)}") == []

    def test_delivered_twice(self, world: World) -> None:
        someone, other = self.prepared(world), account(world)
        others = traces(world, other)
        for _ in range(2):
            run_worker(erase, AccountErasureMessage(someone.id))
        world.deliver()
        assert traces(world, someone) == []
        assert traces(world, other) == others

    def test_message_lost_by_the_stream_is_swept(self, world: World) -> None:
        someone = self.prepared(world)
        world.lose_stream()
        world.deliver()
        assert traces(world, someone)
        world.advance(minutes=3)
        world.sweep()
        world.deliver()
        assert traces(world, someone) == []
