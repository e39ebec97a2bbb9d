"""Two-factor settings, an operation a class."""

import re
from collections.abc import Callable
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from storepost.accounts.identity import trusted_browsers
from storepost.accounts.identity.credentials import AuthenticatorItem, authenticator_key
from storepost.accounts.identity.two_factor import backup_codes_left, unseal_seed
from storepost.accounts.me.repository import PendingAuthenticatorItem, pending_authenticator_key
from storepost.accounts.workspaces.model import Role
from storepost.platform.persistence.item import find
from storepost.values import clock
from storepost.values.scope import PersonScope
from tests.accounts.me.accounts import (
    NEW_PASSWORD,
    PASSWORD,
    account,
    app_on,
    email_on,
    keeps_its_secret,
    partition,
    refuses_strangers,
    refuses_wrong_password,
    start_app,
    start_email,
    totp,
    trust,
    two_factor,
    wrong,
    wrong_totp,
)
from tests.harness.world import Answer, Someone, World

BACKUP_CODE = re.compile(r"[2-9A-HJ-NP-Z]{5}-[2-9A-HJ-NP-Z]{5}")


def demanded(world: World, someone: Someone) -> None:
    """Makes a workspace that the person belongs to demand two-factor."""
    workspace = world.workspace(world.person())
    world.join(someone, workspace, Role.MEMBER)
    world.require_two_factor(workspace)


def is_since_now(method: object) -> bool:
    """Whether a method is on, since just now."""
    assert isinstance(method, dict)
    assert set(method) == {"since"}
    return abs((clock.now() - clock.from_text(method["since"])).total_seconds()) < 60


def seed_of(someone: Someone) -> str:
    """The seed of the person's app, as it is kept."""
    key = authenticator_key(PersonScope(someone.id))
    row = find(AuthenticatorItem, key)
    assert row is not None
    return unseal_seed(row.seed, key)


def succeeds(world: World, someone: Someone, path: str, **body: str) -> None:
    """Calls an operation that must succeed."""
    answer = world.call("POST", path, token=someone.token, json_body=body or None)
    assert answer.status in {200, 204}, answer.body


def app_off(world: World, someone: Someone) -> None:
    """Turns the app method off."""
    succeeds(world, someone, "/me/two-factor/app/disable", password=PASSWORD)


def email_off(world: World, someone: Someone) -> None:
    """Turns the email method off."""
    succeeds(world, someone, "/me/two-factor/email/disable")


def renewed(world: World, someone: Someone) -> None:
    """Asks for new backup codes."""
    succeeds(world, someone, "/me/two-factor/backup-codes", password=PASSWORD)


def password_changed(world: World, someone: Someone) -> None:
    """Changes the password."""
    succeeds(world, someone, "/me/password", current=PASSWORD, password=NEW_PASSWORD)


def forgotten(world: World, someone: Someone) -> None:
    """Forgets the trusted browsers."""
    succeeds(world, someone, "/me/two-factor/trusted-browsers/forget")


