"""Strangers can guess and request emails, but they lock nobody out of their own account."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storepost.accounts.identity import limits, password_checks
from storepost.accounts.identity.known_places import remember_source
from storepost.accounts.identity.model import Person
from storepost.accounts.identity.password_checks import Place, check_password
from storepost.accounts.identity.problems import CredentialsInvalid, SignInLimit
from storepost.accounts.identity.trusted_browsers import trust_browser
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from tests.accounts.me import accounts as signed_in
from tests.accounts.sign_in.accounts import (
    PASSWORD,
    account,
    challenged,
    try_sign_in,
    with_app,
    with_email_codes,
)
from tests.harness.accounts import person_of
from tests.harness.world import CANARY, Someone, World

HOME, ELSEWHERE = "198.51.100.1", "203.0.113.99"
RIGHT, WRONG = "right", "wrong"
STRANGER = f"nobody.{CANARY}@example.com"


@pytest.fixture
def person(world: World) -> Someone:
    """A person with a password."""
    return account(world)


def sign_up(world: World, email: str, source_ip: str = ELSEWHERE) -> int:
    """Signs up with the address: the status."""
    body = {"name": "A", "email": email, "password": PASSWORD}
    return world.call("POST", "/auth/sign-up", json_body=body, source_ip=source_ip).status


def forget(world: World, email: str, source_ip: str = ELSEWHERE) -> int:
    """Requests a new password for the address: the status."""
    body = {"email": email}
    answer = world.call("POST", "/auth/password/forgot", json_body=body, source_ip=source_ip)
    return answer.status


def templates(world: World, person: Someone) -> list[str]:
    """The subjects of the emails to a person."""
    return [email.subject for email in world.emails() if email.to == person.email]


class TestEmails:
    """Five of each kind an hour, counted separately."""

    def test_each_kind_of_email_is_limited_separately(self, world: World, person: Someone) -> None:
        with_email_codes(person)
        stranger = signed_in.account(world)
        for _ in range(6):
            sign_up(world, person.email)
            forget(world, person.email)
            body = {"email": person.email, "password": signed_in.PASSWORD}
            stranger.call("POST", "/me/email", body)
        for _ in range(5):
            sent = {"challenge": challenged(world, person)}
            assert world.call("POST", "/auth/two-factor/send-code", json_body=sent).status == 204
        sent = {"challenge": challenged(world, person)}
        refused = world.call("POST", "/auth/two-factor/send-code", json_body=sent)
        assert refused.problem() == (429, "code_send_limit")
        names = templates(world, person)
        assert sorted(names.count(each) for each in set(names)) == [5, 5, 5, 5]

    def test_limit_of_100_password_resets_per_source(self, world: World, person: Someone) -> None:
        for number in range(100):
            assert forget(world, f"{number}.{CANARY}@example.com") == 202
        for email in (person.email, STRANGER):
            body = {"email": email}
            answer = world.call(
                "POST", "/auth/password/forgot", json_body=body, source_ip=ELSEWHERE
            )
            assert answer.problem() == (429, "password_reset_limit")
            assert 0 < int(answer.header("retry-after") or 0) <= 3600
        assert sign_up(world, STRANGER) == 202
        assert forget(world, person.email, HOME) == 202
        assert len(templates(world, person)) == 1


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Compares passwords as text: RIGHT is everybody's; the list of passwords compared."""
    compared: list[str] = []

    def verify(password_hash: str | None, password: str) -> bool:
        compared.append(password)
        return password_hash is not None and password == RIGHT

    monkeypatch.setattr(password_checks, "verify_password", verify)
    return compared


def guess(person: Person | None, password: str, ip: str = ELSEWHERE, browser: str = "") -> str:
    """What becomes of a password: `passes`, `wrong`, or `limit`."""
    email = person.email if person else STRANGER
    try:
        place = Place(ip, browser or None)
        check_password(person, email, place, password, CredentialsInvalid())
    except SignInLimit:
        return "limit"
    except CredentialsInvalid:
        return "wrong"
    return "passes"


def from_everywhere(person: Person | None, times: int) -> None:
    """So many wrong passwords, each from a source of its own."""
    for number in range(times):
        assert guess(person, WRONG, f"192.0.2.{number}") == "wrong"


