"""Signing in by password, and signing out."""

from datetime import timedelta
from functools import partial

import pytest

from storepost.accounts.identity import password_checks, passwords
from storepost.accounts.identity.credentials import AttemptsItem
from storepost.accounts.identity.repository import (
    PersonItem,
    SessionItem,
    SessionPointerItem,
    person_key,
    sessions_of,
)
from storepost.accounts.identity.sessions import open_session
from storepost.accounts.identity.trusted_browsers import revoke_all
from storepost.accounts.sign_in import signing_in
from storepost.accounts.workspaces.model import Role
from storepost.accounts.workspaces.repository import MembershipItem, membership_key
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.scope import PersonScope
from tests.accounts.sign_in.accounts import (
    PASSWORD,
    account,
    signs_in,
    try_sign_in,
    with_app,
    with_backup_codes,
    with_email_codes,
)
from tests.accounts.sign_in.second_steps import STRANGER, WRONG, remember, trust
from tests.harness.accounts import person_of, session_of
from tests.harness.call_interruption import counted
from tests.harness.world import CANARY, Someone, World


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
        assert world.call("POST", "/auth/sign-in", json_body=body).error_paths() == paths
        assert all(isinstance(row, AttemptsItem) for row in world.rows())

    def test_opens_a_session(self, world: World, person: Someone) -> None:
        before = clock.now()
        answer = try_sign_in(world, f" {person.email.upper()} ")
        assert (answer.status, answer.header("cache-control")) == (200, "no-store")
        token = answer.json["token"]
        session = session_of(token)
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
        session = session_of(answer.json["token"])
        assert (session.browser, session.os) == (None, None)

    def test_opens_in_the_last_used_workspace(self, world: World, person: Someone) -> None:
        workspace = world.workspace(person)
        remember(person, workspace)
        session = session_of(try_sign_in(world, person.email).json["token"])
        assert session.workspace_id == workspace.id

    def test_opens_without_workspace_if_membership_ended(
        self, world: World, person: Someone
    ) -> None:
        workspace = world.workspace(world.person())
        world.join(person, workspace, Role.MEMBER)
        remember(person, workspace)
        MembershipItem.get(*membership_key(workspace, person.id)).delete()
        session = session_of(try_sign_in(world, person.email).json["token"])
        assert session.workspace_id is None

    def test_wrong_password_and_unknown_address_get_the_same_response(
        self, world: World, person: Someone
    ) -> None:
        wrong, unknown = try_sign_in(world, person.email, WRONG), try_sign_in(world, STRANGER)
        assert wrong.problem() == (401, "credentials_invalid")
        assert wrong.header("www-authenticate") == "Bearer"
        assert unknown.without_id == wrong.without_id
        assert len(sessions_of(PersonScope(person.id))) == 1

    def test_unknown_address_costs_the_same_verification_and_writes(
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

    def test_limit_of_ten_wrong_passwords_per_address_and_source(
        self, world: World, person: Someone
    ) -> None:
        for _ in range(10):
            assert try_sign_in(world, person.email, WRONG).problem() == (401, "credentials_invalid")
        refused = try_sign_in(world, person.email)
        assert refused.problem() == (429, "sign_in_limit")
        assert 15 * 60 - 30 < int(refused.header("retry-after") or 0) <= 15 * 60
        assert try_sign_in(world, account(world).email).status == 200
        world.advance(minutes=15)
        assert try_sign_in(world, person.email).status == 200

    def test_unknown_address_has_the_same_limit(self, world: World) -> None:
        answers = [try_sign_in(world, STRANGER, WRONG).problem() for _ in range(11)]
        assert answers == [(401, "credentials_invalid")] * 10 + [(429, "sign_in_limit")]

    @pytest.mark.parametrize("browser", [None, "stb_unknown"])
    def test_unknown_address_costs_the_same_reads_past_the_limit(
        self, world: World, person: Someone, browser: str | None
    ) -> None:
        made = []
        for address in (person.email, STRANGER):
            for _ in range(10):
                try_sign_in(world, address, WRONG)
            guess = partial(try_sign_in, world, address, WRONG)
            made.append(counted(partial(guess, trustedBrowser=browser) if browser else guess))
        assert made[0] == made[1]

    def test_right_passwords_do_not_count(self, world: World, person: Someone) -> None:
        for _ in range(9):
            try_sign_in(world, person.email, WRONG)
        assert [try_sign_in(world, person.email).status for _ in range(3)] == [200] * 3
        assert try_sign_in(world, person.email, WRONG).problem() == (401, "credentials_invalid")
        assert try_sign_in(world, person.email, WRONG).problem() == (429, "sign_in_limit")

    def test_limit_of_100_wrong_passwords_per_source_address(
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
        # A password that was never compared isn't charged to the address.
        [row] = [
            row for row in world.rows(f"email#{person.email}") if isinstance(row, AttemptsItem)
        ]
        assert row.made == []

    def test_source_addresses_are_not_stored_readable(self, world: World, person: Someone) -> None:
        try_sign_in(world, person.email, WRONG, source_ip="198.51.100.77")
        assert not [row for row in world.rows() if "198.51.100.77" in f"{row.pk} {row.sk}"]

    def test_password_is_compared_in_unicode_compatibility_form(
        self, world: World, person: Someone
    ) -> None:
        changes = Changes()
        composed = passwords.hash_password("gr\u00fcne \ufb01sche f\u00fcr alle")
        row = PersonItem(*person_key(PersonScope(person.id)))
        changes.update(row, [PersonItem.password_hash.set(composed)])
        changes.commit()
        assert try_sign_in(world, person.email, "gru\u0308ne fische fu\u0308r alle").status == 200
        assert try_sign_in(world, person.email, "Gru\u0308ne fische fu\u0308r alle").status == 401

    def test_outdated_hash_is_replaced(
        self, world: World, person: Someone, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = person_of(person).password_hash
        monkeypatch.setattr(passwords, "PASSES", 2)
        passwords._hasher.cache_clear()
        assert try_sign_in(world, person.email).status == 200
        after = person_of(person).password_hash
        assert ("t=1" in before, "t=2" in after) == (True, True)
        assert passwords.verify_password(after, PASSWORD)
        assert try_sign_in(world, person.email).status == 200
        assert person_of(person).password_hash == after

    def test_session_opened_while_all_are_ended_is_not_valid(
        self, world: World, person: Someone, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        opened = open_session

        def late(*arguments: object) -> object:
            row = PersonItem(*person_key(PersonScope(person.id)))
            row.update([PersonItem.sessions_epoch.add(1)], add_version_condition=False)
            return opened(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(signing_in, "open_session", late)
        answer = try_sign_in(world, person.email)
        assert answer.status == 200
        assert not signs_in(world, answer.json["token"])


class TestSignInWithTwoFactor:
    """POST /auth/sign-in of an account with a second step."""

    def test_requires_the_second_step(self, world: World, person: Someone) -> None:
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

    def test_lists_the_enabled_methods(self, world: World, person: Someone) -> None:
        with_email_codes(person)
        assert try_sign_in(world, person.email).json["methods"] == ["email"]
        with_backup_codes(person)
        assert try_sign_in(world, person.email).json["methods"] == ["email", "backup_code"]
        with_app(person)
        assert try_sign_in(world, person.email).json["methods"] == ["app", "email", "backup_code"]

    def test_wrong_password_does_not_reveal_two_factor(self, world: World, person: Someone) -> None:
        with_app(person)
        answer = try_sign_in(world, person.email, WRONG)
        assert answer.body == try_sign_in(world, STRANGER, WRONG).body

    def test_trusted_browser_skips_second_step_for_thirty_days(
        self, world: World, person: Someone
    ) -> None:
        trusted = trust(world, person)
        answer = try_sign_in(world, person.email, trustedBrowser=trusted)
        assert answer.json["status"] == "signed_in"
        assert signs_in(world, answer.json["token"])
        world.advance(days=30)
        late = try_sign_in(world, person.email, trustedBrowser=trusted)
        assert late.json["status"] == "two_factor_required"

    def test_trusted_browser_never_skips_the_password(self, world: World, person: Someone) -> None:
        trusted = trust(world, person)
        answer = try_sign_in(world, person.email, WRONG, trustedBrowser=trusted)
        assert answer.problem() == (401, "credentials_invalid")

    def test_trusted_browser_is_valid_for_one_person(self, world: World, person: Someone) -> None:
        trusted, other = trust(world, person), account(world)
        with_app(other)
        answer = try_sign_in(world, other.email, trustedBrowser=trusted)
        assert answer.json["status"] == "two_factor_required"

    def test_forgotten_browser_requires_the_second_step(
        self, world: World, person: Someone
    ) -> None:
        trusted, changes = trust(world, person), Changes()
        revoke_all(changes, person_of(person))
        changes.commit()
        answer = try_sign_in(world, person.email, trustedBrowser=trusted)
        assert answer.json["status"] == "two_factor_required"

    @pytest.mark.parametrize("token", ["unknown", None])
    def test_unknown_trusted_browser_token_is_ignored(
        self, world: World, person: Someone, token: str | None
    ) -> None:
        with_app(person)
        answer = try_sign_in(world, person.email, trustedBrowser=token)
        assert answer.json["status"] == "two_factor_required"


class TestSignOut:
    """POST /auth/sign-out."""

    def test_ends_only_this_session(self, world: World, person: Someone) -> None:
        other, _ = world.sign_in(person.id)
        answer = person.call("POST", "/auth/sign-out")
        assert (answer.status, answer.body) == (204, b"")
        assert not signs_in(world, person.token)
        assert signs_in(world, other)
        rows = world.rows()
        assert len([row for row in rows if isinstance(row, SessionItem)]) == 1
        assert len([row for row in rows if isinstance(row, SessionPointerItem)]) == 1

    def test_without_workspace_and_with_idempotency_key(self, person: Someone) -> None:
        assert person.call("POST", "/auth/sign-out", key="once").status == 204
        again = person.call("POST", "/auth/sign-out", key="once")
        assert again.problem() == (401, "unauthenticated")
