"""Limits: exact in every window, also for attempts made at the same time."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storepost.accounts.identity import limits
from storepost.accounts.identity.credentials import AttemptsItem
from storepost.accounts.identity.limits import (
    Attempt,
    Limit,
    count_for_address,
    count_for_person,
    count_for_source,
    give_back,
)
from storepost.accounts.identity.problems import CodeSendLimit, SignInLimit
from storepost.platform.persistence.item import Key, find
from storepost.values import clock
from storepost.values.scope import PersonScope
from tests.harness.world import CANARY, World

BEGIN = datetime(2030, 1, 1, tzinfo=UTC)
THREE = Limit("three", 3, timedelta(seconds=10), CodeSendLimit)
LOCK = Limit("lock", 3, timedelta(seconds=10), SignInLimit, locks=True)
ADDRESS = f"limited.{CANARY}@example.com"


class Time:
    """A clock that stops until a test moves it."""

    def __init__(self) -> None:
        self.now = BEGIN

    def move(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch, world: World) -> Iterator[Time]:
    """A stopped clock, in an empty world."""
    stopped = Time()
    monkeypatch.setattr(clock, "now", lambda: stopped.now)
    yield stopped
    monkeypatch.undo()


def refused_for(limit: Limit, email: str = ADDRESS) -> int | None:
    """For how many seconds an attempt is refused; None if it is allowed."""
    try:
        count_for_address(limit, email)
    except limit.problem as problem:
        return int(problem.headers["Retry-After"])
    return None


def test_window_slides(time: Time) -> None:
    assert refused_for(THREE) is None
    time.move(4)
    assert refused_for(THREE) is None
    time.move(4)
    assert refused_for(THREE) is None
    assert refused_for(THREE) == 2
    time.move(1.999)
    assert refused_for(THREE) == 1
    time.move(0.001)
    assert refused_for(THREE) is None
    assert refused_for(THREE) == 4


def test_lock_lasts_a_full_window_after_the_last_attempt(time: Time) -> None:
    for _ in range(3):
        assert refused_for(LOCK) is None
        time.move(4)
    assert refused_for(LOCK) == 6
    time.move(5.999)
    assert refused_for(LOCK) == 1
    time.move(0.001)
    assert [refused_for(LOCK) for _ in range(4)] == [None, None, None, 10]


def test_attempts_are_numbered(time: Time) -> None:
    attempts = [count_for_address(THREE, ADDRESS) for _ in range(3)]
    assert [attempt.number for attempt in attempts] == [1, 2, 3]
    assert [attempt.is_last for attempt in attempts] == [False, False, True]


def test_refunded_attempt_is_not_counted(time: Time) -> None:
    first, second, _ = (count_for_address(THREE, ADDRESS) for _ in range(3))
    give_back(first)
    assert refused_for(THREE) is None
    assert refused_for(THREE) == 10
    give_back(second)
    give_back(second)  # of three that were made at one moment, whichever
    assert [refused_for(THREE) for _ in range(3)] == [None, None, 10]


def test_expired_attempt_can_be_refunded(time: Time) -> None:
    attempt = count_for_address(THREE, ADDRESS)
    time.move(10)
    count_for_address(THREE, ADDRESS)
    give_back(attempt)
    row = find(AttemptsItem, attempt.key)
    assert row is not None
    assert row.made == [round(time.now.timestamp() * 1000)]


def test_subjects_are_counted_separately(time: Time) -> None:
    one, other = PersonScope(uuid4()), PersonScope(uuid4())
    for _ in range(3):
        count_for_person(THREE, one)
        count_for_source(THREE, "198.51.100.1")
        count_for_address(THREE, ADDRESS)
    assert count_for_person(THREE, other).number == 1
    assert count_for_source(THREE, "198.51.100.2").number == 1
    assert count_for_address(THREE, f"other.{CANARY}@example.com").number == 1
    assert count_for_address(LOCK, ADDRESS).number == 1
    with pytest.raises(CodeSendLimit):
        count_for_person(THREE, one)
    with pytest.raises(CodeSendLimit):
        count_for_source(THREE, "198.51.100.1")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::2", True),
        ("2001:db8:1:2::1", "2001:DB8:1:2::1", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        (None, None, True),
        (None, "198.51.100.1", False),
    ],
)
def test_ipv6_64_prefix_is_one_source(
    time: Time, one: str | None, other: str | None, same: bool
) -> None:
    count_for_source(THREE, one)
    assert (count_for_source(THREE, other).number == 2) is same


def test_row_expires_with_the_window(time: Time) -> None:
    row = find(AttemptsItem, count_for_address(THREE, ADDRESS).key)
    assert row is not None
    assert row.expiration == BEGIN + timedelta(seconds=10)


def test_concurrent_attempt_is_counted(time: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        count_for_address(THREE, ADDRESS)
    others = iter([True])
    between: list[Attempt] = []

    def slow(model: type[AttemptsItem], key: Key) -> AttemptsItem | None:
        row = find(model, key)
        if next(others, False):
            between.append(count_for_address(THREE, ADDRESS))
        return row

    monkeypatch.setattr(limits, "find", slow)
    assert refused_for(THREE) == 10
    assert [attempt.number for attempt in between] == [3]


def test_repeatedly_lost_race_is_refused(time: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    count_for_address(THREE, ADDRESS)
    monkeypatch.setattr(limits, "find", lambda _model, _key: None)  # always too late
    with pytest.raises(CodeSendLimit) as refused:
        count_for_address(THREE, ADDRESS)
    assert refused.value.headers == {"Retry-After": "1"}


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.tuples(st.integers(0, 12_000), st.booleans()), max_size=12), st.booleans())
def test_no_window_exceeds_the_limit(
    time: Time, steps: list[tuple[int, bool]], locks: bool
) -> None:
    """Against a plain list of the moments that count; a lock looks at where the list was full."""
    limit, address = LOCK if locks else THREE, f"{uuid4()}.{CANARY}@example.com"
    counted: list[datetime] = []
    locked_until = BEGIN
    for wait, right in steps:
        time.move(wait / 1000)
        counted = [moment for moment in counted if moment > time.now - limit.within]
        free = len(counted) < limit.most and (not locks or time.now >= locked_until)
        try:
            attempt = count_for_address(limit, address)
        except limit.problem:
            assert not free
            continue
        assert free
        if right:
            give_back(attempt)
            continue
        counted.append(time.now)
        if len(counted) == limit.most:
            locked_until = time.now + limit.within
