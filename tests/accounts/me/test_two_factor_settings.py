"""Two-factor settings: backup codes and trusted browsers."""

from collections.abc import Callable

import pytest

from storepost.accounts.identity import trusted_browsers
from storepost.accounts.identity.two_factor import backup_codes_left
from storepost.values.scope import PersonScope
from tests.accounts.me.accounts import (
    PASSWORD,
    account,
    app_on,
    email_on,
    keeps_its_secret,
    partition,
    refuses_wrong_password,
    trust,
    two_factor,
)
from tests.accounts.me.two_factor import (
    BACKUP_CODE,
    app_off,
    email_off,
    forgotten,
    password_changed,
    renewed,
)
from tests.harness.world import Someone, World


class TestNewBackupCodes:
    """POST /me/two-factor/backup-codes."""

    path = "/me/two-factor/backup-codes"

    def test_bad_input(self, world: World) -> None:
        assert account(world).call("POST", self.path, {}).error_paths() == ["/password"]

    def test_wrong_password(self, world: World) -> None:
        refuses_wrong_password(world, self.path, {})

    def test_two_factor_off(self, world: World) -> None:
        someone = account(world)
        answer = someone.call("POST", self.path, {"password": PASSWORD})
        assert answer.problem() == (409, "two_factor_off")
        assert backup_codes_left(PersonScope(someone.id)) == 0

    @pytest.mark.parametrize("turn_on", [app_on, email_on])
    def test_replaces_backup_codes_and_ends_trusted_browsers(
        self, world: World, turn_on: Callable[[World, Someone], list[str]]
    ) -> None:
        someone = account(world)
        old = turn_on(world, someone)
        trust(someone, 3)
        answer = someone.call("POST", self.path, {"password": PASSWORD})
        assert answer.status == 200
        codes = answer.json["backupCodes"]
        assert set(answer.json) == {"backupCodes"}
        assert len(set(codes)) == len(codes) == 10
        assert all(BACKUP_CODE.fullmatch(code) for code in codes)
        assert set(codes).isdisjoint(old)
        assert backup_codes_left(PersonScope(someone.id)) == 10
        assert two_factor(someone)["trustedBrowsers"] == 0
        assert "backup_codes" in partition(world, someone)
        assert not [key for key in partition(world, someone) if key.startswith("trusted_browser")]

    def test_replay(self, world: World) -> None:
        someone = account(world)
        app_on(world, someone)
        keeps_its_secret(world, someone, self.path, {"password": PASSWORD}, "backupCodes")


class TestForgetTrustedBrowsers:
    """POST /me/two-factor/trusted-browsers/forget."""

    path = "/me/two-factor/trusted-browsers/forget"

    def test_forgets_only_the_persons_own_browsers(self, world: World) -> None:
        someone, other = account(world), account(world)
        codes = app_on(world, someone)
        trust(someone, 3)
        trust(other, 2)
        answer = someone.call("POST", self.path)
        assert (answer.status, answer.body) == (204, b"")
        assert two_factor(someone)["trustedBrowsers"] == 0
        assert partition(world, someone) == {"authenticator", "backup_codes"}
        assert backup_codes_left(PersonScope(someone.id)) == len(codes)
        assert two_factor(other)["trustedBrowsers"] == 2

    def test_without_trusted_browsers(self, world: World) -> None:
        assert world.person().call("POST", self.path).status == 204

    def test_browsers_trusted_later_are_counted(self, world: World) -> None:
        someone = account(world)
        someone.call("POST", self.path)
        trust(someone)
        assert two_factor(someone)["trustedBrowsers"] == 1
        world.advance(days=29)
        assert two_factor(someone)["trustedBrowsers"] == 1
        world.advance(days=1)
        other, _ = world.sign_in(someone.id)
        answer = world.call("GET", "/me", token=other)
        assert answer.json["user"]["twoFactor"]["trustedBrowsers"] == 0


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
    def test_trust_ends_even_if_rows_remain(
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
        assert two_factor(someone)["trustedBrowsers"] == 2
        monkeypatch.setattr(trusted_browsers, "sweep", None)  # as if it was killed there
        change(world, someone)
        assert two_factor(someone)["trustedBrowsers"] == 0
        remaining = [key for key in partition(world, someone) if key.startswith("trusted_browser#")]
        assert len(remaining) == 2
