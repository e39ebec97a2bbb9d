"""Sessions and trusted browsers: opened one by one, ended all at once in one write."""

from collections.abc import Callable

import pytest

from storepost.accounts.identity import sessions, trusted_browsers
from storepost.accounts.identity.credentials import TrustedBrowserItem
from storepost.accounts.identity.model import Person
from storepost.accounts.identity.repository import (
    sessions_of,
)
from storepost.accounts.identity.sessions import Device, device_of, end_all_sessions, open_session
from storepost.accounts.identity.tokens import digest
from storepost.accounts.identity.trusted_browsers import (
    PREFIX,
    count_trusted,
    is_trusted,
    revoke_all,
    trust_browser,
)
from storepost.platform.persistence.changes import Changes, LostRace
from storepost.values import clock
from storepost.values.scope import PersonScope
from tests.harness.accounts import person_of, session_of
from tests.harness.world import World

NOWHERE = Device(None, None, None)


def opened(person: Person) -> str:
    changes = Changes()
    token, _ = open_session(changes, person, NOWHERE, None)
    changes.commit()
    return token


def trusted(person: Person) -> str:
    changes = Changes()
    token = trust_browser(changes, person)
    changes.commit()
    return token


def valid(world: World, token: str) -> bool:
    return world.call("GET", "/invitations", token=token).status != 401


def fail(*_: object) -> None:
    raise RuntimeError("killed")


class TestEndAllSessions:
    """`end_all_sessions`."""

    def test_excepted_session_stays_valid(self, world: World) -> None:
        someone, other = world.person(), world.person()
        tokens = [opened(person_of(someone)) for _ in range(3)]
        changes = Changes()
        end_all_sessions(changes, person_of(someone), session_of(tokens[1]))
        changes.commit()
        assert [valid(world, token) for token in tokens] == [False, True, False]
        assert not valid(world, someone.token)
        assert valid(world, other.token)
        [remaining] = sessions_of(PersonScope(someone.id))
        assert remaining.token_digest == digest(tokens[1])
        assert remaining.is_live(person_of(someone), clock.now())

    def test_second_call_ends_the_excepted_session(self, world: World) -> None:
        someone = world.person()
        for excepted in (session_of(someone.token), None):
            changes = Changes()
            end_all_sessions(changes, person_of(someone), excepted)
            changes.commit()
        assert not valid(world, someone.token)

    def test_all_are_ended_if_killed_after_the_commit(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        someone = world.person()
        monkeypatch.setattr(sessions, "sweep", fail)
        changes = Changes()
        end_all_sessions(changes, person_of(someone))
        changes.commit()
        assert not valid(world, someone.token)
        [remaining] = sessions_of(PersonScope(someone.id))
        assert not remaining.is_live(person_of(someone), clock.now())

    def test_concurrently_opened_session_is_ended(self, world: World) -> None:
        someone = world.person()
        read_before = person_of(someone)
        changes = Changes()
        end_all_sessions(changes, read_before)
        changes.commit()
        assert not valid(world, opened(read_before))
        assert valid(world, opened(person_of(someone)))

    def test_concurrent_call_loses_the_race(self, world: World) -> None:
        person = person_of(world.person())
        first, second = Changes(), Changes()
        end_all_sessions(first, person)
        end_all_sessions(second, person)
        first.commit()
        with pytest.raises(LostRace):
            second.commit()

    def test_sweep_leaves_sessions_of_the_current_epoch(self, world: World) -> None:
        someone = world.person()
        before = person_of(someone)
        changes = Changes()
        end_all_sessions(changes, before)
        changes.commit()
        fresh = opened(person_of(someone))
        sessions.sweep(before, before.sessions_epoch + 1)
        assert valid(world, fresh)


class TestTrustedBrowsers:
    """Trusting browsers and forgetting them."""

    def test_token_has_256_bits_and_is_valid_for_one_person(self, world: World) -> None:
        someone = world.person()
        token = trusted(person_of(someone))
        assert token.startswith(PREFIX)
        assert len(token) == len(PREFIX) + 43
        assert is_trusted(person_of(someone), token)
        assert not is_trusted(person_of(world.person()), token)
        assert not is_trusted(person_of(someone), token + "x")

    def test_trust_expires_after_thirty_days(self, world: World) -> None:
        person = person_of(world.person())
        token = trusted(person)
        world.advance(days=29, hours=23)
        assert (is_trusted(person, token), count_trusted(person)) == (True, 1)
        world.advance(hours=1)
        assert (is_trusted(person, token), count_trusted(person)) == (False, 0)

    def test_revoke_all_ends_only_the_persons_trust(self, world: World) -> None:
        someone, other = world.person(), world.person()
        tokens = [trusted(person_of(someone)) for _ in range(3)]
        theirs = trusted(person_of(other))
        assert count_trusted(person_of(someone)) == 3
        changes = Changes()
        revoke_all(changes, person_of(someone))
        changes.commit()
        after = person_of(someone)
        assert [is_trusted(after, token) for token in tokens] == [False] * 3
        assert count_trusted(after) == 0
        assert is_trusted(person_of(other), theirs)
        assert len([row for row in world.rows() if isinstance(row, TrustedBrowserItem)]) == 1
        assert is_trusted(after, trusted(after))

    @pytest.mark.parametrize("killed", [True, False])
    def test_concurrently_trusted_browser_is_revoked(
        self, world: World, monkeypatch: pytest.MonkeyPatch, killed: bool
    ) -> None:
        someone = world.person()
        before = person_of(someone)
        early = trusted(before)
        if killed:
            monkeypatch.setattr(trusted_browsers, "sweep", fail)
        changes = Changes()
        revoke_all(changes, before)
        changes.commit()
        late, after = trusted(before), person_of(someone)
        assert [is_trusted(after, token) for token in (early, late)] == [False, False]
        assert count_trusted(after) == 0

    def test_revoke_all_exceeds_one_transaction(self, world: World) -> None:
        person = person_of(world.person())
        for _ in range(2):
            changes = Changes()
            for _ in range(60):
                trust_browser(changes, person)
            changes.commit()
        changes = Changes()
        revoke_all(changes, person)
        changes.commit()
        assert not [row for row in world.rows() if isinstance(row, TrustedBrowserItem)]


@pytest.mark.parametrize(
    ("agent", "browser", "system"),
    [
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
            "Chrome/128.0.0.0 Safari/537.36",
            "Chrome",
            "Windows",
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 "
            "(KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
            "Mobile Safari",
            "iOS",
        ),
        ("nothing that anybody knows", None, None),
        ("", None, None),
        (None, None, None),
    ],
)
def test_device_from_user_agent(agent: str | None, browser: str | None, system: str | None) -> None:
    assert device_of("198.51.100.1", agent) == Device(browser, system, "198.51.100.1")


def test_failure_after_the_commit_is_ignored(world: World) -> None:
    """A step after the commit is best effort: the write stays, and the next step runs."""
    ran: list[str] = []
    changes = Changes()
    steps: list[Callable[[], None]] = [fail, lambda: ran.append("second")]
    for step in steps:
        changes.after_commit(step)
    changes.commit()
    assert ran == ["second"]
