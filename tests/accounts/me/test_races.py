"""What another writer changes between an operation's reads and its commit."""

from collections.abc import Callable
from types import ModuleType
from uuid import UUID

import pytest

from storepost.accounts.identity.model import Session, SignedInPerson
from storepost.accounts.identity.passwords import hash_password, verify_password
from storepost.accounts.identity.repository import EmailClaimItem, email_claim_key, find_session
from storepost.accounts.identity.two_factor import (
    backup_codes_left,
    delete_backup_codes,
    new_backup_codes,
)
from storepost.accounts.me import account as account_service
from storepost.accounts.me import credentials, deletion, repository, two_factor_settings
from storepost.accounts.workspaces.model import Role
from storepost.accounts.workspaces.repository import (
    MembershipItem,
    WorkspaceItem,
    WorkspaceRepository,
    membership_key,
)
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.scope import PersonScope, WorkspaceScope
from tests.accounts.me.accounts import (
    NEW_PASSWORD,
    PASSWORD,
    account,
    app_on,
    code_in,
    email_on,
    start_app,
    totp,
    trust,
    two_factor,
)
from tests.harness.accounts import person_of, row_of
from tests.harness.call_interruption import before_the_commit
from tests.harness.world import Answer, Someone, World

_DELETION = 3
"""The transaction of `POST /me/delete` that deletes the account; two before it count
the password."""


def meanwhile(
    patch: pytest.MonkeyPatch, module: ModuleType, name: str, step: Callable[[Changes], None]
) -> None:
    """Commits what `step` writes when the service first calls that function of its module."""
    plain = getattr(module, name)
    happened: list[str] = []

    def late(*args: object, **named: object) -> object:
        if not happened:
            happened.append(name)
            changes = Changes()
            step(changes)
            changes.commit()
        return plain(*args, **named)

    patch.setattr(module, name, late)


def post(someone: Someone, path: str, **body: str) -> tuple[int, str | None]:
    """Status and code of the answer."""
    answer = someone.call("POST", path, body)
    return answer.status, answer.json["code"] if answer.status >= 400 else None


def _turn_on(world: World, someone: Someone, method: str) -> None:
    """Turns one method on: the person's only one."""
    {"app": app_on, "email": email_on}[method](world, someone)


def _turn_off(someone: Someone, method: str) -> tuple[int, str | None]:
    """Status and code of the answer to turning that method off."""
    body = {"password": PASSWORD} if method == "app" else {}
    return post(someone, f"/me/two-factor/{method}/disable", **body)


