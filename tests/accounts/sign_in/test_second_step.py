"""Signing in: the second step, its codes and its limit."""

from datetime import timedelta

import pytest

from storepost.accounts.identity.credentials import AttemptsItem, TrustedBrowserItem
from storepost.accounts.identity.repository import sessions_of
from storepost.accounts.identity.sessions import Device
from storepost.accounts.identity.tokens import digest
from storepost.accounts.identity.trusted_browsers import count_trusted
from storepost.accounts.identity.two_factor import SecondFactor, backup_codes_left
from storepost.accounts.sign_in import signing_in
from storepost.accounts.sign_in.model import Challenge
from storepost.accounts.sign_in.repository import ChallengeItem, end_challenge
from storepost.accounts.sign_in.schemas import SecondStep
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.scope import PersonScope
from tests.accounts.sign_in.accounts import (
    account,
    another,
    challenged,
    code_in,
    signs_in,
    totp,
    try_second_step,
    with_app,
    with_backup_codes,
    with_email_codes,
)
from tests.accounts.sign_in.second_steps import (
    end_sessions,
    fail_second_steps,
    move,
    remember,
    send_code,
    trust,
)
from tests.harness.accounts import person_of, session_of
from tests.harness.call_interruption import before_the_commit
from tests.harness.world import CANARY, Someone, World


class TestSendCode:
    """POST /auth/two-factor/send-code."""

    def test_bad_input(self, world: World) -> None:
        answer = world.call("POST", "/auth/two-factor/send-code", json_body={})
        assert answer.error_paths() == ["/challenge"]

    def test_emails_a_code(self, world: World, person: Someone) -> None:
        with_email_codes(person)
        answer = send_code(world, challenged(world, person))
        assert (answer.status, answer.body) == (204, b"")
        [email] = world.emails()
        assert email.to == person.email
        assert person.name in email.text
        assert code_in(email)

    def test_disabled_method_is_refused(self, world: World, person: Someone) -> None:
        with_app(person)
        assert send_code(world, challenged(world, person)).problem() == (409, "method_off")
        assert world.emails() == []

    def test_unknown_challenge_is_refused(self, world: World) -> None:
        assert send_code(world, "unknown").problem() == (410, "challenge_closed")

    def test_challenge_expires_after_ten_minutes(self, world: World, person: Someone) -> None:
        with_email_codes(person)
        challenge = challenged(world, person)
        world.advance(minutes=10)
        assert send_code(world, challenge).problem() == (410, "challenge_closed")

    def test_challenge_is_extended_until_the_code_expires(
        self, world: World, person: Someone
    ) -> None:
        with_email_codes(person)
        challenge = challenged(world, person)
        world.advance(minutes=9)
        send_code(world, challenge)
        world.advance(minutes=9)
        [email] = world.emails()
        assert try_second_step(world, challenge, "email", code_in(email)).status == 200

    def test_sixth_code_within_an_hour_is_refused(self, world: World, person: Someone) -> None:
        with_email_codes(person)
        for _ in range(5):
            assert send_code(world, challenged(world, person)).status == 204
        challenge = challenged(world, person)
        refused = send_code(world, challenge)
        assert refused.problem() == (429, "code_send_limit")
        assert 0 < int(refused.header("retry-after") or 0) <= 3600
        assert len(world.emails()) == 5

    def test_closed_challenge_is_refused(self, world: World, person: Someone) -> None:
        with_email_codes(person)
        challenge = challenged(world, person)
        for _ in range(5):
            try_second_step(world, challenge, "email", "123456")
        assert send_code(world, challenge).problem() == (410, "challenge_closed")
        assert world.emails() == []

    def test_challenge_is_closed_after_sessions_are_ended(
        self, world: World, person: Someone
    ) -> None:
        with_email_codes(person)
        challenge = challenged(world, person)
        end_sessions(person)
        assert send_code(world, challenge).problem() == (410, "challenge_closed")

    def test_challenge_is_closed_after_address_change(self, world: World, person: Someone) -> None:
        with_email_codes(person)
        challenge = challenged(world, person)
        move(person, f"moved.{CANARY}@example.com")
        assert send_code(world, challenge).problem() == (410, "challenge_closed")
        assert world.emails() == []


