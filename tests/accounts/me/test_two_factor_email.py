"""Two-factor settings: codes by email."""

import re

from storepost.accounts.identity.two_factor import backup_codes_left
from storepost.values.scope import PersonScope
from tests.accounts.me.accounts import (
    account,
    app_on,
    email_on,
    keeps_its_secret,
    partition,
    start_email,
    trust,
    two_factor,
    wrong,
)
from tests.accounts.me.two_factor import BACKUP_CODE, demanded, is_since_now
from tests.harness.world import Answer, Someone, World


class TestStartEmail:
    """POST /me/two-factor/email."""

    path = "/me/two-factor/email"

    def test_emails_a_code(self, world: World) -> None:
        someone = account(world)
        answer = someone.call("POST", self.path)
        assert (answer.status, answer.body) == (204, b"")
        [email] = world.emails()
        assert email.to == someone.email
        assert someone.name in email.text
        assert re.search(r"\b\d{6}\b", email.text)
        assert two_factor(someone) == {"app": None, "email": None, "trustedBrowsers": 0}

    def test_already_enabled(self, world: World) -> None:
        someone = account(world)
        email_on(world, someone)
        assert someone.call("POST", self.path).problem() == (409, "method_on")
        assert len(world.emails()) == 1

    def test_limit_of_five_codes_per_hour(self, world: World) -> None:
        someone = account(world)
        for _ in range(5):
            start_email(world, someone)
        answer = someone.call("POST", self.path)
        assert answer.problem() == (429, "code_send_limit")
        wait = int(answer.header("retry-after") or 0)
        assert 0 < wait <= 3600
        assert len(world.emails()) == 5
        world.advance(seconds=wait)
        assert someone.call("POST", self.path).status == 204


class TestConfirmEmail:
    """POST /me/two-factor/email/confirm."""

    path = "/me/two-factor/email/confirm"

    def confirm(self, someone: Someone, code: str) -> Answer:
        """The answer to a code."""
        return someone.call("POST", self.path, {"code": code})

    def test_bad_input(self, world: World) -> None:
        assert account(world).call("POST", self.path, {"c": "1"}).error_paths() == ["/code", "/c"]

    def test_without_started_setup(self, world: World) -> None:
        assert self.confirm(account(world), "123456").problem() == (410, "challenge_closed")

    def test_code_of_another_person_is_refused(self, world: World) -> None:
        someone, other = account(world), account(world)
        code = start_email(world, someone)
        assert self.confirm(other, code).problem() == (410, "challenge_closed")

    def test_first_method_returns_ten_backup_codes(self, world: World) -> None:
        someone = account(world)
        trust(someone)
        answer = self.confirm(someone, start_email(world, someone))
        assert answer.status == 200
        assert set(answer.json) == {"backupCodes"}
        codes = answer.json["backupCodes"]
        assert len(set(codes)) == len(codes) == 10
        assert all(BACKUP_CODE.fullmatch(code) for code in codes)
        found = two_factor(someone)
        assert is_since_now(found.pop("email"))
        assert found == {"app": None, "trustedBrowsers": 0}
        assert partition(world, someone) == {"backup_codes"}

    def test_second_method_returns_no_backup_codes(self, world: World) -> None:
        someone = account(world)
        app_on(world, someone)
        trust(someone)
        answer = self.confirm(someone, start_email(world, someone))
        assert (answer.status, answer.json) == (200, {"backupCodes": []})
        assert two_factor(someone)["trustedBrowsers"] == 0
        assert backup_codes_left(PersonScope(someone.id)) == 10

    def test_code_expires_after_ten_minutes(self, world: World) -> None:
        someone = account(world)
        code = start_email(world, someone)
        world.advance(minutes=10)
        assert self.confirm(someone, code).problem() == (410, "challenge_closed")

    def test_five_wrong_codes_end_the_setup(self, world: World) -> None:
        someone = account(world)
        code = start_email(world, someone)
        for _ in range(5):
            assert self.confirm(someone, wrong(code)).problem() == (422, "code_invalid")
        assert self.confirm(someone, code).problem() == (410, "challenge_closed")
        assert two_factor(someone)["email"] is None

    def test_already_enabled(self, world: World) -> None:
        someone = account(world)
        email_on(world, someone)
        assert self.confirm(someone, "123456").problem() == (409, "method_on")

    def test_replay(self, world: World) -> None:
        someone = account(world)
        body: dict[str, object] = {"code": start_email(world, someone)}
        keeps_its_secret(world, someone, self.path, body, "backupCodes")


class TestDisableEmail:
    """POST /me/two-factor/email/disable."""

    path = "/me/two-factor/email/disable"

    def test_already_disabled(self, world: World) -> None:
        someone = account(world)
        app_on(world, someone)
        assert someone.call("POST", self.path).problem() == (409, "method_off")
        assert two_factor(someone)["app"] is not None

    def test_app_stays_enabled(self, world: World) -> None:
        someone = account(world)
        app_on(world, someone)
        email_on(world, someone)
        trust(someone)
        demanded(world, someone)
        answer = someone.call("POST", self.path)
        assert (answer.status, answer.body) == (204, b"")
        found = two_factor(someone)
        assert is_since_now(found.pop("app"))
        assert found == {"email": None, "trustedBrowsers": 0}
        assert backup_codes_left(PersonScope(someone.id)) == 10
        assert "authenticator" in partition(world, someone)

    def test_last_method(self, world: World) -> None:
        someone = account(world)
        email_on(world, someone)
        trust(someone)
        assert someone.call("POST", self.path).status == 204
        assert two_factor(someone) == {"app": None, "email": None, "trustedBrowsers": 0}
        assert partition(world, someone) == set()

    def test_last_method_required_by_a_workspace(self, world: World) -> None:
        someone = account(world)
        email_on(world, someone)
        trust(someone)
        demanded(world, someone)
        assert someone.call("POST", self.path).problem() == (409, "two_factor_last_method")
        found = two_factor(someone)
        assert is_since_now(found["email"])
        assert found["trustedBrowsers"] == 1
        assert backup_codes_left(PersonScope(someone.id)) == 10
