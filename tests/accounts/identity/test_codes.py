"""Emailed codes: ten minutes, five tries, once."""

import secrets
from datetime import timedelta

import pytest

from storepost.accounts.identity import codes
from storepost.accounts.identity.codes import check_code, issue_code, use_code
from storepost.accounts.identity.credentials import EmailedCodeItem
from storepost.accounts.identity.problems import ChallengeClosed, CodeInvalid
from storepost.platform.persistence.changes import Changes, LostRace
from storepost.platform.persistence.item import Key, find
from storepost.platform.persistence.sealing import Purpose, code_matches
from storepost.values import clock
from storepost.values.problems import Problem
from tests.harness.world import World

KEY: Key = ("person#someone", "code#new_address")
ELSEWHERE: Key = ("person#someone", "code#two_factor")


def issued(key: Key = KEY) -> str:
    changes = Changes()
    code = issue_code(changes, key)
    changes.commit()
    return code


def another(code: str) -> str:
    return f"{(int(code) + 1) % 10**6:06d}"


def outcome(code: str, key: Key = KEY) -> type[Problem] | None:
    try:
        check_code(key, code)
    except Problem as problem:
        return type(problem)
    return None


def test_code_has_six_digits_and_is_stored_as_mac(world: World) -> None:
    code = issued()
    assert (len(code), code.isdecimal()) == (6, True)
    row = find(EmailedCodeItem, KEY)
    assert row is not None
    assert code not in row.mac
    assert len(row.mac) == 64
    assert row.tries == 0


def test_codes_may_begin_with_zeroes(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "randbelow", lambda _bound: 42)
    assert issued() == "000042"


def test_right_code_is_valid_until_used(world: World) -> None:
    code = issued()
    proven = check_code(KEY, code)
    assert check_code(KEY, code) == proven
    changes = Changes()
    use_code(changes, proven)
    changes.commit()
    assert outcome(code) is ChallengeClosed


def test_code_is_used_once(world: World) -> None:
    proven = check_code(KEY, issued())
    first, second = Changes(), Changes()
    use_code(first, proven)
    use_code(second, proven)
    first.commit()
    with pytest.raises(ChallengeClosed):
        second.commit()


def test_checked_code_is_refused_after_reissue(world: World) -> None:
    proven = check_code(KEY, issued())
    issued()
    changes = Changes()
    use_code(changes, proven)
    with pytest.raises(ChallengeClosed):
        changes.commit()


def test_same_digits_under_another_key_have_another_mac(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(secrets, "randbelow", lambda _bound: 123456)
    issued()
    issued(ELSEWHERE)
    here, there = find(EmailedCodeItem, KEY), find(EmailedCodeItem, ELSEWHERE)
    assert here is not None
    assert there is not None
    assert here.mac != there.mac


def test_code_is_closed_after_five_wrong_tries(world: World) -> None:
    code = issued()
    outcomes = [outcome(another(code)) for _ in range(6)]
    assert outcomes == [CodeInvalid] * 5 + [ChallengeClosed]
    assert outcome(code) is ChallengeClosed


def test_fifth_try_may_be_right(world: World) -> None:
    code = issued()
    assert [outcome(another(code)) for _ in range(4)] == [CodeInvalid] * 4
    assert outcome(code) is None


def test_code_expires_after_ten_minutes(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    begin = clock.now()
    monkeypatch.setattr(clock, "now", lambda: begin)
    code = issued()
    monkeypatch.setattr(clock, "now", lambda: begin + timedelta(minutes=10, milliseconds=-1))
    assert outcome(code) is None
    monkeypatch.setattr(clock, "now", lambda: begin + timedelta(minutes=10))
    assert outcome(code) is ChallengeClosed
    monkeypatch.undo()


def test_new_code_resets_the_tries(world: World) -> None:
    for _ in range(5):
        outcome(another(issued()))
    code = issued()
    for _ in range(4):
        outcome(another(code))
    assert outcome(code) is None


def test_check_without_issued_code_is_refused(world: World) -> None:
    assert outcome("123456") is ChallengeClosed


@pytest.mark.parametrize(
    "code", ["12345", "1234567", "abc", "\uff11\uff12\uff13\uff14\uff15\uff16", "\N{BELL}"]
)
def test_malformed_code_is_wrong(world: World, code: str) -> None:
    issued()
    assert outcome(code) is CodeInvalid


def test_concurrent_guesses_are_limited_to_five(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twenty guesses read the row before any of them was counted: five are compared."""
    code = issued()
    row, compared = find(EmailedCodeItem, KEY), []

    def spy(code: str, purpose: Purpose, context: str, mac: str) -> bool:
        compared.append(code)
        return code_matches(code, purpose, context, mac)

    monkeypatch.setattr(codes, "find", lambda _model, _key: row)
    monkeypatch.setattr(codes, "code_matches", spy)
    outcomes: list[type[Exception]] = []
    for _ in range(20):
        with pytest.raises((CodeInvalid, LostRace)) as raised:
            check_code(KEY, another(code))
        outcomes.append(raised.type)
    assert outcomes == [CodeInvalid] * 5 + [LostRace] * 15
    assert len(compared) == 5


def test_guess_that_races_a_reissue_is_not_compared(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    issued()
    row = find(EmailedCodeItem, KEY)
    code = issued()
    with monkeypatch.context() as stale:
        stale.setattr(codes, "find", lambda _model, _key: row)
        with pytest.raises(LostRace):
            check_code(KEY, code)
    assert outcome(code) is None
