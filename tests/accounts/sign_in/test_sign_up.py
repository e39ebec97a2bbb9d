"""Signing up, an operation a class."""

from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from storepost.accounts.identity.codes import EmailedCode, check_code
from storepost.accounts.identity.credentials import AttemptsItem, EmailedCodeItem
from storepost.accounts.identity.passwords import verify_password
from storepost.accounts.identity.repository import EmailClaimItem, PersonItem, find_account
from storepost.accounts.identity.sessions import Device
from storepost.accounts.sign_in import registering
from storepost.accounts.sign_in.repository import RegistrationItem
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Key
from storepost.values import clock
from tests.accounts.sign_in.accounts import (
    FIREFOX,
    PASSWORD,
    account,
    another,
    code_in,
    fragment_in,
    signs_in,
    try_sign_in,
)
from tests.harness.accounts import person_of, session_of
from tests.harness.world import CANARY, Answer, World

NAME = f"Nora New {CANARY}"
ADDRESS = f"nora.{CANARY}@example.com"


def try_sign_up(
    world: World,
    email: str = ADDRESS,
    name: str = NAME,
    password: str = PASSWORD,
    source_ip: str = "203.0.113.7",
) -> Answer:
    body = {"name": name, "email": email, "password": password}
    return world.call("POST", "/auth/sign-up", json_body=body, source_ip=source_ip)


def signed_up(
    world: World, email: str = ADDRESS, name: str = NAME, password: str = PASSWORD
) -> str:
    answer = try_sign_up(world, email, name, password)
    assert answer.status == 202, answer.body
    return str(answer.json["registration"])


def verify(world: World, registration: str, code: str) -> Answer:
    body = {"registration": registration, "code": code}
    return world.call("POST", "/auth/verify-email", json_body=body, headers={"user-agent": FIREFOX})


def resend(world: World, registration: str) -> Answer:
    return world.call("POST", "/auth/sign-up/resend", json_body={"registration": registration})


class TestSignUp:
    """POST /auth/sign-up."""

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, ["/name", "/email", "/password"]),
            ({"name": " ", "email": ADDRESS, "password": PASSWORD}, ["/name"]),
            ({"name": "N" * 256, "email": ADDRESS, "password": PASSWORD}, ["/name"]),
            ({"name": NAME, "email": "nobody", "password": PASSWORD}, ["/email"]),
            ({"name": NAME, "email": ADDRESS, "password": "p" * 11}, ["/password"]),
            ({"name": NAME, "email": ADDRESS, "password": "p" * 201}, ["/password"]),
            ({"name": NAME, "email": ADDRESS, "password": PASSWORD, "role": 1}, ["/role"]),
        ],
    )
    def test_bad_input(self, world: World, body: object, paths: list[str]) -> None:
        assert world.call("POST", "/auth/sign-up", json_body=body).error_paths() == paths
        assert world.emails() == []
        assert all(isinstance(row, AttemptsItem) for row in world.rows())

    def test_internationalized_domain_is_encoded_in_punycode(self, world: World) -> None:
        """SES wants it in ASCII, and so does the header."""
        assert try_sign_up(world, "nora@MÜNCHEN.example").status == 202
        [email] = world.emails()
        assert email.to == "nora@xn--mnchen-3ya.example"

    def test_non_ascii_local_part_is_refused(self, world: World) -> None:
        """SES can't send to an address whose local part is in another script."""
        assert try_sign_up(world, "jürgen@example.com").error_paths() == ["/email"]

    @pytest.mark.parametrize("length", [12, 200])
    def test_shortest_and_longest_password_are_accepted(self, world: World, length: int) -> None:
        assert try_sign_up(world, password="p" * length).status == 202

    def test_emails_a_code(self, world: World) -> None:
        before = clock.now()
        answer = try_sign_up(world, f" {ADDRESS.upper()} ", f"  {NAME} ")
        assert answer.status == 202
        registration = answer.json["registration"]
        assert answer.json == {"registration": str(UUID(registration))}
        [email] = world.emails()
        assert email.to == ADDRESS
        assert NAME in email.text
        assert fragment_in(email, "verify-address") == registration
        code = code_in(email)
        [row] = [row for row in world.rows("token#") if isinstance(row, RegistrationItem)]
        assert (row.id, row.name, row.email) == (UUID(registration), NAME, ADDRESS)
        assert before <= row.begun_at <= clock.now()
        assert verify_password(row.password_hash, PASSWORD)
        [sent] = [row for row in world.rows("token#") if isinstance(row, EmailedCodeItem)]
        assert code not in sent.mac
        assert sent.expires_at - row.begun_at >= timedelta(minutes=10)
        assert find_account(ADDRESS) is None

    def test_known_address_gets_the_same_response_and_owner_is_emailed(self, world: World) -> None:
        owner = account(world, f"Olive {CANARY}")
        answer = try_sign_up(world, owner.email)
        assert answer.status == 202
        assert answer.json == {"registration": str(UUID(answer.json["registration"]))}
        [email] = world.emails()
        assert email.to == owner.email
        assert owner.name in email.text
        assert NAME not in email.text
        assert "https://api.example.com/v1/pages/password-reset" in email.text

    def test_known_address_causes_the_same_writes(self, world: World) -> None:
        owner = account(world)
        before = {row.key for row in world.rows()}
        try_sign_up(world, owner.email)
        known = sorted(type(row).__name__ for row in world.rows() if row.key not in before)
        world.deliver()
        before = {row.key for row in world.rows()}
        try_sign_up(world, source_ip="198.51.100.1")
        unknown = sorted(type(row).__name__ for row in world.rows() if row.key not in before)
        assert known == [*unknown]
        assert "OutboxItem" in known

    def test_sixth_email_within_an_hour_is_not_sent(self, world: World) -> None:
        for _ in range(6):
            signed_up(world)
        assert len(world.emails()) == 5
        world.advance(hours=1)
        signed_up(world)
        assert len(world.emails()) == 6

    def test_known_address_is_emailed_at_most_five_times_an_hour(self, world: World) -> None:
        owner = account(world)
        for _ in range(6):
            assert try_sign_up(world, owner.email).status == 202
        assert [email.to for email in world.emails()] == [owner.email] * 5

    def test_limit_of_100_sign_ups_per_source_address_and_hour(self, world: World) -> None:
        for number in range(100):
            address = f"{number}.{CANARY}@example.com"
            assert try_sign_up(world, address, source_ip="198.51.100.9").status == 202
        refused = try_sign_up(world, source_ip="198.51.100.9")
        assert refused.problem() == (429, "sign_up_limit")
        assert 0 < int(refused.header("retry-after") or 0) <= 3600
        assert try_sign_up(world, source_ip="198.51.100.10").status == 202
        world.advance(hours=1)
        assert try_sign_up(world, source_ip="198.51.100.9").status == 202


