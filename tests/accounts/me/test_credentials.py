"""Password and address, an operation a class."""

from typing import ClassVar

import pytest

from storepost.accounts.identity.credentials import EmailedCodeItem
from storepost.accounts.identity.passwords import verify_password
from storepost.accounts.identity.repository import find_account
from storepost.platform.persistence.sealing import clear_key_cache
from storepost.values import clock
from tests.accounts.me.accounts import (
    NEW_PASSWORD,
    PASSWORD,
    Json,
    account,
    code_in,
    partition,
    refuses_wrong_password,
    trust,
    two_factor,
    wrong,
)
from tests.harness.accounts import person_of, row_of
from tests.harness.call_interruption import counted
from tests.harness.world import CANARY, Answer, Someone, World

NEW_ADDRESS = f"new.{CANARY}@example.com"


class TestChangePassword:
    """POST /me/password."""

    path = "/me/password"
    body: ClassVar[Json] = {"current": PASSWORD, "password": NEW_PASSWORD}

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, ["/current", "/password"]),
            ({"current": PASSWORD, "password": "x" * 11}, ["/password"]),
            ({"current": PASSWORD, "password": "x" * 201}, ["/password"]),
            ({"current": "", "password": NEW_PASSWORD}, ["/current"]),
            ({"current": PASSWORD, "password": NEW_PASSWORD, "name": "Ann"}, ["/name"]),
        ],
    )
    def test_bad_input(self, world: World, body: object, paths: list[str]) -> None:
        someone = account(world)
        assert someone.call("POST", self.path, body).error_paths() == paths
        assert verify_password(row_of(someone).password_hash, PASSWORD)

    def test_wrong_password(self, world: World) -> None:
        refuses_wrong_password(world, self.path, dict(self.body), "current")

    def test_right_passwords_do_not_count_towards_the_limit(self, world: World) -> None:
        someone = account(world)
        for _ in range(6):
            for current, password in ((PASSWORD, NEW_PASSWORD), (NEW_PASSWORD, PASSWORD)):
                answer = someone.call("POST", self.path, {"current": current, "password": password})
                assert answer.status == 204

    def test_every_other_session_and_trusted_browser_ends(self, world: World) -> None:
        someone, other = account(world), account(world)
        elsewhere, _ = world.sign_in(someone.id)
        trust(someone, 2)
        trust(other)
        answer = someone.call("POST", self.path, self.body)
        assert (answer.status, answer.body) == (204, b"")
        assert verify_password(row_of(someone).password_hash, NEW_PASSWORD)
        assert world.call("GET", "/me", token=elsewhere).problem() == (401, "unauthenticated")
        assert two_factor(someone)["trustedBrowsers"] == 0
        assert partition(world, someone) == set()
        sessions = someone.call("GET", "/sessions").json
        assert [row["id"] for row in sessions["items"]] == [str(someone.session_id)]
        assert two_factor(other)["trustedBrowsers"] == 1
        assert verify_password(row_of(other).password_hash, PASSWORD)

    def test_person_is_emailed(self, world: World) -> None:
        someone = account(world)
        someone.call("POST", self.path, self.body)
        [email] = world.emails()
        assert email.to == someone.email
        assert email.subject == "Your Storepost password was changed"
        assert someone.name in email.text


