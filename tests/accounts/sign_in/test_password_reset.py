"""Choosing a new password by email, an operation a class."""

from datetime import timedelta
from functools import partial

import pytest
from pynamodb.attributes import UnicodeAttribute

from storepost.accounts.identity.passwords import verify_password
from storepost.accounts.identity.repository import (
    PersonItem,
    SessionItem,
    SessionPointerItem,
    person_key,
)
from storepost.accounts.identity.sessions import Device, open_session
from storepost.accounts.identity.tokens import digest
from storepost.accounts.identity.trusted_browsers import count_trusted, trust_browser
from storepost.accounts.sign_in.repository import ResetItem
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.sealing import clear_key_cache
from storepost.values import clock
from storepost.values.scope import PersonScope
from tests.accounts.sign_in.accounts import (
    PASSWORD,
    account,
    fragment_in,
    signs_in,
    try_sign_in,
    with_app,
)
from tests.harness.accounts import person_of
from tests.harness.call_interruption import before_the_commit, counted
from tests.harness.world import CANARY, Answer, Someone, World

NEW = "an entirely new password"


@pytest.fixture
def person(world: World) -> Someone:
    """A person with a password."""
    return account(world, f"Rita {CANARY}")


def forgot(world: World, email: str) -> Answer:
    """POST /auth/password/forgot."""
    return world.call("POST", "/auth/password/forgot", json_body={"email": email})


def reset(world: World, token: str, password: str = NEW) -> Answer:
    """POST /auth/password/reset."""
    body = {"token": token, "password": password}
    return world.call("POST", "/auth/password/reset", json_body=body)


def emailed_token(world: World, person: Someone) -> str:
    """The token of the link that was just requested."""
    assert forgot(world, person.email).status == 202
    return fragment_in(world.emails()[-1], "password-reset")


class TestForgot:
    """POST /auth/password/forgot."""

    def test_bad_input(self, world: World) -> None:
        assert forgot(world, "nobody").error_paths() == ["/email"]

    def test_emails_the_link(self, world: World, person: Someone) -> None:
        before = clock.now()
        answer = forgot(world, f" {person.email.upper()} ")
        assert (answer.status, answer.body) == (202, b"")
        [email] = world.emails()
        assert email.to == person.email
        assert person.name in email.text
        token = fragment_in(email, "password-reset")
        assert len(token) == 43  # 256 bits in base64
        [row] = [row for row in world.rows("token#") if isinstance(row, ResetItem)]
        assert row.pk == f"token#{digest(token)}"
        assert row.person_id == person.id
        assert before <= row.expires_at - timedelta(minutes=30) <= clock.now()
        assert person_of(person).password_hash != ""

    def test_unknown_address_gets_the_same_response(self, world: World, person: Someone) -> None:
        known, unknown = forgot(world, person.email), forgot(world, f"x.{CANARY}@example.com")
        assert known.without_id == unknown.without_id
        assert [email.to for email in world.emails()] == [person.email]
        assert len([row for row in world.rows("token#") if isinstance(row, ResetItem)]) == 2

    def test_unknown_address_makes_the_same_calls(self, world: World, person: Someone) -> None:
        made = []
        for email in (person.email, f"x.{CANARY}@example.com"):
            clear_key_cache()  # as in a new container
            made.append(counted(partial(forgot, world, email)))
        assert made[0] == made[1]
        assert "GenerateDataKey" in made[0]

    def test_sixth_email_within_an_hour_is_not_sent(self, world: World, person: Someone) -> None:
        assert [forgot(world, person.email).status for _ in range(6)] == [202] * 6
        assert len(world.emails()) == 5
        world.advance(hours=1)
        forgot(world, person.email)
        assert len(world.emails()) == 6


