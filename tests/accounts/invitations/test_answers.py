"""What becomes of an invitation: listed, sent again, deleted, accepted, declined."""

from datetime import timedelta
from uuid import UUID

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.accounts.identity.repository import PersonItem, person_key
from storepost.accounts.invitations import service
from storepost.accounts.invitations.model import SENDS_A_DAY, InvitationStatus
from storepost.accounts.invitations.repository import InvitationRepository, find_invitation
from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.accounts.workspaces.model import Role
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.scope import PersonScope, WorkspaceScope
from tests.accounts.invitations.test_invitations import GUEST, invited
from tests.accounts.workspaces.test_workspaces import signed_in
from tests.harness.world import CANARY, Answer, Someone, World


@pytest.fixture
def guest(world: World) -> Someone:
    """A person with an account, to be invited."""
    return world.person(f"Gus {CANARY}")


def status(made: dict[str, str]) -> InvitationStatus:
    """The invitation's stored status."""
    found = find_invitation(UUID(made["id"]))
    assert found is not None
    return found.status


def act(
    world: World, made: dict[str, str], action: str, token: str | None, key: str | None = None
) -> Answer:
    """The answer to `resend`, `accept` or `decline`, or to `delete`."""
    path = f"/invitations/{made['id']}"
    if action == "delete":
        return world.call("DELETE", path, token=token, key=key)
    return world.call("POST", f"{path}/{action}", token=token, key=key)


def members(workspace: WorkspaceScope) -> dict[UUID, Role]:
    """Every member's role, by person."""
    return {m.person_id: m.role for m in WorkspaceRepository(workspace).memberships()}