class TestChangeEmail:
    """POST /me/email."""

    path = "/me/email"
    body: ClassVar[Json] = {"email": NEW_ADDRESS, "password": PASSWORD}

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, ["/email", "/password"]),
            ({"email": "nobody", "password": PASSWORD}, ["/email"]),
            ({"email": NEW_ADDRESS, "password": ""}, ["/password"]),
            ({"email": NEW_ADDRESS, "password": PASSWORD, "code": "1"}, ["/code"]),
        ],
    )
    def test_bad_input(self, world: World, body: object, paths: list[str]) -> None:
        assert account(world).call("POST", self.path, body).error_paths() == paths
        assert world.emails() == []

    def test_wrong_password(self, world: World) -> None:
        refuses_wrong_password(world, self.path, dict(self.body))

    def test_code_is_emailed_to_the_new_address(self, world: World) -> None:
        someone = account(world)
        body = {"email": f" {NEW_ADDRESS.upper()} ", "password": PASSWORD}
        answer = someone.call("POST", self.path, body)
        assert (answer.status, answer.body) == (202, b"")
        assert answer.header("content-type") is None
        [email] = world.emails()
        assert email.to == NEW_ADDRESS
        code = code_in(email)
        assert person_of(someone).email == someone.email
        assert find_account(NEW_ADDRESS) is None
        assert partition(world, someone) == {"address_change", "code#address_change"}
        [row] = [row for row in world.rows("person#") if isinstance(row, EmailedCodeItem)]
        attributes = row.to_simple_dict()
        assert set(attributes) == {"pk", "sk", "kind", "expiration", "mac", "tries", "expires_at"}
        assert len(attributes["mac"]) == 64
        assert attributes["mac"] != code

    def test_address_of_another_account_is_not_revealed(self, world: World) -> None:
        someone, owner = account(world), account(world)
        free = someone.call("POST", self.path, self.body)
        answer = someone.call("POST", self.path, {"email": owner.email, "password": PASSWORD})
        assert answer.status == 202
        assert answer.without_id == free.without_id
        _, email = world.emails()
        assert email.to == owner.email
        assert owner.name in email.text
        assert someone.name not in email.text
        assert someone.email not in email.text
        assert (person_of(someone).email, person_of(owner).email) == (someone.email, owner.email)
        # The confirmation doesn't reveal it either: it counts tries as for any other address.
        for expected in [(422, "code_invalid")] * 5 + [(410, "challenge_closed")]:
            tried = someone.call("POST", "/me/email/confirm", {"code": "none"})
            assert tried.problem() == expected

    def test_aws_calls_do_not_reveal_who_has_the_address(self, world: World) -> None:
        someone, owner = account(world), account(world)

        def calls(email: str) -> list[str]:
            body = {"email": email, "password": PASSWORD}
            clear_key_cache()
            return counted(lambda: someone.call("POST", self.path, body))

        calls(f"first.{CANARY}@example.com")  # the rows that the others replace
        assert calls(NEW_ADDRESS) == calls(owner.email)

    def test_own_address_changes_nothing(self, world: World) -> None:
        someone = account(world)
        answer = someone.call("POST", self.path, {"email": someone.email, "password": PASSWORD})
        assert (answer.status, answer.body) == (202, b"")
        assert world.emails() == []
        assert partition(world, someone) == set()

    def test_limit_of_five_codes_per_address_and_hour(self, world: World) -> None:
        someone, owner = account(world), account(world)
        for email in (NEW_ADDRESS, owner.email):
            body = {"email": email, "password": PASSWORD}
            for _ in range(5):
                answer = someone.call("POST", self.path, body)
                assert answer.status == 202
            answer = someone.call("POST", self.path, body)
            assert answer.problem() == (429, "code_send_limit")
            assert 0 < int(answer.header("retry-after") or 0) <= 3600
        assert len(world.emails()) == 10
        world.advance(hours=1)
        answer = someone.call("POST", self.path, self.body)
        assert answer.status == 202

    def test_limit_of_ten_codes_per_person_and_hour(self, world: World) -> None:
        """Else anybody with an account could have emails sent to any number of strangers."""
        someone, another = account(world), account(world)
        strangers = [f"{number}.{CANARY}@example.com" for number in range(11)]

        def ask(by: Someone, email: str) -> Answer:
            return by.call("POST", self.path, {"email": email, "password": PASSWORD})

        assert [ask(someone, email).status for email in strangers[:10]] == [202] * 10
        refused = ask(someone, strangers[10])
        assert refused.problem() == (429, "code_send_limit")
        assert 0 < int(refused.header("retry-after") or 0) <= 3600
        assert [email.to for email in world.emails()] == strangers[:10]
        # A refused request counts for the address as little as for the person.
        assert [ask(another, strangers[10]).status for _ in range(5)] == [202] * 5
        world.advance(hours=1)
        assert ask(someone, strangers[10]).status == 202


