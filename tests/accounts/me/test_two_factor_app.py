"""Two-factor settings: the authenticator app."""

import re
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from storepost.accounts.identity.credentials import AuthenticatorItem, authenticator_key
from storepost.accounts.identity.two_factor import backup_codes_left, unseal_seed
from storepost.accounts.me.repository import PendingAuthenticatorItem, pending_authenticator_key
from storepost.platform.persistence.item import find
from storepost.values import clock
from storepost.values.scope import PersonScope
from tests.accounts.me.accounts import (
    PASSWORD,
    account,
    app_on,
    email_on,
    keeps_its_secret,
    partition,
    refuses_wrong_password,
    start_app,
    totp,
    trust,
    two_factor,
    wrong_totp,
)
from tests.accounts.me.two_factor import BACKUP_CODE, demanded, is_since_now, seed_of
from tests.harness.world import Answer, Someone, World


class TestStartApp:
    """POST /me/two-factor/app."""

    path = "/me/two-factor/app"

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, ["/password"]),
            ({"password": 1}, ["/password"]),
            ({"password": "a", "b": 1}, ["/b"]),
        ],
    )
    def test_bad_input(self, world: World, body: object, paths: list[str]) -> None:
        assert account(world).call("POST", self.path, body).error_paths() == paths

    def test_wrong_password(self, world: World) -> None:
        refuses_wrong_password(world, self.path, {})

    def test_returns_secret_without_enabling_the_app(self, world: World) -> None:
        someone = account(world)
        trust(someone)
        answer = someone.call("POST", self.path, {"password": PASSWORD})
        assert answer.status == 200
        assert set(answer.json) == {"secret", "otpauthUri"}
        secret, uri = answer.json["secret"], urlsplit(answer.json["otpauthUri"])
        assert re.fullmatch(r"[A-Z2-7]{32}", secret)  # 160 bits (RFC 4226, section 4, R6)
        assert (uri.scheme, uri.netloc) == ("otpauth", "totp")
        assert unquote(uri.path) == f"/Storepost:{someone.email}"
        assert parse_qs(uri.query) == {"secret": [secret], "issuer": ["Storepost"]}
        assert two_factor(someone) == {"app": None, "email": None, "trustedBrowsers": 1}
        key = pending_authenticator_key(PersonScope(someone.id))
        row = find(PendingAuthenticatorItem, key)
        assert row is not None
        assert secret not in str(row.to_simple_dict())
        assert unseal_seed(row.seed, key) == secret

    def test_second_start_invalidates_the_first_secret(self, world: World) -> None:
        someone = account(world)
        first, second = start_app(someone), start_app(someone)
        assert first != second
        for secret, status in ((first, 422), (second, 200)):
            body = {"code": totp(secret)}
            assert someone.call("POST", f"{self.path}/confirm", body).status == status

    def test_already_enabled(self, world: World) -> None:
        someone = account(world)
        app_on(world, someone)
        before = seed_of(someone)
        answer = someone.call("POST", self.path, {"password": PASSWORD})
        assert answer.problem() == (409, "method_on")
        assert seed_of(someone) == before

    def test_replay(self, world: World) -> None:
        someone = account(world)
        body: dict[str, object] = {"password": PASSWORD}
        first = keeps_its_secret(world, someone, self.path, body, "secret")
        answer = someone.call("POST", f"{self.path}/confirm", {"code": totp(first.json["secret"])})
        assert answer.status == 200