class TestStartApp:
    """POST /me/two-factor/app."""

    path = "/me/two-factor/app"

    def test_strangers(self, world: World) -> None:
        refuses_strangers(world, "POST", self.path)

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, ["/password"]),
            ({"password": 1}, ["/password"]),
            ({"password": "a", "b": 1}, ["/b"]),
        ],
    )
    def test_bad_input(self, world: World, body: object, paths: list[str]) -> None:
        answer = world.call("POST", self.path, token=account(world).token, json_body=body)
        assert answer.error_paths() == paths

    def test_wrong_password(self, world: World) -> None:
        refuses_wrong_password(world, self.path, {})

    def test_a_secret_for_the_app_and_nothing_on_yet(self, world: World) -> None:
        someone = account(world)
        trust(someone)
        answer = world.call(
            "POST", self.path, token=someone.token, json_body={"password": PASSWORD}
        )
        assert answer.status == 200
        assert set(answer.json) == {"secret", "otpauthUri"}
        secret, uri = answer.json["secret"], urlsplit(answer.json["otpauthUri"])
        assert re.fullmatch(r"[A-Z2-7]{32}", secret)  # 160 bits (RFC 4226, section 4, R6)
        assert (uri.scheme, uri.netloc) == ("otpauth", "totp")
        assert unquote(uri.path) == f"/Storepost:{someone.email}"
        assert parse_qs(uri.query) == {"secret": [secret], "issuer": ["Storepost"]}
        assert two_factor(world, someone) == {"app": None, "email": None, "trustedBrowsers": 1}
        key = pending_authenticator_key(PersonScope(someone.id))
        row = find(PendingAuthenticatorItem, key)
        assert row is not None
        assert secret not in str(row.to_simple_dict())
        assert unseal_seed(row.seed, key) == secret

    def test_another_start_ends_the_first(self, world: World) -> None:
        someone = account(world)
        first, second = start_app(world, someone), start_app(world, someone)
        assert first != second
        for secret, status in ((first, 422), (second, 200)):
            body = {"code": totp(secret)}
            answer = world.call("POST", f"{self.path}/confirm", token=someone.token, json_body=body)
            assert answer.status == status

    def test_on_already(self, world: World) -> None:
        someone = account(world)
        app_on(world, someone)
        before = seed_of(someone)
        answer = world.call(
            "POST", self.path, token=someone.token, json_body={"password": PASSWORD}
        )
        assert answer.problem() == (409, "method_on")
        assert seed_of(someone) == before

    def test_replay(self, world: World) -> None:
        someone = account(world)
        body: dict[str, object] = {"password": PASSWORD}
        first = keeps_its_secret(world, someone, self.path, body, "secret")
        answer = world.call(
            "POST",
            f"{self.path}/confirm",
            token=someone.token,
            json_body={"code": totp(first.json["secret"])},
        )
        assert answer.status == 200


class TestConfirmApp:
    """POST /me/two-factor/app/confirm."""

    path = "/me/two-factor/app/confirm"

    def confirm(self, world: World, someone: Someone, code: str) -> Answer:
        """The answer to a code."""
        return world.call("POST", self.path, token=someone.token, json_body={"code": code})

    def test_strangers(self, world: World) -> None:
        refuses_strangers(world, "POST", self.path)

    @pytest.mark.parametrize(
        ("body", "paths"),
        [({}, ["/code"]), ({"code": ""}, ["/code"]), ({"code": "1" * 33}, ["/code"])],
    )
    def test_bad_input(self, world: World, body: object, paths: list[str]) -> None:
        answer = world.call("POST", self.path, token=account(world).token, json_body=body)
        assert answer.error_paths() == paths

    def test_nothing_begun(self, world: World) -> None:
        answer = self.confirm(world, account(world), "123456")
        assert answer.problem() == (410, "challenge_closed")

    def test_another_persons_secret(self, world: World) -> None:
        someone, other = account(world), account(world)
        start_app(world, other)
        code = totp(start_app(world, someone))
        assert self.confirm(world, other, code).problem() == (422, "code_invalid")
        assert two_factor(world, other)["app"] is None

    def test_the_first_method_brings_ten_backup_codes(self, world: World) -> None:
        someone = account(world)
        trust(someone, 2)
        secret = start_app(world, someone)
        answer = self.confirm(world, someone, totp(secret))
        assert answer.status == 200
        assert set(answer.json) == {"backupCodes"}
        codes = answer.json["backupCodes"]
        assert len(set(codes)) == len(codes) == 10
        assert all(BACKUP_CODE.fullmatch(code) for code in codes)
        found = two_factor(world, someone)
        assert is_since_now(found.pop("app"))
        assert found == {"email": None, "trustedBrowsers": 0}
        assert seed_of(someone) == secret
        assert backup_codes_left(PersonScope(someone.id)) == 10
        assert partition(world, someone) == {"authenticator", "backup_codes"}

    def test_a_second_method_brings_none(self, world: World) -> None:
        someone = account(world)
        email_on(world, someone)
        trust(someone)
        answer = self.confirm(world, someone, totp(start_app(world, someone)))
        assert (answer.status, answer.json) == (200, {"backupCodes": []})
        found = two_factor(world, someone)
        assert is_since_now(found["app"])
        assert is_since_now(found["email"])
        assert found["trustedBrowsers"] == 0
        assert backup_codes_left(PersonScope(someone.id)) == 10

    @pytest.mark.parametrize(("steps", "status"), [(-2, 422), (-1, 200), (1, 200), (2, 422)])
    def test_one_step_either_way(self, world: World, steps: int, status: int) -> None:
        someone = account(world)
        secret = start_app(world, someone)
        # From the middle of a step no call that follows reaches the next one.
        world.advance(seconds=(45 - clock.now().timestamp()) % 30)
        assert self.confirm(world, someone, totp(secret, steps)).status == status

    def test_grouped_as_apps_show_it(self, world: World) -> None:
        someone = account(world)
        code = totp(start_app(world, someone))
        assert self.confirm(world, someone, f" {code[:3]} {code[3:]} ").status == 200

    def test_the_step_of_the_proof_is_used(self, world: World) -> None:
        someone = account(world)
        app_on(world, someone)
        row = find(AuthenticatorItem, authenticator_key(PersonScope(someone.id)))
        assert row is not None
        assert int(clock.now().timestamp()) // 30 - int(row.last_step) in {0, 1}

    def test_five_wrong_codes_end_it(self, world: World) -> None:
        someone = account(world)
        secret = start_app(world, someone)
        for _ in range(5):
            answer = self.confirm(world, someone, wrong_totp(secret))
            assert answer.problem() == (422, "code_invalid")
        answer = self.confirm(world, someone, totp(secret))
        assert answer.problem() == (410, "challenge_closed")
        assert two_factor(world, someone)["app"] is None
        assert self.confirm(world, someone, totp(start_app(world, someone))).status == 200

    def test_half_an_hour(self, world: World) -> None:
        someone = account(world)
        secret = start_app(world, someone)
        world.advance(minutes=30)
        answer = self.confirm(world, someone, totp(secret))
        assert answer.problem() == (410, "challenge_closed")

    def test_on_already(self, world: World) -> None:
        someone = account(world)
        app_on(world, someone)
        answer = self.confirm(world, someone, totp(seed_of(someone)))
        assert answer.problem() == (409, "method_on")

    def test_replay(self, world: World) -> None:
        someone = account(world)
        body: dict[str, object] = {"code": totp(start_app(world, someone))}
        keeps_its_secret(world, someone, self.path, body, "backupCodes")