class TestConfirmEmail:
    """POST /me/email/confirm."""

    path = "/me/email/confirm"

    def requested_code(self, world: World, someone: Someone, email: str = NEW_ADDRESS) -> str:
        """The code that came to the new address."""
        answer = someone.call("POST", "/me/email", {"email": email, "password": PASSWORD})
        assert answer.status == 202
        return code_in(world.emails()[-1])

    def confirm(self, someone: Someone, code: str, key: str | None = None) -> Answer:
        """The answer to the code."""
        return someone.call("POST", self.path, {"code": code}, key=key)

    @pytest.mark.parametrize(
        ("body", "paths"),
        [({}, ["/code"]), ({"code": 123456}, ["/code"]), ({"code": "1", "email": "a"}, ["/email"])],
    )
    def test_bad_input(self, world: World, body: object, paths: list[str]) -> None:
        assert account(world).call("POST", self.path, body).error_paths() == paths

    def test_without_requested_change(self, world: World) -> None:
        assert self.confirm(account(world), "123456").problem() == (410, "challenge_closed")

    def test_code_of_another_person_is_refused(self, world: World) -> None:
        someone, other = account(world), account(world)
        code = self.requested_code(world, someone)
        assert self.confirm(other, code).problem() == (410, "challenge_closed")
        assert person_of(other).email == other.email

    def test_changes_the_address(self, world: World) -> None:
        someone = account(world)
        trust(someone)
        code = self.requested_code(world, someone)
        before = clock.now()
        answer = self.confirm(someone, code)
        assert (answer.status, answer.body) == (204, b"")
        row = row_of(someone)
        assert row.email == NEW_ADDRESS
        assert row.email_verified_at is not None
        assert before <= row.email_verified_at <= clock.now()
        found = find_account(NEW_ADDRESS)
        assert found is not None
        assert found.id == someone.id
        assert find_account(someone.email) is None
        assert partition(world, someone) == set()
        assert two_factor(someone)["trustedBrowsers"] == 0
        assert someone.call("GET", "/me").json["user"]["email"] == NEW_ADDRESS
        email = world.emails()[-1]
        assert email.to == someone.email
        assert f"n***@{NEW_ADDRESS.partition('@')[2]}" in email.text
        assert NEW_ADDRESS not in email.text + email.html
        assert self.confirm(someone, code).problem() == (410, "challenge_closed")

    def test_old_address_becomes_available(self, world: World) -> None:
        someone, other = account(world), account(world)
        self.confirm(someone, self.requested_code(world, someone))
        code = self.requested_code(world, other, someone.email)
        assert self.confirm(other, code).status == 204
        assert person_of(other).email == someone.email

    def test_only_latest_code_and_address_are_accepted(self, world: World) -> None:
        someone, latest = account(world), f"latest.{CANARY}@example.com"
        first = self.requested_code(world, someone)
        second = self.requested_code(world, someone, latest)
        if first != second:
            assert self.confirm(someone, first).problem() == (422, "code_invalid")
        assert self.confirm(someone, second).status == 204
        assert person_of(someone).email == latest
        assert find_account(NEW_ADDRESS) is None

    def test_code_expires_after_ten_minutes(self, world: World) -> None:
        someone = account(world)
        code = self.requested_code(world, someone)
        world.advance(minutes=10)
        assert self.confirm(someone, code).problem() == (410, "challenge_closed")
        assert person_of(someone).email == someone.email

    def test_five_wrong_codes_end_the_change(self, world: World) -> None:
        someone = account(world)
        code = self.requested_code(world, someone)
        for _ in range(5):
            assert self.confirm(someone, wrong(code)).problem() == (422, "code_invalid")
        assert self.confirm(someone, code).problem() == (410, "challenge_closed")
        assert person_of(someone).email == someone.email
        again = self.requested_code(world, someone)
        assert self.confirm(someone, again).status == 204

    def test_address_confirmed_by_another_account_first(self, world: World) -> None:
        first, second = account(world), account(world)
        codes = [self.requested_code(world, first), self.requested_code(world, second)]
        assert self.confirm(first, codes[0]).status == 204
        assert self.confirm(second, codes[1]).problem() == (409, "email_taken")
        assert person_of(second).email == second.email
        found = find_account(NEW_ADDRESS)
        assert found is not None
        assert found.id == first.id