class TestResend:
    """POST /auth/sign-up/resend."""

    def test_bad_input(self, world: World) -> None:
        answer = world.call("POST", "/auth/sign-up/resend", json_body={"registration": "nothing"})
        assert answer.error_paths() == ["/registration"]

    def test_unknown_registration_sends_no_email(self, world: World) -> None:
        answer = resend(world, str(uuid4()))
        assert (answer.status, answer.body) == (202, b"")
        assert world.emails() == []

    def test_new_code_invalidates_the_old_one(self, world: World) -> None:
        registration = signed_up(world)
        answer = resend(world, registration)
        assert (answer.status, answer.body) == (202, b"")
        first, second = map(code_in, world.emails())
        if first != second:  # once in a million they are the same
            assert verify(world, registration, first).problem() == (422, "code_invalid")
        assert verify(world, registration, second).status == 200

    def test_new_code_resets_the_tries(self, world: World) -> None:
        registration = signed_up(world)
        [email] = world.emails()
        for _ in range(5):
            verify(world, registration, another(code_in(email)))
        assert verify(world, registration, code_in(email)).problem() == (410, "challenge_closed")
        resend(world, registration)
        assert verify(world, registration, code_in(world.emails()[-1])).status == 200

    def test_new_code_after_the_old_one_expired(self, world: World) -> None:
        registration = signed_up(world)
        world.advance(hours=23)
        resend(world, registration)
        assert verify(world, registration, code_in(world.emails()[-1])).status == 200

    def test_registration_expires_after_a_day(self, world: World) -> None:
        registration = signed_up(world)
        world.advance(hours=24)
        assert resend(world, registration).status == 202
        assert len(world.emails()) == 1

    def test_last_code_stays_valid_past_the_limit(self, world: World) -> None:
        registration = signed_up(world)
        for _ in range(5):
            assert resend(world, registration).status == 202
        emails = world.emails()
        assert len(emails) == 5
        assert verify(world, registration, code_in(emails[-1])).status == 200

    def test_owner_of_known_address_is_emailed_again(self, world: World) -> None:
        owner = account(world)
        registration = try_sign_up(world, owner.email).json["registration"]
        assert resend(world, registration).status == 202
        first, second = world.emails()
        assert (first.subject, first.to) == (second.subject, second.to)
        assert second.to == owner.email