class TestReset:
    """POST /auth/password/reset."""

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, ["/token", "/password"]),
            ({"token": "", "password": "p" * 11}, ["/token", "/password"]),
            ({"token": "t", "password": "p" * 201}, ["/password"]),
        ],
    )
    def test_bad_input(self, world: World, body: object, paths: list[str]) -> None:
        assert world.call("POST", "/auth/password/reset", json_body=body).error_paths() == paths

    def test_sets_password_and_ends_sessions_and_trusted_browsers(
        self, world: World, person: Someone
    ) -> None:
        with_app(person)
        trusted, changes = "", Changes()
        trusted = trust_browser(changes, person_of(person))
        changes.commit()
        others = [world.sign_in(person.id)[0] for _ in range(2)]
        stranger = account(world)
        before = clock.now()
        answer = reset(world, emailed_token(world, person))
        assert (answer.status, answer.body) == (204, b"")
        after = person_of(person)
        assert verify_password(after.password_hash, NEW)
        assert not verify_password(after.password_hash, PASSWORD)
        assert [signs_in(world, token) for token in (person.token, *others)] == [False] * 3
        assert signs_in(world, stranger.token)
        assert count_trusted(after) == 0
        rows = world.rows()
        assert len([row for row in rows if isinstance(row, SessionItem)]) == 1
        assert len([row for row in rows if isinstance(row, SessionPointerItem)]) == 1
        email = world.emails()[-1]
        assert email.to == person.email
        assert person.name in email.text
        assert str(before.year) in email.text
        assert try_sign_in(world, person.email).problem() == (401, "credentials_invalid")
        again = try_sign_in(world, person.email, NEW, trustedBrowser=trusted)
        assert again.json["status"] == "two_factor_required"

    def test_address_becomes_verified(self, world: World) -> None:
        person = account(world, verified=False)
        assert not person_of(person).email_verified
        reset(world, emailed_token(world, person))
        assert person_of(person).email_verified

    def test_verified_address_has_unchanged_verification_time(
        self, world: World, person: Someone
    ) -> None:
        before = PersonItem.get(*person_key(PersonScope(person.id))).email_verified_at
        world.advance(days=1)
        reset(world, emailed_token(world, person))
        assert PersonItem.get(*person_key(PersonScope(person.id))).email_verified_at == before

    def test_session_opened_afterwards_is_valid(self, world: World, person: Someone) -> None:
        reset(world, emailed_token(world, person))
        assert signs_in(world, try_sign_in(world, person.email, NEW).json["token"])

    def test_unknown_token_is_refused(self, world: World) -> None:
        assert reset(world, "unknown").problem() == (422, "token_invalid")

    def test_token_is_valid_once(self, world: World, person: Someone) -> None:
        token = emailed_token(world, person)
        assert reset(world, token).status == 204
        assert reset(world, token, PASSWORD).problem() == (422, "token_invalid")
        assert verify_password(person_of(person).password_hash, NEW)

    def test_token_expires_after_thirty_minutes(self, world: World, person: Someone) -> None:
        token = emailed_token(world, person)
        world.advance(minutes=30)
        assert reset(world, token).problem() == (422, "token_invalid")
        assert verify_password(person_of(person).password_hash, PASSWORD)

    def test_new_password_ends_every_other_link(self, world: World, person: Someone) -> None:
        first, second = emailed_token(world, person), emailed_token(world, person)
        assert reset(world, first).status == 204
        assert reset(world, second, PASSWORD).problem() == (422, "token_invalid")

    def test_changed_address_invalidates_link_sent_to_the_old_one(
        self, world: World, person: Someone
    ) -> None:
        token = emailed_token(world, person)
        row = PersonItem.get(*person_key(PersonScope(person.id)))
        row.update([PersonItem.email.set(f"moved.{CANARY}@example.com")])
        assert reset(world, token).problem() == (422, "token_invalid")

    @pytest.mark.parametrize("attribute", [PersonItem.email, PersonItem.password_hash])
    def test_concurrently_changed_address_or_password_invalidates_link(
        self, world: World, person: Someone, attribute: UnicodeAttribute
    ) -> None:
        token, row = emailed_token(world, person), PersonItem(*person_key(PersonScope(person.id)))

        def moves() -> None:
            row.update([attribute.set("moved@example.com")], add_version_condition=False)

        with before_the_commit(moves):
            assert reset(world, token).problem() == (422, "token_invalid")
        row.refresh(consistent_read=True)
        assert row.password_hash == "moved@example.com" or verify_password(
            row.password_hash, PASSWORD
        )

    def test_deleted_account_invalidates_link(self, world: World, person: Someone) -> None:
        token = emailed_token(world, person)
        PersonItem.get(*person_key(PersonScope(person.id))).delete()
        assert reset(world, token).problem() == (422, "token_invalid")

    def test_token_of_unknown_address_has_no_person(self, world: World) -> None:
        forgot(world, f"x.{CANARY}@example.com")
        [row] = [row for row in world.rows("token#") if isinstance(row, ResetItem)]
        assert row.person_id.int == 0

    def test_ends_two_hundred_sessions(self, world: World, person: Someone) -> None:
        owner = person_of(person)
        for _ in range(5):
            changes = Changes()
            for _ in range(40):
                open_session(changes, owner, Device(None, None, None), None)
            changes.commit()
        token = emailed_token(world, person)
        assert reset(world, token).status == 204
        assert not [row for row in world.rows() if isinstance(row, SessionItem)]
        assert not [row for row in world.rows() if isinstance(row, SessionPointerItem)]


def test_session_rows_expire_after_90_days(world: World, person: Someone) -> None:
    """A row that no sweep removed expires 90 days after the sign-in."""
    rows = [row for row in world.rows() if isinstance(row, SessionItem | SessionPointerItem)]
    assert len(rows) == 2
    [session] = [row for row in rows if isinstance(row, SessionItem)]
    latest = session.signed_in_at + timedelta(days=90)
    assert {row.expiration.replace(microsecond=0) for row in rows} == {
        latest.replace(microsecond=0)
    }
