"""Writes that happen once: `idempotency-key` (docs/interface.md, section 2)."""

import re
from typing import Any
from uuid import uuid4

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.accounts.workspaces.model import Role
from storepost.platform.persistence.changes import LostRace
from storepost.platform.persistence.idempotency import RecordItem
from storepost.stores.locales import service
from storepost.values.scope import WorkspaceScope
from tests.harness.call_interruption import another_container
from tests.harness.world import CANARY, Answer, Someone, World

KEY = "k"
GUEST = f"guest.{CANARY}@example.com"


def create(world: World, token: str, code: str = "de", key: str | None = KEY) -> Answer:
    """The answer to a new locale."""
    return world.call("POST", "/locales", token=token, json_body={"code": code}, key=key)


def codes(world: World, token: str) -> list[str]:
    """The codes of the active workspace's locales."""
    answer = world.call("GET", "/locales", token=token)
    return sorted(item["code"] for item in answer.json["items"])


def is_replay(answer: Answer) -> bool:
    """Whether the header says that the answer is a replay."""
    replayed = answer.header("idempotency-replayed")
    assert replayed in {None, "true"}
    return replayed == "true"


def assert_replayed(again: Answer, first: Answer) -> None:
    """The first answer in everything but the request's id, with the header that says so."""
    assert not is_replay(first)
    assert (again.status, again.body) == (first.status, first.body)
    own = again.headers["request-id"]
    assert own != first.headers["request-id"]
    headers = {**first.headers, "request-id": own}
    assert again.headers == {**headers, "idempotency-replayed": "true"}


@pytest.mark.usefixtures("workspace")
class TestReplay:
    """The same key with the same request."""

    def test_201_with_its_body(self, world: World, owner: Someone) -> None:
        first = create(world, owner.token)
        assert first.status == 201
        for _ in range(2):
            assert_replayed(create(world, owner.token), first)
        assert codes(world, owner.token) == ["de"]

    def test_body_in_utf_8(self, owner: Someone) -> None:
        """Letters are not escaped, which would take six bytes for each instead of two."""
        body = {"code": "ru", "label": "Русский 李 🫖"}
        first, again = (owner.call("POST", "/locales", body, key=KEY) for _ in range(2))
        assert f'"label":"{body["label"]}"'.encode() in first.body
        assert_replayed(again, first)

    def test_204_without_body(self, world: World, owner: Someone) -> None:
        create(world, owner.token, key=None)
        made = create(world, owner.token, "fr", key=None).json["id"]
        first, again = (owner.call("DELETE", f"/locales/{made}", key=KEY) for _ in range(2))
        assert (first.status, again.header("content-type")) == (204, None)
        assert_replayed(again, first)

    def test_stored_response_even_if_the_resource_changed(
        self, world: World, owner: Someone
    ) -> None:
        create(world, owner.token, "en", key=None)
        first = create(world, owner.token)
        owner.call("DELETE", f"/locales/{first.json['id']}")
        assert_replayed(create(world, owner.token), first)
        assert codes(world, owner.token) == ["en"]

    def test_request_without_key_runs_again(self, world: World, owner: Someone) -> None:
        assert create(world, owner.token, key=None).status == 201
        assert create(world, owner.token, key=None).problem() == (409, "locale_exists")
        assert list(RecordItem.scan()) == []

    def test_replay_ends_after_24_hours(self, world: World, owner: Someone) -> None:
        first = create(world, owner.token)
        world.advance(hours=24, seconds=-10)
        assert_replayed(create(world, owner.token), first)
        world.advance(seconds=20)
        late = create(world, owner.token)
        assert (late.problem(), is_replay(late)) == ((409, "locale_exists"), False)

    @pytest.mark.parametrize("key", ["x", "k" * 255, "a b", "ü/§"])
    def test_valid_keys(self, world: World, owner: Someone, key: str) -> None:
        first = create(world, owner.token, key=key)
        assert_replayed(create(world, owner.token, key=key), first)

    def test_keys_are_case_sensitive(self, world: World, owner: Someone) -> None:
        assert create(world, owner.token, "de", "k").status == 201
        assert create(world, owner.token, "fr", "K").status == 201

    def test_get_ignores_the_key(self, world: World, owner: Someone) -> None:
        for expected in ([], ["de"]):
            answer = owner.call("GET", "/locales", key=KEY)
            assert [item["code"] for item in answer.json["items"]] == expected
            assert not is_replay(answer)
            create(world, owner.token, key=None)