class TestPasswords:
    def test_ten_wrong_from_one_source_do_not_block_other_sources(
        self, world: World, person: Someone, plain: list[str]
    ) -> None:
        somebody = person_of(person)
        assert [guess(somebody, WRONG) for _ in range(11)] == ["wrong"] * 10 + ["limit"]
        assert guess(somebody, RIGHT) == "limit"
        assert guess(somebody, RIGHT, HOME) == "passes"

    def test_100_wrong_from_all_sources_block_unknown_sources(
        self, world: World, person: Someone, plain: list[str]
    ) -> None:
        for somebody in (person_of(person), None):
            from_everywhere(somebody, 100)
            compared = len(plain)
            assert guess(somebody, RIGHT) == "limit"
            assert len(plain) == compared
        world.advance(minutes=15)
        assert guess(person_of(person), RIGHT) == "passes"

    def test_known_source_is_not_blocked(self, world: World, plain: list[str]) -> None:
        person = account(world)
        assert try_sign_in(world, person.email, RIGHT, source_ip=HOME).status == 200
        somebody = person_of(person)
        from_everywhere(somebody, 100)
        assert guess(somebody, RIGHT, HOME) == "passes"
        assert guess(somebody, WRONG, HOME) == "limit"
        assert guess(person_of(account(world)), RIGHT, HOME) == "passes"
        assert guess(somebody, RIGHT) == "limit"
        # The answer over the interface stays the same.
        answer = try_sign_in(world, person.email, RIGHT, source_ip=HOME)
        assert (answer.status, answer.json["status"]) == (200, "signed_in")

    def test_known_source_expires_after_thirty_days(self, world: World, plain: list[str]) -> None:
        person = account(world)
        assert try_sign_in(world, person.email, RIGHT, source_ip=HOME).status == 200
        for after, expected in (({"days": 29}, "passes"), ({"days": 1}, "limit")):
            world.advance(**after)
            from_everywhere(person_of(person), 100)
            assert guess(person_of(person), RIGHT, HOME) == expected

    def test_password_without_second_step_makes_no_source_known(
        self, world: World, plain: list[str]
    ) -> None:
        """An account with a second step knows a source only once that step succeeded from there."""
        person = account(world)
        with_app(person)
        answer = try_sign_in(world, person.email, RIGHT, source_ip=HOME)
        assert answer.json["status"] == "two_factor_required"
        from_everywhere(person_of(person), 100)
        assert guess(person_of(person), RIGHT, HOME) == "limit"

    def test_trusted_browser_is_not_blocked(
        self, world: World, person: Someone, plain: list[str]
    ) -> None:
        somebody, other = person_of(person), person_of(account(world))
        changes = Changes()
        browser, theirs = trust_browser(changes, somebody), trust_browser(changes, other)
        changes.commit()
        from_everywhere(somebody, 100)
        assert guess(somebody, RIGHT, browser=browser) == "passes"
        assert guess(somebody, WRONG, browser=browser) == "limit"
        assert guess(somebody, RIGHT, browser=theirs) == "limit"
        assert guess(somebody, RIGHT, browser="stb_of_nobody") == "limit"
        world.advance(days=30)
        from_everywhere(somebody, 100)
        assert guess(somebody, RIGHT, browser=browser) == "limit"

    def test_guesses_from_a_known_source_are_limited(
        self, world: World, person: Someone, plain: list[str]
    ) -> None:
        """A person who shares the source, or stole the browser's token, gets no more guesses."""
        somebody, changes = person_of(person), Changes()
        browser = trust_browser(changes, somebody)
        remember_source(changes, somebody, HOME)
        changes.commit()
        for number in range(10 + 100 + 5):
            assert guess(somebody, WRONG, HOME) == ("wrong" if number < 10 else "limit")
        assert plain == [WRONG] * 110
        assert guess(somebody, RIGHT, HOME) == "limit"
        assert guess(somebody, RIGHT, HOME, browser) == "passes"

    def test_sources_are_not_stored_readable(self, world: World, person: Someone) -> None:
        assert try_sign_in(world, person.email, source_ip=HOME).status == 200
        [row] = [row for row in world.rows() if row.sk.startswith("known_source#")]
        assert HOME not in f"{row.pk}{row.sk}"
        assert row.expiration is not None


@dataclass
class Model:
    """The rules of wrong passwords, over a plain list of them."""

    known: set[tuple[int, int]]
    made: list[tuple[datetime, int, int]] = field(default_factory=list)
    extra: list[tuple[datetime, int, int]] = field(default_factory=list)

    def outcome(self, now: datetime, address: int, source: int, *, right: bool) -> str:
        """What becomes of a password; a wrong one that was compared counts."""
        since = now - timedelta(minutes=15)
        recent = [each for each in self.made if each[0] > since]
        of_address = [each for each in recent if each[1] == address]
        is_full = (
            len([each for each in of_address if each[2] == source]) >= 2
            or len(of_address) >= 4
            or len([each for each in recent if each[2] == source]) >= 4
        )
        extra = [each for each in self.extra if each[0] > since and each[1:] == (address, source)]
        if is_full and ((address, source) not in self.known or len(extra) >= 3):
            return "limit"
        if right:
            return "passes"
        (self.extra if is_full else self.made).append((now, address, source))
        return "limit" if is_full else "wrong"


STEPS = st.lists(
    st.tuples(
        st.integers(0, 400), st.integers(0, 2), st.integers(0, 2), st.sampled_from([True, False])
    ),
    max_size=30,
)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(STEPS, st.sets(st.tuples(st.integers(0, 2), st.integers(0, 2))))
def test_limits_match_a_plain_model(
    world: World,
    plain: list[str],
    monkeypatch: pytest.MonkeyPatch,
    steps: list[tuple[int, int, int, bool]],
    known: set[tuple[int, int]],
) -> None:
    """Limits of 2, 4, 4 and 3 in the places of 10, 100, 100 and 100."""
    now = datetime(2030, 1, 1, tzinfo=UTC)
    world.close()
    people = [person_of(world.person()) for _ in range(3)]
    with monkeypatch.context() as patched:
        patched.setattr(clock, "now", lambda: now)
        for name, most in {"PAIR": 2, "ADDRESS": 4, "SOURCE": 4, "PLACE": 3}.items():
            limit = getattr(limits, f"PASSWORDS_OF_{name}")
            patched.setattr(limits, f"PASSWORDS_OF_{name}", replace(limit, most=most))
        changes = Changes()
        for address, source in known:
            remember_source(changes, people[address], f"192.0.2.{source}")
        changes.commit()
        model = Model(known)
        for wait, address, source, right in steps:
            now += timedelta(seconds=wait)
            outcome = guess(people[address], RIGHT if right else WRONG, f"192.0.2.{source}")
            assert outcome == model.outcome(now, address, source, right=right)
