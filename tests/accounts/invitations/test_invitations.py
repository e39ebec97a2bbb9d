"""Invitations, an operation a class."""

from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.accounts.invitations.repository import InvitationRepository
from storepost.accounts.workspaces.model import Role
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.platform.persistence.changes import commit_anew
from storepost.platform.persistence.sealing import clear_key_cache
from storepost.values import clock
from tests.harness.call_interruption import before_the_commit, counted
from tests.harness.world import CANARY, Someone, World

FIRST = f"first.{CANARY}@example.com"
GUEST = f"guest.{CANARY}@example.com"


@pytest.fixture
def owner(world: World) -> Someone:
    """The owner of a workspace."""
    person = world.person("Olive Owner")
    world.workspace(person, "Olive's Shop")
    return person


def invited(by: Someone, email: str = GUEST, role: str = "member") -> dict[str, str]:
    """An invitation that was just made."""
    answer = by.call("POST", "/invitations", {"email": email, "role": role})
    assert answer.status == 201, answer.body
    body: dict[str, str] = answer.json
    return body


class TestCreate:
    """POST /invitations."""

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, ["/email", "/role"]),
            ({"email": "nobody", "role": "member"}, ["/email"]),
            ({"email": "jürgen@example.com", "role": "member"}, ["/email"]),
            ({"email": GUEST, "role": "owner"}, ["/role"]),
            ({"email": GUEST, "role": "member", "more": 1}, ["/more"]),
            ({"email": None, "role": None}, ["/email", "/role"]),
            ([], [""]),
        ],
    )
    def test_bad_input(self, world: World, owner: Someone, body: object, paths: list[str]) -> None:
        assert owner.call("POST", "/invitations", body).error_paths() == paths
        assert world.emails() == []

    def test_emails_the_link(self, world: World, owner: Someone) -> None:
        before = clock.now()
        answer = owner.call(
            "POST", "/invitations", {"email": f" {GUEST.upper()} ", "role": "admin"}
        )
        assert answer.status == 201
        body = answer.json
        created = clock.from_text(body["createdAt"])
        assert before <= created <= clock.now()
        assert body == {
            "id": str(UUID(body["id"])),
            "email": GUEST,
            "role": "admin",
            "invitedBy": "Olive Owner",
            "createdAt": body["createdAt"],
            "expiresAt": clock.to_text(created + timedelta(days=7)),
            "expired": False,
            "undeliverable": False,
        }
        [email] = world.emails()
        assert email.to == GUEST
        assert "Olive" in email.subject
        link = f"https://api.example.com/v1/pages/invitation#{body['id']}"
        assert link in email.text
        assert f'href="{link}"' in email.html
        assert [row.sk for row in world.rows("due#")] == []

    def test_by_a_write_key_of_an_admin(self, world: World) -> None:
        workspace = world.workspace(world.person())
        admin = world.member(workspace, Role.ADMIN)
        key = world.api_key(workspace, KeyScope.WRITE, admin)
        answer = world.call(
            "POST", "/invitations", token=key, json_body={"email": GUEST, "role": "member"}
        )
        assert answer.status == 201
        assert answer.json["invitedBy"] == admin.name

    def test_already_member(self, world: World, owner: Someone) -> None:
        workspace = world.workspace(owner)
        member = world.member(workspace)
        answer = owner.call("POST", "/invitations", {"email": member.email, "role": "member"})
        assert answer.problem() == (409, "already_member")

    def test_aws_calls_do_not_reveal_who_has_an_account(self, world: World, owner: Someone) -> None:
        world.workspace(owner)

        def calls(email: str) -> list[str]:
            body = {"email": email, "role": "member"}
            clear_key_cache()
            return counted(lambda: owner.call("POST", "/invitations", body))

        calls(f"first.{GUEST}")  # makes the rows that the others change
        assert calls(GUEST) == calls(world.person().email)

    def test_already_invited_even_if_expired(self, world: World, owner: Someone) -> None:
        invited(owner)
        world.advance(days=8)
        answer = owner.call("POST", "/invitations", {"email": GUEST, "role": "admin"})
        assert answer.problem() == (409, "already_invited")
        assert len(world.emails()) == 1

    def test_concurrently_deleted_workspace_is_not_found(self, world: World) -> None:
        """The request loses its race, and its next attempt finds no workspace to invite to."""
        owner = world.person()
        workspace = world.workspace(owner)
        members = WorkspaceRepository(workspace)
        stored = members.get()
        assert stored is not None

        def meanwhile() -> None:
            invited(owner, FIRST)
            commit_anew(lambda changes: members.end(changes, stored))

        body = {"email": GUEST, "role": "member"}
        with before_the_commit(meanwhile):
            answer = owner.call("POST", "/invitations", body)
        assert answer.problem() == (404, "not_found")
        assert [row.email for row in InvitationRepository(workspace).all_open()] == [FIRST]
        assert [email.to for email in world.emails()] == [FIRST]

    def test_limit_of_fifty_emails_in_24_hours(self, world: World, owner: Someone) -> None:
        for number in range(50):
            invited(owner, f"guest{number}@example.com")
        again = {"email": GUEST, "role": "member"}
        answer = owner.call("POST", "/invitations", again)
        assert answer.problem() == (429, "invitation_send_limit")
        wait = int(answer.header("retry-after") or 0)
        assert 0 < wait <= 24 * 60 * 60
        world.advance(seconds=wait)
        answer = owner.call("POST", "/invitations", again)
        assert answer.status == 201

    @pytest.mark.parametrize("key", ["", "x" * 256])
    def test_idempotency_key_of_wrong_length_is_refused(self, owner: Someone, key: str) -> None:
        answer = owner.call("POST", "/invitations", {"email": GUEST, "role": "member"}, key=key)
        assert answer.error_paths() == ["header.idempotency-key"]

    def test_stored_conflict_is_replayed_for_24_hours(self, world: World, owner: Someone) -> None:
        made = invited(owner)
        body = {"email": GUEST, "role": "member"}
        first = owner.call("POST", "/invitations", body, key="k")
        assert first.problem() == (409, "already_invited")
        owner.call("DELETE", f"/invitations/{made['id']}")
        again = owner.call("POST", "/invitations", body, key="k")
        assert (again.status, again.body) == (first.status, first.body)
        assert again.header("idempotency-replayed") == "true"
        world.advance(hours=24, seconds=1)
        anew = owner.call("POST", "/invitations", body, key="k")
        assert anew.status == 201


class TestPreview:
    """GET /invitations/{id}/preview."""

    def test_anonymous_caller_with_the_link(self, world: World, owner: Someone) -> None:
        made = invited(owner)
        answer = world.call("GET", f"/invitations/{made['id']}/preview")
        assert answer.status == 200
        slug = answer.json["workspaceSlug"]
        assert slug.startswith("ws-")
        assert answer.json == {
            "workspace": "Olive's Shop",
            "workspaceSlug": slug,
            "invitedBy": "Olive Owner",
            "email": GUEST,
            "role": "member",
            "status": "pending",
        }

    def test_expired(self, world: World, owner: Someone) -> None:
        made = invited(owner)
        world.advance(days=7)
        assert world.call("GET", f"/invitations/{made['id']}/preview").json["status"] == "expired"

    def test_unknown(self, world: World) -> None:
        assert world.call("GET", f"/invitations/{uuid4()}/preview").problem() == (404, "not_found")

    def test_malformed_id_is_refused(self, world: World) -> None:
        assert world.call("GET", "/invitations/7/preview").error_paths() == ["path.id"]