@pytest.mark.usefixtures("workspace")
class TestReusedKey:
    """The same key with another request: 422."""

    @pytest.mark.parametrize(
        ("path", "label"),
        [
            ("{first}", "Other"),
            ("{second}", "Label"),
        ],
        ids=["body", "path"],
    )
    def test_other_body_or_path_is_refused(
        self, world: World, owner: Someone, path: str, label: str
    ) -> None:
        ids = {
            name: create(world, owner.token, code, key=None).json["id"]
            for name, code in (("first", "de"), ("second", "fr"))
        }

        def change(path: str, label: str) -> Answer:
            return owner.call("PATCH", f"/locales/{path.format(**ids)}", {"label": label}, key=KEY)

        assert change("{first}", "Label").status == 200
        before = owner.call("GET", "/locales").json
        assert change(path, label).problem() == (422, "idempotency_key_reused")
        assert owner.call("GET", "/locales").json == before
        assert is_replay(change("{first}", "Label"))

    def test_keys_are_per_operation(self, world: World, owner: Someone) -> None:
        made = create(world, owner.token, "en", key=None).json["id"]
        assert create(world, owner.token).status == 201
        answer = owner.call("PATCH", f"/locales/{made}", {"label": "x"}, key=KEY)
        assert (answer.status, is_replay(answer)) == (200, False)


