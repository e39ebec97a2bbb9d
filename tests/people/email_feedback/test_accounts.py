"""SES's events about emails to accounts: a sign-in asks for another address."""

from itertools import permutations
from typing import Any

import pytest

from local.aws import ses_events
from storepost.accounts.identity.repository import PersonItem
from tests.accounts.me.accounts import code_in
from tests.accounts.sign_in.accounts import PASSWORD, account, try_sign_in
from tests.harness.accounts import row_of
from tests.harness.engines import engine
from tests.harness.world import CANARY, Someone, World
from tests.people.email_feedback.ses_events import say, sent

NEW = f"newer.{CANARY}@example.com"


@pytest.fixture
def person(world: World) -> Someone:
    """A person with a password and no second step."""
    return account(world, f"Petra {CANARY}")


def write_to(world: World, someone: Someone) -> None:
    """Sends an email to the account's address."""
    body = {"email": someone.email}
    assert world.call("POST", "/auth/password/forgot", json_body=body).status == 202
    world.deliver()


def asked_for_another(world: World, someone: Someone, email: str | None = None) -> bool:
    """Whether a sign-in, and the account, ask for another address."""
    signed_in = try_sign_in(world, email or someone.email)
    assert signed_in.status == 200, signed_in.body
    me = world.call("GET", "/me", token=signed_in.json["token"]).json["user"]
    assert me["emailUndeliverable"] is signed_in.json["emailUndeliverable"]
    return bool(me["emailUndeliverable"])


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (ses_events.delivery, False),
        (ses_events.bounce, True),
        (lambda email: ses_events.bounce(email, "Permanent", "NoEmail"), True),
        (lambda email: ses_events.bounce(email, "Transient", "MailboxFull"), False),
        (ses_events.complaint, False),
    ],
)
def test_event_decides_whether_account_email_is_undeliverable(
    world: World, person: Someone, event: Any, expected: bool
) -> None:
    write_to(world, person)
    [email] = sent(world)
    assert email.tags == {"kind": "account", "id": str(person.id)}
    say(world, event(email))
    assert asked_for_another(world, person) is expected


def test_newest_email_decides_in_any_event_order_with_duplicates(
    world: World, person: Someone
) -> None:
    write_to(world, person)
    world.advance(hours=2)
    write_to(world, person)
    one, two = sent(world)
    events = [ses_events.bounce(one), ses_events.delivery(two), ses_events.bounce(one)]
    put_back = world.checkpoint()
    for order in permutations(events):
        put_back()
        say(world, *order)
        assert asked_for_another(world, person) is False
    put_back()
    say(world, ses_events.bounce(two), ses_events.delivery(two), ses_events.delivery(one))
    assert asked_for_another(world, person) is True


def test_two_factor_sign_in_reports_undeliverable_email(world: World, person: Someone) -> None:
    write_to(world, person)
    say(world, *map(ses_events.bounce, sent(world)))
    world.turn_two_factor_on(person)
    response = try_sign_in(world, person.email)
    assert response.json["status"] == "two_factor_required"
    assert "emailUndeliverable" not in response.json  # nothing about the account before both steps
    challenge = {"challenge": response.json["challenge"]}
    assert world.call("POST", "/auth/two-factor/send-code", json_body=challenge).status == 204
    world.deliver()
    body = {**challenge, "method": "email", "code": code_in(world.emails()[-1])}
    for trusts in (False, True):
        put_back = world.checkpoint()
        tried = {**body, "trustBrowser": trusts}
        answer = world.call("POST", "/auth/two-factor/verify", json_body=tried)
        assert (answer.status, answer.json["emailUndeliverable"]) == (200, True)
        put_back()


def test_new_address_is_unaffected_by_bounces_of_old_one(world: World, person: Someone) -> None:
    write_to(world, person)
    say(world, *map(ses_events.bounce, sent(world)))
    body: dict[str, str] = {"email": NEW, "password": PASSWORD}
    assert person.call("POST", "/me/email", body).status == 202
    world.deliver()
    code = {"code": code_in(world.emails()[-1])}
    confirmed = person.call("POST", "/me/email/confirm", code)
    assert confirmed.status == 204
    world.deliver()
    assert row_of(person).email_result is None
    say(world, *map(ses_events.bounce, sent(world, person.email)))
    assert asked_for_another(world, person, NEW) is False
    say(world, *map(ses_events.bounce, sent(world, NEW)))
    assert asked_for_another(world, person, NEW) is True


def test_international_domain_matches_punycode(world: World) -> None:
    person = account(world, f"Petra {CANARY}")
    row = PersonItem(*row_of(person).key)
    row.update([PersonItem.email.set("petra.canary@bücher.example")], add_version_condition=False)
    write_to_row = ses_events.SentEmail(
        "an-id",
        "petra.canary@xn--bcher-kva.example",
        "storepost@example.com",
        "EmailConfiguration",
        {"kind": "account", "id": str(person.id)},
        row_of(person).created_at,
    )
    say(world, ses_events.bounce(write_to_row))
    assert row_of(person).email_result is not None


def test_bounce_for_deleted_account_writes_nothing(world: World, person: Someone) -> None:
    write_to(world, person)
    [email] = sent(world)
    assert person.call("POST", "/me/delete", {"password": PASSWORD}).status == 204
    world.deliver()
    before = engine().stored()
    say(world, ses_events.bounce(email))
    assert engine().stored() == before


def test_bounce_of_sign_up_email_writes_nothing(world: World) -> None:
    body = {"name": "Ann", "email": f"ann.{CANARY}@example.com", "password": "correct horse bat"}
    assert world.call("POST", "/auth/sign-up", json_body=body).status == 202
    world.deliver()
    [email] = sent(world)
    assert email.tags["kind"] == "sign_up"
    before = engine().stored()
    say(world, ses_events.bounce(email))
    assert engine().stored() == before
    assert world.queue_depth("SesFeedbackQueue") == 0
