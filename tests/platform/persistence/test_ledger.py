"""The results of a request's rows that a ledger keeps, and for whom."""

from uuid import uuid4

import pytest

from storepost.accounts.identity.repository import EmailClaimItem
from storepost.platform.persistence.changes import Changes, LostRace
from storepost.platform.persistence.ledger import Ledger, LedgerItem
from tests.harness.world import World


def stored_ledger(request_id: str = "request") -> Ledger:
    """A run's ledger, read."""
    ledger = Ledger()
    ledger.keep_under(request_id)
    ledger.read()
    return ledger


def effect(name: str) -> Changes:
    """One write."""
    changes = Changes()
    changes.create(EmailClaimItem(f"email#{name}", "claim", person_id=str(uuid4())))
    return changes


def effects(world: World) -> list[str]:
    """The stored writes."""
    return sorted(row.pk.removeprefix("email#") for row in world.rows("email#"))


def outcomes(ledger: Ledger) -> list[str | None]:
    """Of the first four rows."""
    return [ledger.outcome(row) for row in range(4)]


def test_results_without_a_key_are_not_stored(world: World) -> None:
    ledger = Ledger()
    ledger.commit(effect("a"), {1: "r"})
    ledger.read()
    assert outcomes(ledger) == [None, "r", None, None]
    assert list(LedgerItem.scan()) == []
    assert outcomes(Ledger()) == [None] * 4


def test_second_run_reads_results_and_start_time(world: World) -> None:
    first = stored_ledger()
    first.commit(effect("a"), {2: "r", 0: "u"})
    first.commit(effect("b"), {3: "o"})
    world.advance(minutes=5)
    second = stored_ledger()
    assert outcomes(second) == ["u", None, "r", "o"]
    assert second.began == first.began
    second.commit(effect("c"), {1: "r"})
    assert outcomes(stored_ledger()) == ["u", "r", "r", "o"]
    assert effects(world) == ["a", "b", "c"]


def test_other_request_has_a_separate_ledger(world: World) -> None:
    stored_ledger().commit(effect("a"), {0: "r"})
    assert outcomes(stored_ledger("other")) == [None] * 4


def test_concurrent_run_is_a_lost_race(world: World) -> None:
    first, second = stored_ledger(), stored_ledger()
    first.commit(effect("a"), {0: "r"})
    with pytest.raises(LostRace):
        second.commit(effect("b"), {0: "r"})
    assert effects(world) == ["a"]
    assert outcomes(second) == [None] * 4
    second.read()
    assert outcomes(second) == ["r", None, None, None]
    second.commit(effect("b"), {1: "u"})
    with pytest.raises(LostRace):
        first.commit(effect("c"), {2: "r"})
    assert effects(world) == ["a", "b"]


def test_failed_commit_stores_no_results(world: World) -> None:
    ledger = stored_ledger()
    ledger.commit(effect("a"), {0: "r"})
    with pytest.raises(LostRace):
        ledger.commit(effect("a"), {1: "r"})
    assert outcomes(ledger) == outcomes(stored_ledger()) == ["r", None, None, None]


def test_results_without_writes_are_stored_with_the_next_write(world: World) -> None:
    """A later write of another row stores them too."""
    ledger = stored_ledger()
    ledger.commit(Changes(), {0: "u"})
    assert outcomes(ledger) == ["u", None, None, None]
    assert outcomes(stored_ledger()) == [None] * 4
    ledger.commit(effect("a"), {1: "r"})
    assert outcomes(stored_ledger()) == ["u", "r", None, None]


def test_ledger_expires_after_a_day(world: World) -> None:
    """As long as the key counts; an older ledger is overwritten."""
    first = stored_ledger()
    first.commit(effect("a"), {0: "r"})
    world.advance(hours=23, minutes=59)
    assert outcomes(stored_ledger()) == ["r", None, None, None]
    world.advance(minutes=2)
    late = stored_ledger()
    assert outcomes(late) == [None] * 4
    assert late.began > first.began
    late.commit(effect("b"), {1: "r"})
    assert outcomes(stored_ledger()) == [None, "r", None, None]