class TestConfirmApp:
    """POST /me/two-factor/app/confirm."""

    path = "/me/two-factor/app/confirm"

    def confirm(self, someone: Someone, code: str) -> Answer:
        """The answer to a code."""
        return someone.call("POST", self.path, {"code": code})

    @pytest.mark.parametrize(
        ("body", "paths"),
        [({}, ["/code"]), ({"code": ""}, ["/code"]), ({"code": "1" * 33}, ["/code"])],
    )
    def test_bad_input(self, world: World, body: object, paths: list[str]) -> None:
        assert account(world).call("POST", self.path, body).error_paths() == paths

    def test_without_started_setup(self, world: World) -> None:
        assert self.confirm(account(world), "123456").problem() == (410, "challenge_closed")

    def test_code_of_another_persons_secret_is_refused(self, world: World) -> None:
        someone, other = account(world), account(world)
        start_app(other)
        code = totp(start_app(someone))
        assert self.confirm(other, code).problem() == (422, "code_invalid")
        assert two_factor(other)["app"] is None

    def test_first_method_returns_ten_backup_codes(self, world: World) -> None:
        someone = account(world)
        trust(someone, 2)
        secret = start_app(someone)
        answer = self.confirm(someone, totp(secret))
        assert answer.status == 200
        assert set(answer.json) == {"backupCodes"}
        codes = answer.json["backupCodes"]
        assert len(set(codes)) == len(codes) == 10
        assert all(BACKUP_CODE.fullmatch(code) for code in codes)
        found = two_factor(someone)
        assert is_since_now(found.pop("app"))
        assert found == {"email": None, "trustedBrowsers": 0}
        assert seed_of(someone) == secret
        assert backup_codes_left(PersonScope(someone.id)) == 10
        assert partition(world, someone) == {"authenticator", "backup_codes"}

    def test_second_method_returns_no_backup_codes(self, world: World) -> None:
        someone = account(world)
        email_on(world, someone)
        trust(someone)
        answer = self.confirm(someone, totp(start_app(someone)))
        assert (answer.status, answer.json) == (200, {"backupCodes": []})
        found = two_factor(someone)
        assert is_since_now(found["app"])
        assert is_since_now(found["email"])
        assert found["trustedBrowsers"] == 0
        assert backup_codes_left(PersonScope(someone.id)) == 10

    @pytest.mark.parametrize(("steps", "status"), [(-2, 422), (-1, 200), (1, 200), (2, 422)])
    def test_adjacent_time_steps_are_accepted(self, world: World, steps: int, status: int) -> None:
        someone = account(world)
        secret = start_app(someone)
        # From the middle of a step no call that follows reaches the next one.
        world.advance(seconds=(45 - clock.now().timestamp()) % 30)
        assert self.confirm(someone, totp(secret, steps)).status == status

    def test_grouped_digits_are_accepted(self, world: World) -> None:
        someone = account(world)
        code = totp(start_app(someone))
        assert self.confirm(someone, f" {code[:3]} {code[3:]} ").status == 200

    def test_time_step_of_the_confirmation_is_used_up(self, world: World) -> None:
        someone = account(world)
        app_on(world, someone)
        row = find(AuthenticatorItem, authenticator_key(PersonScope(someone.id)))
        assert row is not None
        assert int(clock.now().timestamp()) // 30 - int(row.last_step) in {0, 1}

    def test_five_wrong_codes_end_the_setup(self, world: World) -> None:
        someone = account(world)
        secret = start_app(someone)
        for _ in range(5):
            answer = self.confirm(someone, wrong_totp(secret))
            assert answer.problem() == (422, "code_invalid")
        answer = self.confirm(someone, totp(secret))
        assert answer.problem() == (410, "challenge_closed")
        assert two_factor(someone)["app"] is None
        assert self.confirm(someone, totp(start_app(someone))).status == 200

    def test_setup_expires_after_half_an_hour(self, world: World) -> None:
        someone = account(world)
        secret = start_app(someone)
        world.advance(minutes=30)
        assert self.confirm(someone, totp(secret)).problem() == (410, "challenge_closed")

    def test_already_enabled(self, world: World) -> None:
        someone = account(world)
        app_on(world, someone)
        assert self.confirm(someone, totp(seed_of(someone))).problem() == (409, "method_on")

    def test_replay(self, world: World) -> None:
        someone = account(world)
        body: dict[str, object] = {"code": totp(start_app(someone))}
        keeps_its_secret(world, someone, self.path, body, "backupCodes")


class TestDisableApp:
    """POST /me/two-factor/app/disable."""

    path = "/me/two-factor/app/disable"

    def disable(self, someone: Someone, key: str | None = None) -> Answer:
        """The answer with the right password."""
        return someone.call("POST", self.path, {"password": PASSWORD}, key=key)

    def test_bad_input(self, world: World) -> None:
        assert account(world).call("POST", self.path, {}).error_paths() == ["/password"]

    def test_wrong_password(self, world: World) -> None:
        refuses_wrong_password(world, self.path, {})

    def test_already_disabled(self, world: World) -> None:
        someone = account(world)
        email_on(world, someone)
        assert self.disable(someone).problem() == (409, "method_off")
        assert two_factor(someone)["email"] is not None

    def test_last_method(self, world: World) -> None:
        someone = account(world)
        app_on(world, someone)
        trust(someone)
        answer = self.disable(someone)
        assert (answer.status, answer.body) == (204, b"")
        assert two_factor(someone) == {"app": None, "email": None, "trustedBrowsers": 0}
        assert partition(world, someone) == set()

    def test_emailed_codes_stay_enabled(self, world: World) -> None:
        someone = account(world)
        app_on(world, someone)
        email_on(world, someone)
        trust(someone)
        demanded(world, someone)
        assert self.disable(someone).status == 204
        found = two_factor(someone)
        assert (found["app"], found["trustedBrowsers"]) == (None, 0)
        assert is_since_now(found["email"])
        assert "authenticator" not in partition(world, someone)
        assert backup_codes_left(PersonScope(someone.id)) == 10

    def test_last_method_required_by_a_workspace(self, world: World) -> None:
        someone = account(world)
        app_on(world, someone)
        trust(someone)
        demanded(world, someone)
        assert self.disable(someone).problem() == (409, "two_factor_last_method")
        found = two_factor(someone)
        assert is_since_now(found["app"])
        assert found["trustedBrowsers"] == 1
        assert backup_codes_left(PersonScope(someone.id)) == 10