class TestList:
    """GET /invitations."""

    def emails(self, world: World, token: str, **query: object) -> list[str]:
        """The addresses on the first page."""
        answer = world.call("GET", "/invitations", token=token, query=query)
        assert answer.status == 200, answer.body
        assert answer.json["total"] == len(answer.json["items"])
        return [item["email"] for item in answer.json["items"]]

    def test_complete_response(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        stranger = world.person()
        world.workspace(stranger)
        invited(stranger)
        first = invited(owner, role="admin")
        world.advance(days=6)
        second = invited(owner, f"second.{CANARY}@example.com")
        world.advance(days=1)
        member = world.member(workspace)
        answer = member.call("GET", "/invitations")
        assert (answer.status, answer.json) == (
            200,
            {
                "items": [second, {**first, "expired": True}],
                "total": 2,
                "page": 1,
                "pageSize": 25,
            },
        )

    def test_only_open_invitations_are_listed(
        self, world: World, owner: Someone, workspace: WorkspaceScope, guest: Someone
    ) -> None:
        deleted, open_one = invited(owner, "a@example.com"), invited(owner)
        assert act(world, deleted, "delete", owner.token).status == 204
        declined = invited(owner, guest.email)
        assert act(world, declined, "decline", guest.token).status == 204
        accepted = invited(owner, guest.email)
        assert act(world, accepted, "accept", guest.token).status == 200
        assert self.emails(world, owner.token) == [open_one["email"]]

    def test_search(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        invited(owner)
        invited(owner, "other@shop.example")
        for q, expected in [
            ("guest", [GUEST]),
            ("CANARY gue", [GUEST]),
            (GUEST, [GUEST]),
            ("shop", ["other@shop.example"]),
            ("uest", []),
            (f"x{GUEST}", []),
        ]:
            assert self.emails(world, owner.token, q=q) == expected, q

    def test_pages(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        for number in range(11):
            world.advance(seconds=1)
            invited(owner, f"guest{number}@example.com")
        answer = owner.call("GET", "/invitations", query={"page": 2, "pageSize": 10})
        assert [item["email"] for item in answer.json["items"]] == ["guest0@example.com"]
        assert answer.json["total"] == 11


class TestResendAndDelete:
    """What resend and delete have in common."""

    ACTIONS = pytest.mark.parametrize("action", ["resend", "delete"])

    @ACTIONS
    @pytest.mark.parametrize("end", ["delete", "accept", "decline"])
    def test_closed_invitation_is_unchanged(
        self, world: World, owner: Someone, workspace: WorkspaceScope, guest: Someone, action: str,
        end: str,
    ) -> None:  # fmt: skip
        made = invited(owner, guest.email)
        world.advance(hours=1)
        by = owner if end == "delete" else guest
        assert act(world, made, end, by.token).status in {200, 204}
        before = status(made)
        answer = act(world, made, action, owner.token)
        if action == end == "delete":
            assert (answer.status, answer.body) == (204, b"")
        else:
            assert answer.problem() == (409, "invitation_closed")
        assert status(made) is before
        assert len(world.emails()) == 1


class TestResend:
    """POST /invitations/{id}/resend."""

    def test_resend_within_an_hour_is_refused(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        made = invited(owner)
        world.advance(minutes=59)
        answer = act(world, made, "resend", owner.token)
        assert answer.problem() == (429, "invitation_recently_sent")
        wait = int(answer.header("retry-after") or 0)
        assert 0 < wait <= 60
        world.advance(seconds=wait)
        assert act(world, made, "resend", owner.token).status == 204
        again = act(world, made, "resend", owner.token)
        assert again.problem() == (429, "invitation_recently_sent")
        assert len(world.emails()) == 2

    @pytest.mark.parametrize("later", [timedelta(hours=1), timedelta(days=20)])
    def test_expiry_restarts(
        self, world: World, owner: Someone, workspace: WorkspaceScope, later: timedelta
    ) -> None:
        made = invited(owner)
        clock.advance(later)
        before = clock.now()
        answer = act(world, made, "resend", owner.token)
        after = clock.now()
        assert (answer.status, answer.body) == (204, b"")
        [listed] = owner.call("GET", "/invitations").json["items"]
        expires = clock.from_text(listed["expiresAt"])
        assert before <= expires - timedelta(days=7) <= after
        assert listed == {**made, "expiresAt": listed["expiresAt"], "expired": False}
        preview = world.call("GET", f"/invitations/{made['id']}/preview").json
        assert preview["status"] == "pending"
        first, second = world.emails()
        assert (second.to, second.subject) == (first.to, first.subject)
        assert f"/pages/invitation#{made['id']}" in second.text

    def test_counts_towards_the_daily_send_limit(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        made = invited(owner)
        world.advance(hours=1)
        for number in range(SENDS_A_DAY - 2):
            invited(owner, f"guest{number}@example.com")
        other = invited(owner, "last@example.com")
        answer = act(world, made, "resend", owner.token)
        assert answer.problem() == (429, "invitation_send_limit")
        wait = int(answer.header("retry-after") or 0)
        assert 22 * 3600 < wait <= 23 * 3600
        admin = world.member(workspace, Role.ADMIN)
        assert act(world, made, "resend", admin.token).status == 204
        world.advance(seconds=wait)
        assert act(world, other, "resend", owner.token).status == 204

    def test_api_key_shares_the_send_limit_of_its_creator(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key = world.api_key(workspace, KeyScope.WRITE, owner)
        for number in range(SENDS_A_DAY):
            invited(owner, f"guest{number}@example.com")
        body = {"email": GUEST, "role": "member"}
        answer = world.call("POST", "/invitations", token=key, json_body=body)
        assert answer.problem() == (429, "invitation_send_limit")

    def test_concurrent_resends_send_one_email(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        made = invited(owner)
        world.advance(hours=1)
        caller = WorkspaceCaller(signed_in(owner), workspace, world.membership(owner, workspace))
        base = "https://api.example.com/v1"
        with world.meanwhile(lambda c: service.resend(caller, UUID(made["id"]), base, c)):
            answer = act(world, made, "resend", owner.token)
        assert answer.problem() == (429, "invitation_recently_sent")
        assert len(world.emails()) == 2


class TestDelete:
    """DELETE /invitations/{id}."""

    @pytest.mark.parametrize("days", [0, 8])
    def test_link_stops_working(
        self, world: World, owner: Someone, workspace: WorkspaceScope, guest: Someone, days: int
    ) -> None:
        made = invited(owner, guest.email)
        world.advance(days=days)
        answer = act(world, made, "delete", owner.token)
        assert (answer.status, answer.body) == (204, b"")
        preview = world.call("GET", f"/invitations/{made['id']}/preview")
        assert (preview.status, preview.json["status"]) == (200, "canceled")
        assert preview.json["email"] == guest.email
        for action in ("accept", "decline"):
            answer = act(world, made, action, guest.token)
            assert answer.problem() == (409, "invitation_closed")
        assert guest.id not in members(workspace)

    def test_address_can_be_invited_again(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        made = invited(owner)
        act(world, made, "delete", owner.token)
        again = invited(owner)
        assert again["id"] != made["id"]
        assert InvitationRepository(workspace).open_for(GUEST) == UUID(again["id"])


class TestAcceptAndDecline:
    """What accept and decline have in common."""

    ACTIONS = pytest.mark.parametrize("action", ["accept", "decline"])

    @ACTIONS
    def test_invitation_of_another_person_is_refused(
        self, world: World, owner: Someone, workspace: WorkspaceScope, guest: Someone, action: str
    ) -> None:
        made = invited(owner)
        for by in (guest, owner):
            assert act(world, made, action, by.token).problem() == (403, "not_invited")
        act(world, made, "delete", owner.token)
        assert act(world, made, action, guest.token).problem() == (403, "not_invited")
        assert members(workspace) == {owner.id: Role.OWNER}

    @ACTIONS
    def test_unverified_address_is_refused(
        self, world: World, owner: Someone, workspace: WorkspaceScope, action: str
    ) -> None:
        unverified = world.person(verified=False)
        made = invited(owner, unverified.email)
        assert act(world, made, action, unverified.token).problem() == (403, "not_invited")
        assert status(made) is InvitationStatus.PENDING
        assert members(workspace) == {owner.id: Role.OWNER}

    @ACTIONS
    def test_expired_invitation_is_refused(
        self, world: World, owner: Someone, workspace: WorkspaceScope, guest: Someone, action: str
    ) -> None:
        made = invited(owner, guest.email)
        world.advance(days=7)
        assert act(world, made, action, guest.token).problem() == (410, "invitation_expired")
        assert status(made) is InvitationStatus.PENDING
        assert act(world, made, "resend", owner.token).status == 204
        assert act(world, made, action, guest.token).status in {200, 204}

    @ACTIONS
    def test_invitation_is_valid_until_just_before_expiry(
        self, world: World, owner: Someone, workspace: WorkspaceScope, guest: Someone, action: str
    ) -> None:
        made = invited(owner, guest.email)
        world.advance(days=7, seconds=-5)
        assert act(world, made, action, guest.token).status in {200, 204}

    @ACTIONS
    @pytest.mark.parametrize("end", ["accept", "decline"])
    def test_already_answered_invitation_is_refused(
        self, world: World, owner: Someone, workspace: WorkspaceScope, guest: Someone, action: str,
        end: str,
    ) -> None:  # fmt: skip
        made = invited(owner, guest.email)
        act(world, made, end, guest.token)
        before = (status(made), members(workspace))
        assert act(world, made, action, guest.token).problem() == (409, "invitation_closed")
        assert (status(made), members(workspace)) == before

    @ACTIONS
    def test_concurrently_deleted_invitation_is_refused(
        self, world: World, owner: Someone, workspace: WorkspaceScope, guest: Someone, action: str
    ) -> None:
        made = invited(owner, guest.email)
        other = UUID(made["id"])
        with world.meanwhile(lambda c: service.delete_invitation(workspace, other, c)):
            answer = act(world, made, action, guest.token)
        assert answer.problem() == (409, "invitation_closed")
        assert status(made) is InvitationStatus.CANCELED
        assert members(workspace) == {owner.id: Role.OWNER}


class TestAccept:
    """POST /invitations/{id}/accept."""

    @pytest.mark.parametrize("role", [Role.ADMIN, Role.MEMBER])
    def test_creates_the_membership(
        self, world: World, owner: Someone, workspace: WorkspaceScope, guest: Someone, role: Role
    ) -> None:
        made = invited(owner, guest.email.upper(), role)
        before = clock.now()
        answer = act(world, made, "accept", guest.token)
        found = WorkspaceRepository(workspace).get()
        assert found is not None
        assert (answer.status, answer.json) == (200, {"workspaceSlug": found.slug})
        assert members(workspace) == {owner.id: Role.OWNER, guest.id: role}
        membership = world.membership(guest, workspace)
        assert membership is not None
        assert before <= membership.joined_at <= clock.now()
        assert status(made) is InvitationStatus.ACCEPTED
        preview = world.call("GET", f"/invitations/{made['id']}/preview").json
        assert preview["status"] == "accepted"
        assert InvitationRepository(workspace).open_for(guest.email) is None

    def test_activates_the_workspace_if_none_is_active(
        self, world: World, owner: Someone, workspace: WorkspaceScope, guest: Someone
    ) -> None:
        other_session, _ = world.sign_in(guest.id)
        act(world, invited(owner, guest.email), "accept", guest.token)
        answer = guest.call("GET", "/members")
        assert answer.json["total"] == 2
        answer = world.call("GET", "/members", token=other_session)
        assert answer.problem() == (409, "no_active_workspace")
        row = PersonItem.get(*person_key(PersonScope(guest.id)), consistent_read=True)
        assert row.last_workspace_id == workspace.id

    def test_active_workspace_is_unchanged(
        self, world: World, owner: Someone, workspace: WorkspaceScope, guest: Someone
    ) -> None:
        world.workspace(guest)
        act(world, invited(owner, guest.email), "accept", guest.token)
        answer = guest.call("GET", "/members")
        assert [item["name"] for item in answer.json["items"]] == [guest.name]

    def test_activates_the_workspace_after_leaving_the_active_one(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        guest = world.member(world.workspace(world.person()))
        assert guest.call("POST", "/members/leave").status == 204
        act(world, invited(owner, guest.email), "accept", guest.token)
        assert guest.call("GET", "/members").json["total"] == 2

    def test_existing_membership_is_unchanged(
        self, world: World, owner: Someone, workspace: WorkspaceScope, guest: Someone
    ) -> None:
        made = invited(owner, guest.email, "admin")
        world.join(guest, workspace, Role.MEMBER)
        before = world.membership(guest, workspace)
        assert act(world, made, "accept", guest.token).status == 200
        assert world.membership(guest, workspace) == before
        assert status(made) is InvitationStatus.ACCEPTED

    def test_without_required_two_factor_access_is_refused(
        self, world: World, owner: Someone, workspace: WorkspaceScope, guest: Someone
    ) -> None:
        changes = Changes()
        WorkspaceRepository(workspace).update(changes, name=None, require_two_factor=True)
        changes.commit()
        world.turn_two_factor_on(owner)
        made = invited(owner, guest.email)
        assert act(world, made, "accept", guest.token).status == 200
        assert guest.call("GET", "/members").problem() == (403, "two_factor_required")


class TestDecline:
    """POST /invitations/{id}/decline."""

    def test_invitation_becomes_rejected(
        self, world: World, owner: Someone, workspace: WorkspaceScope, guest: Someone
    ) -> None:
        made = invited(owner, guest.email)
        answer = act(world, made, "decline", guest.token)
        assert (answer.status, answer.body) == (204, b"")
        assert members(workspace) == {owner.id: Role.OWNER}
        preview = world.call("GET", f"/invitations/{made['id']}/preview").json
        assert preview["status"] == "rejected"
        assert invited(owner, guest.email)["id"] != made["id"]
