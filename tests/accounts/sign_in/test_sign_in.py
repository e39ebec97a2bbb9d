"""Signing in and out, an operation a class."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from storepost.accounts.identity import password_checks, passwords
from storepost.accounts.identity.credentials import AttemptsItem, TrustedBrowserItem
from storepost.accounts.identity.model import KeyScope
from storepost.accounts.identity.repository import (
    PersonItem,
    SessionItem,
    SessionPointerItem,
    person_key,
    remember_workspace,
    sessions_of,
)
from storepost.accounts.identity.sessions import Device, open_session
from storepost.accounts.identity.tokens import digest
from storepost.accounts.identity.trusted_browsers import count_trusted, revoke_all
from storepost.accounts.identity.two_factor import SecondFactor, backup_codes_left
from storepost.accounts.sign_in import signing_in
from storepost.accounts.sign_in.model import Challenge
from storepost.accounts.sign_in.repository import ChallengeItem, end_challenge
from storepost.accounts.sign_in.schemas import SecondStep
from storepost.accounts.workspaces.model import Role
from storepost.accounts.workspaces.repository import MembershipItem, membership_key
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.scope import PersonScope, WorkspaceScope
from tests.accounts.sign_in.accounts import (
    PASSWORD,
    account,
    another,
    challenged,
    code_in,
    session_behind,
    signs_in,
    stored,
    totp,
    try_second_step,
    try_sign_in,
    with_app,
    with_backup_codes,
    with_email_codes,
)
from tests.harness.call_interruption import before_the_commit
from tests.harness.world import CANARY, Answer, Someone, World

WRONG = "not the password"
STRANGER = f"stranger.{CANARY}@example.com"


@pytest.fixture
def person(world: World) -> Someone:
    """Somebody with a password and no second step."""
    return account(world, f"Petra {CANARY}")


def remember(person: Someone, workspace: WorkspaceScope) -> None:
    """Makes it the workspace used last."""
    changes = Changes()
    remember_workspace(changes, stored(person), workspace.id)
    changes.commit()


class TestSignIn:
    """POST /auth/sign-in."""

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, ["/email", "/password"]),
            ({"email": "nobody", "password": "x"}, ["/email"]),
            ({"email": STRANGER, "password": ""}, ["/password"]),
            ({"email": STRANGER, "password": "p" * 201}, ["/password"]),
            ({"email": STRANGER, "password": "x", "trustedBrowser": ""}, ["/trustedBrowser"]),
            ({"email": STRANGER, "password": "x", "code": "1"}, ["/code"]),
        ],
    )
    def test_bad_input(self, world: World, body: object, paths: list[str]) -> None:
        answer = world.call("POST", "/auth/sign-in", json_body=body)
        assert answer.error_paths() == paths
        assert all(isinstance(row, AttemptsItem) for row in world.rows())

    def test_opens_a_session(self, world: World, person: Someone) -> None:
        before = clock.now()
        answer = try_sign_in(world, f" {person.email.upper()} ")
        assert answer.status == 200
        token = answer.json["token"]
        session = session_behind(token)
        assert answer.json == {
            "status": "signed_in",
            "token": token,
            "expiresAt": clock.to_text(session.expires_at),
            "emailUndeliverable": False,
        }
        assert before <= session.signed_in_at <= clock.now()
        assert session.last_active_at == session.signed_in_at
        assert session.expires_at == session.signed_in_at + timedelta(days=30)
        assert (session.person_id, session.workspace_id) == (person.id, None)
        assert (session.browser, session.os) == ("Firefox", "Linux")
        assert session.ip_address == "203.0.113.7"
        assert signs_in(world, token)
        assert signs_in(world, person.token)
        assert world.emails() == []

    def test_without_a_user_agent(self, world: World, person: Someone) -> None:
        body = {"email": person.email, "password": PASSWORD}
        answer = world.call("POST", "/auth/sign-in", json_body=body)
        session = session_behind(answer.json["token"])
        assert (session.browser, session.os) == (None, None)

    def test_opens_in_the_workspace_used_last(self, world: World, person: Someone) -> None:
        workspace = world.workspace(person)
        remember(person, workspace)
        session = session_behind(try_sign_in(world, person.email).json["token"])
        assert session.workspace_id == workspace.id

    def test_opens_in_none_where_the_membership_is_lost(
        self, world: World, person: Someone
    ) -> None:
        workspace = world.workspace(world.person())
        world.join(person, workspace, Role.MEMBER)
        remember(person, workspace)
        MembershipItem.get(*membership_key(workspace, person.id)).delete()
        session = session_behind(try_sign_in(world, person.email).json["token"])
        assert session.workspace_id is None

    def test_wrong_password_and_unknown_address_get_the_same_answer(
        self, world: World, person: Someone
    ) -> None:
        wrong, unknown = try_sign_in(world, person.email, WRONG), try_sign_in(world, STRANGER)
        assert wrong.problem() == (401, "credentials_invalid")
        assert wrong.header("www-authenticate") == "Bearer"
        assert unknown.without_id == wrong.without_id
        assert len(sessions_of(PersonScope(person.id))) == 1

    def test_an_unknown_address_costs_a_verification_and_as_many_writes(
        self, world: World, person: Someone, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        verified: list[tuple[bool, str]] = []
        original = passwords.verify_password

        def spy(password_hash: str | None, password: str) -> bool:
            verified.append((password_hash is None, password))
            return original(password_hash, password)

        monkeypatch.setattr(password_checks, "verify_password", spy)
        written: list[int] = []
        for address in (person.email, STRANGER):
            before = len(world.rows())
            try_sign_in(world, address, WRONG, source_ip=f"2001:db8:{len(written)}::1")
            written.append(len(world.rows()) - before)
        assert verified == [(False, WRONG), (True, WRONG)]
        assert written == [3, 3]

    def test_ten_wrong_passwords_of_an_address_from_one_source_in_15_minutes(
        self, world: World, person: Someone
    ) -> None:
        for _ in range(10):
            answer = try_sign_in(world, person.email, WRONG)
            assert answer.problem() == (401, "credentials_invalid")
        refused = try_sign_in(world, person.email)
        assert refused.problem() == (429, "sign_in_limit")
        assert 15 * 60 - 30 < int(refused.header("retry-after") or 0) <= 15 * 60
        assert try_sign_in(world, account(world).email).status == 200
        world.advance(minutes=15)
        assert try_sign_in(world, person.email).status == 200

    def test_an_unknown_address_has_the_same_limit(self, world: World) -> None:
        answers = [try_sign_in(world, STRANGER, WRONG).problem() for _ in range(11)]
        assert answers == [(401, "credentials_invalid")] * 10 + [(429, "sign_in_limit")]

    def test_right_passwords_do_not_count(self, world: World, person: Someone) -> None:
        for _ in range(9):
            try_sign_in(world, person.email, WRONG)
        assert [try_sign_in(world, person.email).status for _ in range(3)] == [200] * 3
        assert try_sign_in(world, person.email, WRONG).problem() == (401, "credentials_invalid")
        assert try_sign_in(world, person.email, WRONG).problem() == (429, "sign_in_limit")

    def test_a_hundred_wrong_passwords_of_a_source_address(
        self, world: World, person: Someone
    ) -> None:
        source = "198.51.100.1"
        for number in range(100):
            address = f"{number}.{CANARY}@example.com"
            assert try_sign_in(world, address, WRONG, source_ip=source).status == 401
        refused = try_sign_in(world, person.email, source_ip=source)
        assert refused.problem() == (429, "sign_in_limit")
        assert 0 < int(refused.header("retry-after") or 0) <= 15 * 60
        assert try_sign_in(world, person.email, source_ip="198.51.100.2").status == 200
        # What was never compared isn't charged to the address.
        [row] = [
            row for row in world.rows(f"email#{person.email}") if isinstance(row, AttemptsItem)
        ]
        assert row.made == []

    def test_source_addresses_are_not_kept_readable(self, world: World, person: Someone) -> None:
        try_sign_in(world, person.email, WRONG, source_ip="198.51.100.77")
        assert not [row for row in world.rows() if "198.51.100.77" in f"{row.pk} {row.sk}"]

    def test_a_password_is_compared_in_its_compatible_form(
        self, world: World, person: Someone
    ) -> None:
        changes = Changes()
        composed = passwords.hash_password("gr\u00fcne \ufb01sche f\u00fcr alle")
        row = PersonItem(*person_key(PersonScope(person.id)))
        changes.update(row, [PersonItem.password_hash.set(composed)])
        changes.commit()
        assert try_sign_in(world, person.email, "gru\u0308ne fische fu\u0308r alle").status == 200
        assert try_sign_in(world, person.email, "Gru\u0308ne fische fu\u0308r alle").status == 401

    def test_an_old_hash_is_made_anew(
        self, world: World, person: Someone, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = stored(person).password_hash
        monkeypatch.setattr(passwords, "PASSES", 2)
        passwords._hasher.cache_clear()
        assert try_sign_in(world, person.email).status == 200
        after = stored(person).password_hash
        assert ("t=1" in before, "t=2" in after) == (True, True)
        assert passwords.verify_password(after, PASSWORD)
        assert try_sign_in(world, person.email).status == 200
        assert stored(person).password_hash == after

    def test_a_session_that_opens_while_all_end_is_not_valid(
        self, world: World, person: Someone, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        opened = open_session

        def late(*given: object) -> object:
            row = PersonItem(*person_key(PersonScope(person.id)))
            row.update([PersonItem.sessions_epoch.add(1)], add_version_condition=False)
            return opened(*given)  # type: ignore[arg-type]

        monkeypatch.setattr(signing_in, "open_session", late)
        answer = try_sign_in(world, person.email)
        assert answer.status == 200
        assert not signs_in(world, answer.json["token"])


class TestSignInWithTwoFactor:
    """POST /auth/sign-in, where a second step stands before it."""

    def test_asks_for_the_second_step(self, world: World, person: Someone) -> None:
        with_app(person)
        answer = try_sign_in(world, person.email)
        assert answer.status == 200
        assert answer.json == {
            "status": "two_factor_required",
            "challenge": answer.json["challenge"],
            "methods": ["app"],
        }
        assert len(answer.json["challenge"]) == 43  # 256 bits in base64
        assert len(sessions_of(PersonScope(person.id))) == 1
        assert not [row for row in world.rows() if answer.json["challenge"] in row.pk]

    def test_names_the_methods_that_are_on(self, world: World, person: Someone) -> None:
        with_email_codes(person)
        assert try_sign_in(world, person.email).json["methods"] == ["email"]
        with_backup_codes(person)
        assert try_sign_in(world, person.email).json["methods"] == ["email", "backup_code"]
        with_app(person)
        assert try_sign_in(world, person.email).json["methods"] == ["app", "email", "backup_code"]

    def test_a_wrong_password_tells_nothing_of_it(self, world: World, person: Someone) -> None:
        with_app(person)
        answer = try_sign_in(world, person.email, WRONG)
        assert answer.body == try_sign_in(world, STRANGER, WRONG).body

    def test_a_trusted_browser_skips_it_for_thirty_days(
        self, world: World, person: Someone
    ) -> None:
        trusted = trust(world, person)
        answer = try_sign_in(world, person.email, trustedBrowser=trusted)
        assert answer.json["status"] == "signed_in"
        assert signs_in(world, answer.json["token"])
        world.advance(days=30)
        late = try_sign_in(world, person.email, trustedBrowser=trusted)
        assert late.json["status"] == "two_factor_required"

    def test_it_never_skips_the_password(self, world: World, person: Someone) -> None:
        trusted = trust(world, person)
        answer = try_sign_in(world, person.email, WRONG, trustedBrowser=trusted)
        assert answer.problem() == (401, "credentials_invalid")

    def test_it_is_of_one_person(self, world: World, person: Someone) -> None:
        trusted, other = trust(world, person), account(world)
        with_app(other)
        answer = try_sign_in(world, other.email, trustedBrowser=trusted)
        assert answer.json["status"] == "two_factor_required"

    def test_forgotten_browsers_are_asked_again(self, world: World, person: Someone) -> None:
        trusted, changes = trust(world, person), Changes()
        revoke_all(changes, stored(person))
        changes.commit()
        answer = try_sign_in(world, person.email, trustedBrowser=trusted)
        assert answer.json["status"] == "two_factor_required"

    @pytest.mark.parametrize("token", ["unknown", None])
    def test_any_other_token_is_ignored(
        self, world: World, person: Someone, token: str | None
    ) -> None:
        with_app(person)
        answer = try_sign_in(world, person.email, trustedBrowser=token)
        assert answer.json["status"] == "two_factor_required"


def trust(world: World, person: Someone) -> str:
    """A browser that the person trusts."""
    seed = with_app(person)
    answer = try_second_step(
        world, challenged(world, person), "app", totp(seed, clock.now()), trustBrowser=True
    )
    assert answer.status == 200, answer.body
    return str(answer.json["trustedBrowser"])


def send_code(world: World, challenge: str) -> Answer:
    """POST /auth/two-factor/send-code."""
    return world.call("POST", "/auth/two-factor/send-code", json_body={"challenge": challenge})


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

    def test_the_method_is_off(self, world: World, person: Someone) -> None:
        with_app(person)
        assert send_code(world, challenged(world, person)).problem() == (409, "method_off")
        assert world.emails() == []

    def test_an_unknown_challenge(self, world: World) -> None:
        assert send_code(world, "unknown").problem() == (410, "challenge_closed")

    def test_a_challenge_lives_ten_minutes(self, world: World, person: Someone) -> None:
        with_email_codes(person)
        challenge = challenged(world, person)
        world.advance(minutes=10)
        assert send_code(world, challenge).problem() == (410, "challenge_closed")

    def test_it_lives_as_long_as_the_code(self, world: World, person: Someone) -> None:
        with_email_codes(person)
        challenge = challenged(world, person)
        world.advance(minutes=9)
        send_code(world, challenge)
        world.advance(minutes=9)
        [email] = world.emails()
        assert try_second_step(world, challenge, "email", code_in(email)).status == 200

    def test_the_sixth_code_of_an_hour(self, world: World, person: Someone) -> None:
        with_email_codes(person)
        for _ in range(5):
            assert send_code(world, challenged(world, person)).status == 204
        challenge = challenged(world, person)
        refused = send_code(world, challenge)
        assert refused.problem() == (429, "code_send_limit")
        assert 0 < int(refused.header("retry-after") or 0) <= 3600
        assert len(world.emails()) == 5

    def test_a_closed_challenge(self, world: World, person: Someone) -> None:
        with_email_codes(person)
        challenge = challenged(world, person)
        for _ in range(5):
            try_second_step(world, challenge, "email", "123456")
        assert send_code(world, challenge).problem() == (410, "challenge_closed")
        assert world.emails() == []

    def test_once_sessions_were_ended(self, world: World, person: Someone) -> None:
        with_email_codes(person)
        challenge = challenged(world, person)
        end_sessions(person)
        assert send_code(world, challenge).problem() == (410, "challenge_closed")


def end_sessions(person: Someone) -> None:
    """What a change of the password does."""
    row = PersonItem(*person_key(PersonScope(person.id)))
    row.update([PersonItem.sessions_epoch.add(1)], add_version_condition=False)


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
        answer = world.call("POST", "/auth/two-factor/verify", json_body=body)
        assert answer.error_paths() == paths

    def test_by_app(self, world: World, person: Someone) -> None:
        seed = with_app(person)
        challenge = challenged(world, person)
        answer = try_second_step(world, challenge, "app", totp(seed, clock.now()))
        assert answer.status == 200
        token = answer.json["token"]
        session = session_behind(token)
        assert answer.json == {
            "token": token,
            "expiresAt": clock.to_text(session.expires_at),
            "emailUndeliverable": False,
        }
        assert session.expires_at == session.signed_in_at + timedelta(days=30)
        assert (session.person_id, session.browser, session.os) == (person.id, "Firefox", "Linux")
        assert signs_in(world, token)
        assert count_trusted(stored(person)) == 0

    def test_opens_in_the_workspace_used_last(self, world: World, person: Someone) -> None:
        seed, workspace = with_app(person), world.workspace(person)
        remember(person, workspace)
        answer = try_second_step(world, challenged(world, person), "app", totp(seed, clock.now()))
        assert session_behind(answer.json["token"]).workspace_id == workspace.id

    def test_by_email(self, world: World, person: Someone) -> None:
        with_email_codes(person)
        challenge = challenged(world, person)
        send_code(world, challenge)
        [email] = world.emails()
        assert try_second_step(world, challenge, "email", code_in(email)).status == 200

    def test_an_emailed_code_is_of_its_challenge(self, world: World, person: Someone) -> None:
        with_email_codes(person)
        first, second = challenged(world, person), challenged(world, person)
        send_code(world, first)
        [email] = world.emails()
        wrong = try_second_step(world, second, "email", code_in(email))
        assert wrong.problem() == (422, "code_invalid")

    def test_by_backup_code_each_once(self, world: World, person: Someone) -> None:
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

    def test_trusting_the_browser(self, world: World, person: Someone) -> None:
        trusted = trust(world, person)
        assert count_trusted(stored(person)) == 1
        [row] = [row for row in world.rows("person#") if isinstance(row, TrustedBrowserItem)]
        assert trusted not in row.sk
        assert row.sk.endswith(digest(trusted))
        assert row.expires_at - clock.now() <= timedelta(days=30)
        assert row.expires_at - clock.now() > timedelta(days=29, hours=23)

    def test_a_step_is_never_used_twice(self, world: World, person: Someone) -> None:
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
    def test_a_method_that_is_off(self, world: World, person: Someone, method: str) -> None:
        if method == "app":
            with_email_codes(person)
        else:
            with_app(person)
        answer = try_second_step(world, challenged(world, person), method, "123456")
        assert answer.problem() == (422, "code_invalid")

    def test_a_challenge_has_five_tries_over_all_methods(
        self, world: World, person: Someone
    ) -> None:
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

    def test_a_new_code_brings_no_new_tries(self, world: World, person: Someone) -> None:
        with_email_codes(person)
        challenge = challenged(world, person)
        for _ in range(4):
            try_second_step(world, challenge, "email", "12345")
        send_code(world, challenge)
        try_second_step(world, challenge, "email", "12345")
        [email] = world.emails()
        answer = try_second_step(world, challenge, "email", code_in(email))
        assert answer.problem() == (410, "challenge_closed")

    def test_a_challenge_opens_one_session(self, world: World, person: Someone) -> None:
        with_app(person)
        first, second, *_ = with_backup_codes(person)
        challenge = challenged(world, person)
        assert try_second_step(world, challenge, "backup_code", first).status == 200
        again = try_second_step(world, challenge, "backup_code", second)
        assert again.problem() == (410, "challenge_closed")
        assert backup_codes_left(PersonScope(person.id)) == 9

    def test_an_unknown_challenge(self, world: World) -> None:
        answer = try_second_step(world, "unknown", "app", "123456")
        assert answer.problem() == (410, "challenge_closed")

    def test_a_challenge_lives_ten_minutes(self, world: World, person: Someone) -> None:
        seed = with_app(person)
        challenge = challenged(world, person)
        world.advance(minutes=10)
        answer = try_second_step(world, challenge, "app", totp(seed, clock.now()))
        assert answer.problem() == (410, "challenge_closed")

    def test_an_emailed_code_dies_with_its_ten_minutes(self, world: World, person: Someone) -> None:
        with_email_codes(person)
        challenge = challenged(world, person)
        send_code(world, challenge)
        [email] = world.emails()
        world.advance(minutes=10)
        answer = try_second_step(world, challenge, "email", code_in(email))
        assert answer.problem() == (410, "challenge_closed")

    def test_once_sessions_were_ended(self, world: World, person: Someone) -> None:
        seed = with_app(person)
        challenge = challenged(world, person)
        end_sessions(person)
        answer = try_second_step(world, challenge, "app", totp(seed, clock.now()))
        assert answer.problem() == (410, "challenge_closed")

    @pytest.mark.parametrize("method", [SecondFactor.APP, SecondFactor.BACKUP_CODE])
    def test_one_code_in_two_challenges_at_once(
        self, world: World, person: Someone, monkeypatch: pytest.MonkeyPatch, method: SecondFactor
    ) -> None:
        """Both are compared, and found right, before either is used up."""
        seed, [backup, *_] = with_app(person), with_backup_codes(person)
        code = totp(seed, clock.now()) if method is SecondFactor.APP else backup
        first, second = challenged(world, person), challenged(world, person)
        nested = iter([second])

        def late(changes: Changes, challenge: Challenge) -> None:
            for other in nested:
                given = SecondStep(challenge=other, method=method, code=code)
                inner = Changes()
                signing_in.complete_second_step(given, Device(None, None, None), inner)
                inner.commit()
            end_challenge(changes, challenge)

        monkeypatch.setattr(signing_in, "end_challenge", late)
        answer = try_second_step(world, first, method, code)
        assert answer.problem() == (422, "code_invalid")
        assert len(sessions_of(PersonScope(person.id))) == 2
        assert backup_codes_left(PersonScope(person.id)) == (
            10 if method is SecondFactor.APP else 9
        )


def fail_second_steps(world: World, person: Someone, times: int) -> Iterator[Answer]:
    """So many wrong second factors, five to a challenge."""
    for number in range(times):
        if number % 5 == 0:
            challenge = challenged(world, person)
        yield try_second_step(
            world, challenge, "backup_code", "AAAAAAAAAA", source_ip=f"198.51.100.{number}"
        )


class TestTwoFactorLimit:
    """Ten wrong second factors of a person in an hour, over all challenges."""

    def test_the_tenth_locks_for_an_hour_and_is_told(self, world: World, person: Someone) -> None:
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

    def test_while_locked_nothing_counts(self, world: World, person: Someone) -> None:
        with_app(person)
        list(fail_second_steps(world, person, 10))
        challenge = challenged(world, person)
        for _ in range(7):
            answer = try_second_step(world, challenge, "app", "000")
            assert answer.problem() == (429, "two_factor_limit")
        assert len(world.emails()) == 1

    def test_it_is_of_one_person(self, world: World, person: Someone) -> None:
        with_app(person)
        list(fail_second_steps(world, person, 10))
        other = account(world)
        seed = with_app(other)
        answer = try_second_step(world, challenged(world, other), "app", totp(seed, clock.now()))
        assert answer.status == 200

    def test_right_ones_do_not_count(self, world: World, person: Someone) -> None:
        with_app(person)
        codes = with_backup_codes(person)
        list(fail_second_steps(world, person, 9))
        for code in codes[:3]:
            answer = try_second_step(world, challenged(world, person), "backup_code", code)
            assert answer.status == 200
        assert world.emails() == []

    def test_a_closed_challenge_does_not_count(self, world: World, person: Someone) -> None:
        with_app(person)
        challenge = challenged(world, person)
        for _ in range(5):
            try_second_step(world, challenge, "app", "000")
        for _ in range(10):
            answer = try_second_step(world, challenge, "app", "000")
            assert answer.problem() == (410, "challenge_closed")
        assert world.emails() == []

    def test_a_try_that_runs_again_counts_once(self, world: World, person: Someone) -> None:
        """Another code is sent while one is compared: nothing comes of that run."""
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
        [left] = [row for row in world.rows() if isinstance(row, ChallengeItem)]
        assert left.tries == 1

    def test_nine_an_hour_lock_nothing(self, world: World, person: Someone) -> None:
        with_app(person)
        for _ in range(2):
            answers = list(fail_second_steps(world, person, 9))
            assert [answer.problem() for answer in answers] == [(422, "code_invalid")] * 9
            world.advance(hours=1)
        assert world.emails() == []


class TestSignOut:
    """POST /auth/sign-out."""

    def test_a_key_can_t(self, world: World, person: Someone) -> None:
        key = world.api_key(world.workspace(person), KeyScope.WRITE, person)
        answer = world.call("POST", "/auth/sign-out", token=key)
        assert answer.problem() == (403, "sign_in_required")

    def test_ends_this_session_alone(self, world: World, person: Someone) -> None:
        other, _ = world.sign_in(person.id)
        answer = world.call("POST", "/auth/sign-out", token=person.token)
        assert (answer.status, answer.body) == (204, b"")
        assert not signs_in(world, person.token)
        assert signs_in(world, other)
        rows = world.rows()
        assert len([row for row in rows if isinstance(row, SessionItem)]) == 1
        assert len([row for row in rows if isinstance(row, SessionPointerItem)]) == 1

    def test_works_in_no_workspace_and_under_a_key(self, world: World, person: Someone) -> None:
        answer = world.call("POST", "/auth/sign-out", token=person.token, key="once")
        assert answer.status == 204
        again = world.call("POST", "/auth/sign-out", token=person.token, key="once")
        assert again.problem() == (401, "unauthenticated")