class TestVerifyEmail:
    """POST /auth/verify-email."""

    def test_bad_input(self, world: World) -> None:
        answer = world.call("POST", "/auth/verify-email", json_body={"registration": 1, "code": ""})
        assert answer.error_paths() == ["/registration", "/code"]

    def test_creates_account_and_signs_in(self, world: World) -> None:
        registration = signed_up(world)
        [email] = world.emails()
        before = clock.now()
        answer = verify(world, registration, code_in(email))
        assert answer.status == 200
        token = answer.json["token"]
        session = session_of(token)
        assert answer.json == {
            "token": token,
            "expiresAt": clock.to_text(session.expires_at),
            "emailUndeliverable": False,
        }
        assert before <= session.signed_in_at <= clock.now()
        assert session.expires_at == session.signed_in_at + timedelta(days=30)
        assert (session.browser, session.os) == ("Firefox", "Linux")
        assert (session.ip_address, session.workspace_id) == ("203.0.113.7", None)
        person = find_account(ADDRESS)
        assert person is not None
        assert (person.id, person.name, person.email) == (session.person_id, NAME, ADDRESS)
        assert person.email_verified
        assert not person.has_two_factor
        assert verify_password(person.password_hash, PASSWORD)
        assert not [row for row in world.rows("token#") if isinstance(row, RegistrationItem)]
        assert signs_in(world, token)
        assert try_sign_in(world, ADDRESS).json["status"] == "signed_in"

    def test_grouped_digits_are_accepted(self, world: World) -> None:
        registration = signed_up(world)
        code = code_in(world.emails()[0])
        assert verify(world, registration, f" {code[:3]} {code[3:]} ").status == 200

    def test_wrong_code_is_refused(self, world: World) -> None:
        registration = signed_up(world)
        code = code_in(world.emails()[0])
        assert verify(world, registration, another(code)).problem() == (422, "code_invalid")
        assert find_account(ADDRESS) is None
        assert verify(world, registration, code).status == 200

    def test_fifth_try_may_be_right(self, world: World) -> None:
        registration = signed_up(world)
        code = code_in(world.emails()[0])
        for _ in range(4):
            assert verify(world, registration, another(code)).problem() == (422, "code_invalid")
        assert verify(world, registration, code).status == 200

    def test_five_wrong_tries_end_the_code(self, world: World) -> None:
        registration = signed_up(world)
        code = code_in(world.emails()[0])
        for _ in range(5):
            assert verify(world, registration, another(code)).problem() == (422, "code_invalid")
        assert verify(world, registration, code).problem() == (410, "challenge_closed")
        assert find_account(ADDRESS) is None

    def test_code_expires_after_ten_minutes(self, world: World) -> None:
        registration = signed_up(world)
        code = code_in(world.emails()[0])
        world.advance(minutes=10)
        assert verify(world, registration, code).problem() == (410, "challenge_closed")

    def test_unknown_registration_is_refused(self, world: World) -> None:
        assert verify(world, str(uuid4()), "123456").problem() == (410, "challenge_closed")

    def test_registration_of_known_address_gets_the_same_responses(self, world: World) -> None:
        owner = account(world)
        before = person_of(owner)
        registration = try_sign_up(world, owner.email).json["registration"]
        answers = [verify(world, registration, "123456").problem() for _ in range(6)]
        assert answers == [(422, "code_invalid")] * 5 + [(410, "challenge_closed")]
        assert person_of(owner) == before

    def test_code_is_valid_once(self, world: World) -> None:
        registration = signed_up(world)
        code = code_in(world.emails()[0])
        assert verify(world, registration, code).status == 200
        assert verify(world, registration, code).problem() == (410, "challenge_closed")

    def test_code_of_another_registration_is_refused(self, world: World) -> None:
        registration = signed_up(world)
        theirs = signed_up(world, password="somebody else's password")
        first, second = map(code_in, world.emails())
        if first != second:
            assert verify(world, theirs, first).problem() == (422, "code_invalid")
            assert verify(world, registration, second).problem() == (422, "code_invalid")

    def test_verifying_ends_every_other_registration_of_the_address(self, world: World) -> None:
        theirs = signed_up(world, name="Mallory", password="somebody else's password")
        registration = signed_up(world)
        elsewhere = signed_up(world, f"other.{CANARY}@example.com")
        first, second, third = map(code_in, world.emails())
        assert verify(world, registration, second).status == 200
        assert verify(world, theirs, first).problem() == (410, "challenge_closed")
        person = find_account(ADDRESS)
        assert person is not None
        assert (person.name, verify_password(person.password_hash, PASSWORD)) == (NAME, True)
        resend(world, theirs)
        assert len(world.emails()) == 3
        assert verify(world, elsewhere, third).status == 200

    def test_ended_registration_stays_closed_after_account_deletion(self, world: World) -> None:
        theirs = signed_up(world, password="somebody else's password")
        registration = signed_up(world)
        first, second = map(code_in, world.emails())
        assert verify(world, registration, second).status == 200
        [claim] = [row for row in world.rows("email#") if isinstance(row, EmailClaimItem)]
        claim.delete()
        assert verify(world, theirs, first).problem() == (410, "challenge_closed")

    def test_concurrent_verifications_create_one_account(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        theirs = signed_up(world, password="somebody else's password")
        registration = signed_up(world)
        first, second = map(code_in, world.emails())
        nested = iter([UUID(registration)])

        def late(key: Key, code: str) -> EmailedCode:
            proven = check_code(key, code)
            for other in nested:  # the other one is verified in between
                inner = Changes()
                registering.verify_email(other, second, Device(None, None, None), inner)
                inner.commit()
            return proven

        monkeypatch.setattr(registering, "check_code", late)
        assert verify(world, theirs, first).problem() == (410, "challenge_closed")
        assert try_sign_in(world, ADDRESS).status == 200
        claims = [row for row in world.rows("email#") if isinstance(row, EmailClaimItem)]
        assert len(claims) == 1
        assert len([row for row in world.rows() if isinstance(row, PersonItem)]) == 1