class TestVerify:
    """POST /auth/two-factor/verify."""

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, ["/challenge", "/method", "/code"]),
            ({"challenge": "c", "method": "sms", "code": "1"}, ["/method"]),
            ({"challenge": "c", "method": "app", "code": " "}, ["/code"]),
            ({"challenge": "c", "method": "app", "code": "1" * 33}, ["/code"]),
            *(
                (
                    {"challenge": "c", "method": "app", "code": "1", "trustBrowser": trusted},
                    ["/trustBrowser"],
                )
                for trusted in ("often", "yes", 1)
            ),
        ],
    )
    def test_bad_input(self, world: World, body: object, paths: list[str]) -> None:
        assert world.call("POST", "/auth/two-factor/verify", json_body=body).error_paths() == paths

    def test_by_app(self, world: World, person: Someone) -> None:
        seed = with_app(person)
        challenge = challenged(world, person)
        answer = try_second_step(world, challenge, "app", totp(seed, clock.now()))
        assert answer.status == 200
        token = answer.json["token"]
        session = session_of(token)
        assert answer.json == {
            "token": token,
            "expiresAt": clock.to_text(session.expires_at),
            "emailUndeliverable": False,
        }
        assert session.expires_at == session.signed_in_at + timedelta(days=30)
        assert (session.person_id, session.browser, session.os) == (person.id, "Firefox", "Linux")
        assert signs_in(world, token)
        assert count_trusted(person_of(person)) == 0

    def test_opens_in_the_last_used_workspace(self, world: World, person: Someone) -> None:
        seed, workspace = with_app(person), world.workspace(person)
        remember(person, workspace)
        answer = try_second_step(world, challenged(world, person), "app", totp(seed, clock.now()))
        assert session_of(answer.json["token"]).workspace_id == workspace.id

    def test_by_email(self, world: World, person: Someone) -> None:
        with_email_codes(person)
        challenge = challenged(world, person)
        send_code(world, challenge)
        [email] = world.emails()
        assert try_second_step(world, challenge, "email", code_in(email)).status == 200

    def test_emailed_code_is_refused_for_another_challenge(
        self, world: World, person: Someone
    ) -> None:
        with_email_codes(person)
        first, second = challenged(world, person), challenged(world, person)
        send_code(world, first)
        [email] = world.emails()
        wrong = try_second_step(world, second, "email", code_in(email))
        assert wrong.problem() == (422, "code_invalid")

    def test_each_backup_code_is_accepted_once(self, world: World, person: Someone) -> None:
        with_app(person)
        codes = with_backup_codes(person)
        answer = try_second_step(world, challenged(world, person), "backup_code", codes[3])
        assert answer.status == 200
        assert backup_codes_left(PersonScope(person.id)) == 9
        again = try_second_step(world, challenged(world, person), "backup_code", codes[3])
        assert again.problem() == (422, "code_invalid")
        typed = codes[4].lower().replace("-", " ")
        answer = try_second_step(world, challenged(world, person), "backup_code", typed)
        assert answer.status == 200

    def test_trusts_the_browser_for_thirty_days(self, world: World, person: Someone) -> None:
        trusted = trust(world, person)
        assert count_trusted(person_of(person)) == 1
        [row] = [row for row in world.rows("person#") if isinstance(row, TrustedBrowserItem)]
        assert trusted not in row.sk
        assert row.sk.endswith(digest(trusted))
        assert row.expires_at - clock.now() <= timedelta(days=30)
        assert row.expires_at - clock.now() > timedelta(days=29, hours=23)

    def test_totp_time_step_is_never_accepted_twice(self, world: World, person: Someone) -> None:
        seed = with_app(person)
        code = totp(seed, clock.now())
        assert try_second_step(world, challenged(world, person), "app", code).status == 200
        again = try_second_step(world, challenged(world, person), "app", code)
        assert again.problem() == (422, "code_invalid")
        following = totp(seed, clock.now(), 1)
        assert try_second_step(world, challenged(world, person), "app", following).status == 200
        earlier = try_second_step(world, challenged(world, person), "app", code)
        assert earlier.problem() == (422, "code_invalid")

    @pytest.mark.parametrize("method", ["app", "email", "backup_code"])
    def test_disabled_method_is_refused(self, world: World, person: Someone, method: str) -> None:
        if method == "app":
            with_email_codes(person)
        else:
            with_app(person)
        answer = try_second_step(world, challenged(world, person), method, "123456")
        assert answer.problem() == (422, "code_invalid")

    def test_challenge_has_five_tries_over_all_methods(self, world: World, person: Someone) -> None:
        seed = with_app(person)
        with_email_codes(person)
        [backup, *_] = with_backup_codes(person)
        challenge = challenged(world, person)
        send_code(world, challenge)
        [email] = world.emails()
        wrong = another(totp(seed, clock.now(), 7))
        tried = [("app", wrong), ("email", another(code_in(email))), ("backup_code", "AAAAA-AAAAA")]
        for method, code in [*tried, tried[0], tried[1]]:
            answer = try_second_step(world, challenge, method, code)
            assert answer.problem() == (422, "code_invalid")
        for method, code in [
            ("app", totp(seed, clock.now())),
            ("email", code_in(email)),
            ("backup_code", backup),
        ]:
            answer = try_second_step(world, challenge, method, code)
            assert answer.problem() == (410, "challenge_closed")
        assert backup_codes_left(PersonScope(person.id)) == 10
        fresh = challenged(world, person)
        assert try_second_step(world, fresh, "backup_code", backup).status == 200

    def test_new_code_does_not_reset_the_tries(self, world: World, person: Someone) -> None:
        with_email_codes(person)
        challenge = challenged(world, person)
        for _ in range(4):
            try_second_step(world, challenge, "email", "12345")
        send_code(world, challenge)
        try_second_step(world, challenge, "email", "12345")
        [email] = world.emails()
        answer = try_second_step(world, challenge, "email", code_in(email))
        assert answer.problem() == (410, "challenge_closed")

    def test_challenge_opens_one_session(self, world: World, person: Someone) -> None:
        with_app(person)
        first, second, *_ = with_backup_codes(person)
        challenge = challenged(world, person)
        assert try_second_step(world, challenge, "backup_code", first).status == 200
        again = try_second_step(world, challenge, "backup_code", second)
        assert again.problem() == (410, "challenge_closed")
        assert backup_codes_left(PersonScope(person.id)) == 9

    def test_unknown_challenge_is_refused(self, world: World) -> None:
        answer = try_second_step(world, "unknown", "app", "123456")
        assert answer.problem() == (410, "challenge_closed")

    def test_challenge_expires_after_ten_minutes(self, world: World, person: Someone) -> None:
        seed = with_app(person)
        challenge = challenged(world, person)
        world.advance(minutes=10)
        answer = try_second_step(world, challenge, "app", totp(seed, clock.now()))
        assert answer.problem() == (410, "challenge_closed")

    def test_emailed_code_expires_after_ten_minutes(self, world: World, person: Someone) -> None:
        with_email_codes(person)
        challenge = challenged(world, person)
        send_code(world, challenge)
        [email] = world.emails()
        world.advance(minutes=10)
        answer = try_second_step(world, challenge, "email", code_in(email))
        assert answer.problem() == (410, "challenge_closed")

    def test_challenge_is_closed_after_sessions_are_ended(
        self, world: World, person: Someone
    ) -> None:
        seed = with_app(person)
        challenge = challenged(world, person)
        end_sessions(person)
        answer = try_second_step(world, challenge, "app", totp(seed, clock.now()))
        assert answer.problem() == (410, "challenge_closed")

    def test_challenge_is_closed_after_address_change(self, world: World, person: Someone) -> None:
        with_email_codes(person)
        challenge = challenged(world, person)
        send_code(world, challenge)
        [email] = world.emails()
        sessions = sessions_of(PersonScope(person.id))
        move(person, f"moved.{CANARY}@example.com")
        answer = try_second_step(world, challenge, "email", code_in(email), trustBrowser=True)
        assert answer.problem() == (410, "challenge_closed")
        assert sessions_of(PersonScope(person.id)) == sessions
        assert count_trusted(person_of(person)) == 0

    def test_challenge_of_earlier_version_is_accepted(self, world: World, person: Someone) -> None:
        seed = with_app(person)
        challenge = challenged(world, person)
        [row] = [row for row in world.rows() if isinstance(row, ChallengeItem)]
        row.update([ChallengeItem.email.remove()])
        assert try_second_step(world, challenge, "app", totp(seed, clock.now())).status == 200

    @pytest.mark.parametrize("method", [SecondFactor.APP, SecondFactor.BACKUP_CODE])
    def test_code_used_concurrently_in_two_challenges_is_accepted_once(
        self, world: World, person: Someone, monkeypatch: pytest.MonkeyPatch, method: SecondFactor
    ) -> None:
        """Both are compared, and found right, before either is used up."""
        seed, [backup, *_] = with_app(person), with_backup_codes(person)
        code = totp(seed, clock.now()) if method is SecondFactor.APP else backup
        first, second = challenged(world, person), challenged(world, person)
        nested = iter([second])

        def late(changes: Changes, challenge: Challenge) -> None:
            for other in nested:
                second_step = SecondStep(challenge=other, method=method, code=code)
                inner = Changes()
                signing_in.complete_second_step(second_step, Device(None, None, None), inner)
                inner.commit()
            end_challenge(changes, challenge)

        monkeypatch.setattr(signing_in, "end_challenge", late)
        assert try_second_step(world, first, method, code).problem() == (422, "code_invalid")
        assert len(sessions_of(PersonScope(person.id))) == 2
        assert backup_codes_left(PersonScope(person.id)) == (
            10 if method is SecondFactor.APP else 9
        )