class TestDisableApp:
    """POST /me/two-factor/app/disable."""

    path = "/me/two-factor/app/disable"

    def disable(self, world: World, someone: Someone, key: str | None = None) -> Answer:
        """The answer with the right password."""
        body = {"password": PASSWORD}
        return world.call("POST", self.path, token=someone.token, json_body=body, key=key)

    def test_strangers(self, world: World) -> None:
        refuses_strangers(world, "POST", self.path)

    def test_bad_input(self, world: World) -> None:
        answer = world.call("POST", self.path, token=account(world).token, json_body={})
        assert answer.error_paths() == ["/password"]

    def test_wrong_password(self, world: World) -> None:
        refuses_wrong_password(world, self.path, {})

    def test_off_already(self, world: World) -> None:
        someone = account(world)
        email_on(world, someone)
        assert self.disable(world, someone).problem() == (409, "method_off")
        assert two_factor(world, someone)["email"] is not None

    def test_the_last_method(self, world: World) -> None:
        someone = account(world)
        app_on(world, someone)
        trust(someone)
        answer = self.disable(world, someone)
        assert (answer.status, answer.body) == (204, b"")
        assert two_factor(world, someone) == {"app": None, "email": None, "trustedBrowsers": 0}
        assert partition(world, someone) == set()

    def test_with_emailed_codes_left(self, world: World) -> None:
        someone = account(world)
        app_on(world, someone)
        email_on(world, someone)
        trust(someone)
        demanded(world, someone)
        assert self.disable(world, someone).status == 204
        found = two_factor(world, someone)
        assert (found["app"], found["trustedBrowsers"]) == (None, 0)
        assert is_since_now(found["email"])
        assert "authenticator" not in partition(world, someone)
        assert backup_codes_left(PersonScope(someone.id)) == 10

    def test_demanded_by_a_workspace(self, world: World) -> None:
        someone = account(world)
        app_on(world, someone)
        trust(someone)
        demanded(world, someone)
        assert self.disable(world, someone).problem() == (409, "two_factor_last_method")
        found = two_factor(world, someone)
        assert is_since_now(found["app"])
        assert found["trustedBrowsers"] == 1
        assert backup_codes_left(PersonScope(someone.id)) == 10

    def test_replay(self, world: World) -> None:
        someone = account(world)
        app_on(world, someone)
        answers = [self.disable(world, someone, key="k") for _ in range(2)]
        assert [answer.status for answer in answers] == [204, 204]
        assert answers[1].header("idempotency-replayed") == "true"