class TestTwoFactor:
    """Methods that are turned on or off at the same moment."""

    def test_concurrently_disabling_both_methods_is_refused(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        someone, workspace = account(world), world.workspace(world.person())
        app_on(world, someone)
        email_on(world, someone)
        world.join(someone, workspace, Role.MEMBER)
        world.require_two_factor(workspace)
        meanwhile(
            monkeypatch,
            two_factor_settings,
            "delete_seed",
            lambda changes: repository.change_email_codes(changes, person_of(someone), None),
        )
        answer = post(someone, "/me/two-factor/app/disable", password=PASSWORD)
        assert answer == (409, "two_factor_last_method")
        assert person_of(someone).app_since is not None
        assert backup_codes_left(PersonScope(someone.id)) == 10

    @pytest.mark.parametrize(("method", "transaction"), [("app", 3), ("email", 1)])
    def test_disable_last_method_while_workspace_starts_to_require_it(
        self, world: World, method: str, transaction: int
    ) -> None:
        """The first two transactions of the app count the password."""
        someone = account(world)
        workspace = world.workspace(someone)
        _turn_on(world, someone, method)
        path = f"/workspaces/{workspace.id}"
        body = {"requireTwoFactor": True}
        with before_the_commit(lambda: someone.call("PATCH", path, body), transaction):
            answer = _turn_off(someone, method)
        assert answer == (409, "two_factor_last_method")
        assert person_of(someone).has_two_factor
        assert backup_codes_left(PersonScope(someone.id)) == 10

    @pytest.mark.parametrize("method", ["app", "email"])
    def test_require_two_factor_while_owner_disables_last_method(
        self, world: World, method: str
    ) -> None:
        someone = account(world)
        workspace = world.workspace(someone)
        _turn_on(world, someone, method)
        path = f"/workspaces/{workspace.id}"
        body = {"name": "New", "requireTwoFactor": True}
        with before_the_commit(lambda: _turn_off(someone, method)):
            answer = someone.call("PATCH", path, body)
        assert answer.problem() == (409, "two_factor_off")
        found = WorkspaceRepository(workspace).get()
        assert found is not None
        assert (found.require_two_factor, found.name == "New") == (False, False)
        assert not person_of(someone).has_two_factor

    def test_concurrently_enabled_methods_share_backup_codes(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        someone, codes = account(world), []

        def turn_email_on(changes: Changes) -> None:
            repository.change_email_codes(changes, person_of(someone), clock.now())
            codes.extend(new_backup_codes(changes, PersonScope(someone.id)))

        secret = start_app(someone)
        meanwhile(monkeypatch, two_factor_settings, "keep_seed", turn_email_on)
        body = {"code": totp(secret)}
        answer = someone.call("POST", "/me/two-factor/app/confirm", body)
        assert (answer.status, answer.json) == (200, {"backupCodes": []})
        assert backup_codes_left(PersonScope(someone.id)) == len(codes) == 10

    def test_new_backup_codes_while_two_factor_is_disabled(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        someone = account(world)
        email_on(world, someone)

        def turn_email_off(changes: Changes) -> None:
            repository.change_email_codes(changes, person_of(someone), None)
            delete_backup_codes(changes, PersonScope(someone.id))

        meanwhile(monkeypatch, two_factor_settings, "new_backup_codes", turn_email_off)
        answer = post(someone, "/me/two-factor/backup-codes", password=PASSWORD)
        assert answer == (409, "two_factor_off")
        assert backup_codes_left(PersonScope(someone.id)) == 0


class TestCredentials:
    """Passwords and addresses that change at the same moment."""

    def test_password_changed_concurrently_in_same_session(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        someone, other = account(world), "other canary password"
        trust(someone)

        def change(changes: Changes) -> None:
            person = person_of(someone)
            caller = SignedInPerson(person, _session_of(someone), someone.token)
            repository.change_password(changes, caller, hash_password(other))

        meanwhile(monkeypatch, credentials, "hash_password", change)
        answer = post(someone, "/me/password", current=PASSWORD, password=NEW_PASSWORD)
        assert answer == (422, "password_wrong")
        assert verify_password(row_of(someone).password_hash, other)
        assert two_factor(someone)["trustedBrowsers"] == 0
        assert world.emails() == []

    def test_address_taken_concurrently(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        someone, other = account(world), account(world)
        address = "new.canary@example.com"
        post(someone, "/me/email", email=address, password=PASSWORD)
        code = code_in(world.emails()[-1])
        meanwhile(
            monkeypatch,
            credentials,
            "send_email",
            lambda changes: changes.create(
                EmailClaimItem(*email_claim_key(address), person_id=other.id)
            ),
        )
        assert post(someone, "/me/email/confirm", code=code) == (409, "email_taken")
        assert person_of(someone).email == someone.email
        assert len(world.emails()) == 1


class TestMemberships:
    """Memberships that change at the same moment."""

    def test_becomes_owner_while_deleting_the_account(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        someone, workspace = account(world), world.workspace(world.person())
        world.join(someone, workspace, Role.ADMIN)
        meanwhile(
            monkeypatch,
            deletion,
            "send",
            lambda changes: changes.update(
                MembershipItem(*membership_key(workspace, someone.id)),
                [MembershipItem.role.set(Role.OWNER)],
            ),
        )
        assert post(someone, "/me/delete", password=PASSWORD) == (409, "owner_leave")
        membership = WorkspaceRepository(workspace).membership_of(someone.id)
        assert membership is not None
        assert membership.role is Role.OWNER
        assert person_of(someone).email == someone.email

    @pytest.mark.parametrize("has_another", [False, True])
    def test_workspace_created_during_account_deletion_keeps_its_owner(
        self, world: World, *, has_another: bool
    ) -> None:
        someone, created = self._somebody(world, has_another), []
        with before_the_commit(lambda: created.append(_create_workspace(someone)), _DELETION):
            answer = post(someone, "/me/delete", password=PASSWORD)
        assert answer == (409, "owner_leave")
        [made] = created
        owner = WorkspaceRepository(WorkspaceScope(UUID(made.json["id"]))).owner()
        assert owner is not None
        assert owner.person_id == person_of(someone).id

    @pytest.mark.parametrize("has_another", [False, True])
    def test_deleted_account_creates_no_workspace(self, world: World, *, has_another: bool) -> None:
        someone = self._somebody(world, has_another)
        before = _workspaces(world)
        with before_the_commit(lambda: post(someone, "/me/delete", password=PASSWORD)):
            answer = _create_workspace(someone)
        assert answer.problem() == (401, "unauthenticated")
        assert _workspaces(world) == before

    @pytest.mark.parametrize("has_another", [False, True])
    @pytest.mark.parametrize("accepts_first", [False, True])
    def test_invitation_accepted_during_account_deletion_leaves_no_membership(
        self, world: World, *, has_another: bool, accepts_first: bool
    ) -> None:
        someone, owner = self._somebody(world, has_another), world.person()
        workspace = world.workspace(owner)
        invited = owner.call("POST", "/invitations", {"email": someone.email, "role": "admin"})
        path, answers = f"/invitations/{invited.json['id']}/accept", []

        def accept() -> None:
            answers.append(someone.call("POST", path).status)

        def delete() -> None:
            answers.append(post(someone, "/me/delete", password=PASSWORD)[0])

        if accepts_first:
            with before_the_commit(accept, _DELETION):
                delete()
            assert answers == [200, 204]
        else:
            with before_the_commit(delete):
                accept()
            assert answers == [204, 401]
        world.deliver()
        assert WorkspaceRepository(workspace).membership_of(someone.id) is None

    def test_ownership_transferred_during_account_deletion_keeps_the_account(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The worker would have removed the membership."""
        monkeypatch.setattr(deletion, "MEMBERSHIPS_AT_ONCE", 0)
        someone, owner = account(world), world.person()
        workspace = world.workspace(owner)
        membership = world.join(someone, workspace, Role.ADMIN)
        path = f"/members/{membership.id}/transfer-ownership"
        with before_the_commit(lambda: owner.call("POST", path), _DELETION):
            answer = post(someone, "/me/delete", password=PASSWORD)
        assert answer == (409, "owner_leave")
        found = WorkspaceRepository(workspace).owner()
        assert found is not None
        assert found.person_id == person_of(someone).id

    def test_deleted_account_becomes_no_owner(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(deletion, "MEMBERSHIPS_AT_ONCE", 0)
        someone, owner = account(world), world.person()
        workspace = world.workspace(owner)
        membership = world.join(someone, workspace, Role.ADMIN)
        path = f"/members/{membership.id}/transfer-ownership"
        with before_the_commit(lambda: post(someone, "/me/delete", password=PASSWORD)):
            answer = owner.call("POST", path)
        assert answer.problem() == (404, "not_found")
        found = WorkspaceRepository(workspace).owner()
        assert found is not None
        assert found.person_id == owner.id

    def _somebody(self, world: World, has_another: bool) -> Someone:
        """Somebody who is, or isn't, a member of a workspace, which is active then."""
        someone = account(world)
        if has_another:
            world.join(someone, world.workspace(world.person()), Role.MEMBER)
        return someone

    def test_removed_while_setting_the_workspace(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        someone, workspace = account(world), world.workspace(world.person())
        membership = world.join(someone, workspace, Role.ADMIN)
        meanwhile(
            monkeypatch,
            account_service,
            "activate_workspace",
            lambda changes: WorkspaceRepository(workspace).delete_member(changes, membership),
        )
        body = {"workspaceId": str(workspace.id)}
        assert someone.call("PUT", "/me/workspace", body).problem() == (422, "validation")
        assert person_of(someone).last_workspace_id is None


def _create_workspace(someone: Someone) -> Answer:
    return someone.call("POST", "/workspaces", {"name": "Loom"})


def _workspaces(world: World) -> set[UUID]:
    return {row.id for row in world.rows() if isinstance(row, WorkspaceItem)}


def _session_of(someone: Someone) -> Session:
    session = find_session(PersonScope(someone.id), someone.session_id)
    assert session is not None
    return session