class TestTwoFactorLimit:
    """Ten wrong second factors of a person in an hour, over all challenges."""

    def test_tenth_wrong_code_locks_for_an_hour_and_sends_email(
        self, world: World, person: Someone
    ) -> None:
        seed = with_app(person)
        answers = list(fail_second_steps(world, person, 9))
        assert [answer.problem() for answer in answers] == [(422, "code_invalid")] * 9
        assert world.emails() == []
        world.advance(minutes=59)
        tenth = try_second_step(
            world, challenged(world, person), "app", "000", source_ip="198.51.100.200"
        )
        assert tenth.problem() == (422, "code_invalid")
        [email] = world.emails()
        assert email.to == person.email
        assert person.name in email.text
        assert "198.51.100.200" in email.text
        world.advance(minutes=59)  # the first nine are long over; the lock isn't
        refused = try_second_step(world, challenged(world, person), "app", totp(seed, clock.now()))
        assert refused.problem() == (429, "two_factor_limit")
        assert 0 < int(refused.header("retry-after") or 0) <= 60
        world.advance(minutes=1)
        answer = try_second_step(world, challenged(world, person), "app", totp(seed, clock.now()))
        assert answer.status == 200
        assert len(world.emails()) == 1

    def test_tries_while_locked_are_not_counted(self, world: World, person: Someone) -> None:
        with_app(person)
        list(fail_second_steps(world, person, 10))
        challenge = challenged(world, person)
        for _ in range(7):
            answer = try_second_step(world, challenge, "app", "000")
            assert answer.problem() == (429, "two_factor_limit")
        assert len(world.emails()) == 1

    def test_limit_is_per_person(self, world: World, person: Someone) -> None:
        with_app(person)
        list(fail_second_steps(world, person, 10))
        other = account(world)
        seed = with_app(other)
        answer = try_second_step(world, challenged(world, other), "app", totp(seed, clock.now()))
        assert answer.status == 200

    def test_right_codes_do_not_count(self, world: World, person: Someone) -> None:
        with_app(person)
        codes = with_backup_codes(person)
        list(fail_second_steps(world, person, 9))
        for code in codes[:3]:
            answer = try_second_step(world, challenged(world, person), "backup_code", code)
            assert answer.status == 200
        assert world.emails() == []

    def test_tries_of_a_closed_challenge_do_not_count(self, world: World, person: Someone) -> None:
        with_app(person)
        challenge = challenged(world, person)
        for _ in range(5):
            try_second_step(world, challenge, "app", "000")
        for _ in range(10):
            answer = try_second_step(world, challenge, "app", "000")
            assert answer.problem() == (410, "challenge_closed")
        assert world.emails() == []

    def test_try_rerun_after_a_lost_race_counts_once(self, world: World, person: Someone) -> None:
        """Another code is sent while one is compared: that run has no effect."""
        with_email_codes(person)
        challenge = challenged(world, person)
        send_code(world, challenge)

        def another_code() -> None:
            assert send_code(world, challenge).status == 204

        with before_the_commit(another_code, which=3):
            answer = try_second_step(world, challenge, "email", "000")
        assert answer.problem() == (422, "code_invalid")
        assert len(world.emails()) == 2
        rows = [row for row in world.rows() if isinstance(row, AttemptsItem)]
        assert [len(row.made) for row in rows if "second_factor" in row.sk] == [1]
        [remaining] = [row for row in world.rows() if isinstance(row, ChallengeItem)]
        assert remaining.tries == 1

    def test_nine_wrong_codes_an_hour_do_not_lock(self, world: World, person: Someone) -> None:
        with_app(person)
        for _ in range(2):
            answers = list(fail_second_steps(world, person, 9))
            assert [answer.problem() for answer in answers] == [(422, "code_invalid")] * 9
            world.advance(hours=1)
        assert world.emails() == []