class TestStartEmail:
    """POST /me/two-factor/email."""

    path = "/me/two-factor/email"

    def test_strangers(self, world: World) -> None:
        refuses_strangers(world, "POST", self.path)

    def test_emails_a_code(self, world: World) -> None:
        someone = account(world)
        answer = world.call("POST", self.path, token=someone.token)
        assert (answer.status, answer.body) == (204, b"")
        [email] = world.emails()
        assert email.to == someone.email
        assert someone.name in email.text
        assert re.search(r"\b\d{6}\b", email.text)
        assert two_factor(world, someone) == {"app": None, "email": None, "trustedBrowsers": 0}

    def test_on_already(self, world: World) -> None:
        someone = account(world)
        email_on(world, someone)
        answer = world.call("POST", self.path, token=someone.token)
        assert answer.problem() == (409, "method_on")
        assert len(world.emails()) == 1

    def test_five_codes_in_an_hour(self, world: World) -> None:
        someone = account(world)
        for _ in range(5):
            start_email(world, someone)
        answer = world.call("POST", self.path, token=someone.token)
        assert answer.problem() == (429, "code_send_limit")
        wait = int(answer.header("retry-after") or 0)
        assert 0 < wait <= 3600
        assert len(world.emails()) == 5
        world.advance(seconds=wait)
        assert world.call("POST", self.path, token=someone.token).status == 204

    def test_replay(self, world: World) -> None:
        someone = account(world)
        for _ in range(2):
            answer = world.call("POST", self.path, token=someone.token, key="k")
            assert answer.status == 204
        assert answer.header("idempotency-replayed") == "true"
        assert len(world.emails()) == 1


class TestConfirmEmail:
    """POST /me/two-factor/email/confirm."""

    path = "/me/two-factor/email/confirm"

    def confirm(self, world: World, someone: Someone, code: str) -> Answer:
        """The answer to a code."""
        return world.call("POST", self.path, token=someone.token, json_body={"code": code})

    def test_strangers(self, world: World) -> None:
        refuses_strangers(world, "POST", self.path)

    def test_bad_input(self, world: World) -> None:
        answer = world.call("POST", self.path, token=account(world).token, json_body={"c": "1"})
        assert answer.error_paths() == ["/code", "/c"]

    def test_nothing_begun(self, world: World) -> None:
        answer = self.confirm(world, account(world), "123456")
        assert answer.problem() == (410, "challenge_closed")

    def test_another_persons_code(self, world: World) -> None:
        someone, other = account(world), account(world)
        code = start_email(world, someone)
        assert self.confirm(world, other, code).problem() == (410, "challenge_closed")

    def test_the_first_method_brings_ten_backup_codes(self, world: World) -> None:
        someone = account(world)
        trust(someone)
        answer = self.confirm(world, someone, start_email(world, someone))
        assert answer.status == 200
        assert set(answer.json) == {"backupCodes"}
        codes = answer.json["backupCodes"]
        assert len(set(codes)) == len(codes) == 10
        assert all(BACKUP_CODE.fullmatch(code) for code in codes)
        found = two_factor(world, someone)
        assert is_since_now(found.pop("email"))
        assert found == {"app": None, "trustedBrowsers": 0}
        assert partition(world, someone) == {"backup_codes"}

    def test_a_second_method_brings_none(self, world: World) -> None:
        someone = account(world)
        app_on(world, someone)
        trust(someone)
        answer = self.confirm(world, someone, start_email(world, someone))
        assert (answer.status, answer.json) == (200, {"backupCodes": []})
        assert two_factor(world, someone)["trustedBrowsers"] == 0
        assert backup_codes_left(PersonScope(someone.id)) == 10

    def test_ten_minutes(self, world: World) -> None:
        someone = account(world)
        code = start_email(world, someone)
        world.advance(minutes=10)
        assert self.confirm(world, someone, code).problem() == (410, "challenge_closed")

    def test_five_wrong_codes_end_it(self, world: World) -> None:
        someone = account(world)
        code = start_email(world, someone)
        for _ in range(5):
            answer = self.confirm(world, someone, wrong(code))
            assert answer.problem() == (422, "code_invalid")
        assert self.confirm(world, someone, code).problem() == (410, "challenge_closed")
        assert two_factor(world, someone)["email"] is None

    def test_on_already(self, world: World) -> None:
        someone = account(world)
        email_on(world, someone)
        assert self.confirm(world, someone, "123456").problem() == (409, "method_on")

    def test_replay(self, world: World) -> None:
        someone = account(world)
        body: dict[str, object] = {"code": start_email(world, someone)}
        keeps_its_secret(world, someone, self.path, body, "backupCodes")