@pytest.mark.usefixtures("workspace")
class TestInProgress:
    """The first call still runs: 409."""

    def test_concurrent_call_is_refused_then_replayed(
        self, world: World, owner: Someone, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        plain, seconds = service.add_locale, list[Answer]()

        def meanwhile(*arguments: Any) -> Any:
            monkeypatch.setattr(service, "add_locale", plain)
            with another_container():
                seconds.append(create(world, owner.token))
            return plain(*arguments)

        monkeypatch.setattr(service, "add_locale", meanwhile)
        first = create(world, owner.token)
        assert first.status == 201
        [second] = seconds
        assert second.problem() == (409, "idempotency_in_progress")
        assert second.header("retry-after") == "1"
        assert_replayed(create(world, owner.token), first)

    def test_key_of_crashed_call_is_blocked_until_the_lease_ends(
        self, world: World, owner: Someone, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A call that Lambda ends releases nothing: the key is free a second after its time."""

        class Crash(BaseException):
            """The container is gone."""

        def crash(*_: object) -> None:
            raise Crash()

        with monkeypatch.context() as patched:
            patched.setattr(service, "add_locale", crash)
            patched.setattr(
                "storepost.platform.persistence.idempotency.Claim.release", lambda _: None
            )
            with pytest.raises(Crash):
                create(world, owner.token)
        answer = create(world, owner.token)
        assert answer.problem() == (409, "idempotency_in_progress")
        assert answer.header("retry-after") == "1"
        reused = create(world, owner.token, "fr")
        assert reused.problem() == (422, "idempotency_key_reused")
        world.advance(minutes=1)
        assert create(world, owner.token).status == 201
        assert codes(world, owner.token) == ["de"]


class TestStoredResponses:
    """2xx, 404, 410 and most 409 are; the rest runs again."""

    def test_404_is_stored(self, owner: Someone, workspace: WorkspaceScope) -> None:
        path = f"/locales/{uuid4()}"
        first, again = (owner.call("DELETE", path, key=KEY) for _ in range(2))
        assert first.problem() == (404, "not_found")
        assert_replayed(again, first)

    def test_409_is_stored(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        create(world, owner.token, "en", key=None)
        made = create(world, owner.token, key=None).json["id"]
        first = create(world, owner.token)
        assert first.problem() == (409, "locale_exists")
        owner.call("DELETE", f"/locales/{made}")
        assert_replayed(create(world, owner.token), first)

    def test_410_is_stored(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        guest = world.person()
        made = owner.call("POST", "/invitations", {"email": guest.email, "role": "member"}).json
        world.advance(days=8)
        path = f"/invitations/{made['id']}"

        def accept() -> Answer:
            return guest.call("POST", f"{path}/accept", key=KEY)

        first = accept()
        assert first.problem() == (410, "invitation_expired")
        assert owner.call("POST", f"{path}/resend").status == 204
        assert_replayed(accept(), first)
        assert world.membership(guest, workspace) is None

    def test_422_is_not_stored(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        assert create(world, owner.token, "no locale").error_paths() == ["/code"]
        assert create(world, owner.token).status == 201

    def test_422_of_a_business_rule_is_not_stored(self, world: World, owner: Someone) -> None:
        assert owner.call("POST", "/me/two-factor/email").status == 204
        [email] = world.emails()
        code = re.search(r"\b\d{6}\b", email.text)
        assert code
        wrong = f"{(int(code.group()) + 1) % 1_000_000:06}"

        def confirm(code: str) -> Answer:
            path, body = "/me/two-factor/email/confirm", {"code": code}
            return owner.call("POST", path, body, key=KEY)

        assert confirm(wrong).problem() == (422, "code_invalid")
        assert (confirm(code.group()).status, is_replay(confirm(code.group()))) == (200, True)

    def test_403_is_not_stored(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        member = world.member(workspace)
        body = {"email": GUEST, "role": "member"}

        def invite() -> Answer:
            return member.call("POST", "/invitations", body, key=KEY)

        assert invite().problem() == (403, "role")
        own = world.membership(member, workspace)
        assert own is not None
        role = {"role": "admin"}
        assert owner.call("PATCH", f"/members/{own.id}", role).status == 204
        assert (invite().status, is_replay(invite())) == (201, True)

    def test_no_active_workspace_is_not_stored(self, world: World) -> None:
        """That check comes before a key counts."""
        someone = world.person()
        assert create(world, someone.token).problem() == (409, "no_active_workspace")
        world.workspace(someone)
        assert create(world, someone.token).status == 201

    def test_429_is_not_stored(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        made = owner.call("POST", "/invitations", {"email": GUEST, "role": "member"}).json

        def resend() -> Answer:
            return owner.call("POST", f"/invitations/{made['id']}/resend", key=KEY)

        refused = resend()
        assert refused.problem() == (429, "invitation_recently_sent")
        world.advance(seconds=int(refused.header("retry-after") or 0))
        assert (resend().status, is_replay(resend())) == (204, True)

    @pytest.mark.parametrize(
        ("error", "expected"),
        [(LostRace, (409, "conflict")), (ValueError, (500, "internal"))],
    )
    def test_conflict_and_internal_error_are_not_stored(
        self,
        world: World,
        owner: Someone,
        workspace: WorkspaceScope,
        monkeypatch: pytest.MonkeyPatch,
        error: type[Exception],
        expected: tuple[int, str],
    ) -> None:
        def fail(*_: object) -> None:
            raise error()

        with monkeypatch.context() as patched:
            patched.setattr(service, "add_locale", fail)
            assert create(world, owner.token).problem() == expected
        assert (create(world, owner.token).status, codes(world, owner.token)) == (201, ["de"])


class TestKeyScope:
    """The key counts by caller and workspace."""

    def test_keys_are_per_person(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        member = world.member(workspace)
        assert create(world, owner.token, "de").status == 201
        assert create(world, member.token, "fr").status == 201

    def test_other_session_of_the_person_gets_a_replay(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        first = create(world, owner.token)
        token, _ = world.sign_in(owner.id, workspace)
        assert_replayed(create(world, token), first)

    def test_keys_are_per_workspace(self, world: World, owner: Someone) -> None:
        one = world.workspace(owner)
        first = create(world, owner.token)
        world.workspace(owner)
        answer = create(world, owner.token)
        assert (answer.status, is_replay(answer)) == (201, False)
        assert answer.json["id"] != first.json["id"]
        world.activate(owner, one)
        assert_replayed(create(world, owner.token), first)

    def test_api_keys_and_their_creator_are_different_callers(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        keys = [world.api_key(workspace, KeyScope.WRITE, owner) for _ in range(2)]
        for token, code in zip([owner.token, *keys], ["de", "fr", "it"], strict=True):
            assert create(world, token, code).status == 201
        assert codes(world, owner.token) == ["de", "fr", "it"]

    def test_rotated_api_key_is_the_same_caller(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        old = world.api_key(workspace, KeyScope.WRITE, owner)
        first = create(world, old)
        path = f"/api-keys/{world.key_of(old).id}/rotate"
        new = owner.call("POST", path).json["key"]
        assert create(world, old).problem() == (401, "unauthenticated")
        assert_replayed(create(world, new), first)

    def test_caller_who_lost_the_role_by_the_call_gets_a_replay(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        """The call took its caller's role: its retry still gets the answer, others are refused."""
        admin = world.member(workspace, Role.ADMIN)
        own = world.membership(admin, workspace)
        assert own is not None

        def demote(key: str) -> Answer:
            body, path = {"role": "member"}, f"/members/{own.id}"
            return admin.call("PATCH", path, body, key=key)

        first = demote(KEY)
        assert first.status == 204
        assert_replayed(demote(KEY), first)
        assert demote("other").problem() == (403, "role")