class TestDisableEmail:
    """POST /me/two-factor/email/disable."""

    path = "/me/two-factor/email/disable"

    def test_strangers(self, world: World) -> None:
        refuses_strangers(world, "POST", self.path)

    def test_off_already(self, world: World) -> None:
        someone = account(world)
        app_on(world, someone)
        answer = world.call("POST", self.path, token=someone.token)
        assert answer.problem() == (409, "method_off")
        assert two_factor(world, someone)["app"] is not None

    def test_with_the_app_left(self, world: World) -> None:
        someone = account(world)
        app_on(world, someone)
        email_on(world, someone)
        trust(someone)
        demanded(world, someone)
        answer = world.call("POST", self.path, token=someone.token)
        assert (answer.status, answer.body) == (204, b"")
        found = two_factor(world, someone)
        assert is_since_now(found.pop("app"))
        assert found == {"email": None, "trustedBrowsers": 0}
        assert backup_codes_left(PersonScope(someone.id)) == 10
        assert "authenticator" in partition(world, someone)

    def test_the_last_method(self, world: World) -> None:
        someone = account(world)
        email_on(world, someone)
        trust(someone)
        answer = world.call("POST", self.path, token=someone.token)
        assert answer.status == 204
        assert two_factor(world, someone) == {"app": None, "email": None, "trustedBrowsers": 0}
        assert partition(world, someone) == set()

    def test_demanded_by_a_workspace(self, world: World) -> None:
        someone = account(world)
        email_on(world, someone)
        trust(someone)
        demanded(world, someone)
        answer = world.call("POST", self.path, token=someone.token)
        assert answer.problem() == (409, "two_factor_last_method")
        found = two_factor(world, someone)
        assert is_since_now(found["email"])
        assert found["trustedBrowsers"] == 1
        assert backup_codes_left(PersonScope(someone.id)) == 10

    def test_replay(self, world: World) -> None:
        someone = account(world)
        email_on(world, someone)
        for _ in range(2):
            answer = world.call("POST", self.path, token=someone.token, key="k")
            assert answer.status == 204
        assert answer.header("idempotency-replayed") == "true"


class TestNewBackupCodes:
    """POST /me/two-factor/backup-codes."""

    path = "/me/two-factor/backup-codes"

    def test_strangers(self, world: World) -> None:
        refuses_strangers(world, "POST", self.path)

    def test_bad_input(self, world: World) -> None:
        answer = world.call("POST", self.path, token=account(world).token, json_body={})
        assert answer.error_paths() == ["/password"]

    def test_wrong_password(self, world: World) -> None:
        refuses_wrong_password(world, self.path, {})

    def test_two_factor_off(self, world: World) -> None:
        someone = account(world)
        body = {"password": PASSWORD}
        answer = world.call("POST", self.path, token=someone.token, json_body=body)
        assert answer.problem() == (409, "two_factor_off")
        assert backup_codes_left(PersonScope(someone.id)) == 0

    @pytest.mark.parametrize("turn_on", [app_on, email_on])
    def test_ten_new_ones_and_no_trusted_browser(
        self, world: World, turn_on: Callable[[World, Someone], list[str]]
    ) -> None:
        someone = account(world)
        old = turn_on(world, someone)
        trust(someone, 3)
        body = {"password": PASSWORD}
        answer = world.call("POST", self.path, token=someone.token, json_body=body)
        assert answer.status == 200
        codes = answer.json["backupCodes"]
        assert set(answer.json) == {"backupCodes"}
        assert len(set(codes)) == len(codes) == 10
        assert all(BACKUP_CODE.fullmatch(code) for code in codes)
        assert set(codes).isdisjoint(old)
        assert backup_codes_left(PersonScope(someone.id)) == 10
        assert two_factor(world, someone)["trustedBrowsers"] == 0
        assert "backup_codes" in partition(world, someone)
        assert not [key for key in partition(world, someone) if key.startswith("trusted_browser")]

    def test_replay(self, world: World) -> None:
        someone = account(world)
        app_on(world, someone)
        keeps_its_secret(world, someone, self.path, {"password": PASSWORD}, "backupCodes")


class TestForgetTrustedBrowsers:
    """POST /me/two-factor/trusted-browsers/forget."""

    path = "/me/two-factor/trusted-browsers/forget"

    def test_strangers(self, world: World) -> None:
        refuses_strangers(world, "POST", self.path)

    def test_all_of_the_persons_and_nobody_elses(self, world: World) -> None:
        someone, other = account(world), account(world)
        codes = app_on(world, someone)
        trust(someone, 3)
        trust(other, 2)
        answer = world.call("POST", self.path, token=someone.token)
        assert (answer.status, answer.body) == (204, b"")
        assert two_factor(world, someone)["trustedBrowsers"] == 0
        assert partition(world, someone) == {"authenticator", "backup_codes"}
        assert backup_codes_left(PersonScope(someone.id)) == len(codes)
        assert two_factor(world, other)["trustedBrowsers"] == 2

    def test_without_any(self, world: World) -> None:
        assert world.call("POST", self.path, token=world.person().token).status == 204

    def test_browsers_trusted_later_count(self, world: World) -> None:
        someone = account(world)
        world.call("POST", self.path, token=someone.token)
        trust(someone)
        assert two_factor(world, someone)["trustedBrowsers"] == 1
        world.advance(days=29)
        assert two_factor(world, someone)["trustedBrowsers"] == 1
        world.advance(days=1)
        other, _ = world.sign_in(someone.id)
        answer = world.call("GET", "/me", token=other)
        assert answer.json["user"]["twoFactor"]["trustedBrowsers"] == 0

    def test_replay(self, world: World) -> None:
        someone = account(world)
        trust(someone)
        first = world.call("POST", self.path, token=someone.token, key="k")
        trust(someone)
        second = world.call("POST", self.path, token=someone.token, key="k")
        assert (first.status, second.status) == (204, 204)
        assert second.header("idempotency-replayed") == "true"
        assert two_factor(world, someone)["trustedBrowsers"] == 1


class TestTrustedBrowsers:
    """They end with each of these changes in the very write that makes it."""

    @pytest.mark.parametrize(
        ("method", "change"),
        [
            (None, app_on),
            (None, email_on),
            (app_on, app_off),
            (email_on, email_off),
            (app_on, renewed),
            (app_on, password_changed),
            (app_on, forgotten),
        ],
    )
    def test_though_their_rows_are_not_removed(
        self,
        world: World,
        monkeypatch: pytest.MonkeyPatch,
        method: Callable[[World, Someone], object] | None,
        change: Callable[[World, Someone], object],
    ) -> None:
        someone = account(world)
        if method:
            method(world, someone)
        trust(someone, 2)
        assert two_factor(world, someone)["trustedBrowsers"] == 2
        monkeypatch.setattr(trusted_browsers, "sweep", None)  # as if it was killed there
        change(world, someone)
        assert two_factor(world, someone)["trustedBrowsers"] == 0
        left = [key for key in partition(world, someone) if key.startswith("trusted_browser#")]
        assert len(left) == 2
