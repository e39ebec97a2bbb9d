"""Units with an alternative to rows that another transaction holds: they take it at once."""

from uuid import uuid4

import pytest
from botocore.exceptions import ClientError
from pynamodb.exceptions import TransactWriteError

from storepost.accounts.identity.repository import PersonItem, person_key
from storepost.platform.persistence.changes import Changes, LostRace
from storepost.platform.persistence.item import find
from storepost.platform.persistence.patience import patience
from storepost.values.problems import Busy
from storepost.values.scope import PersonScope
from tests.harness.faults import NO_ANSWER, FakeTime, faults, refusal
from tests.harness.world import World

FIRST = refusal("TransactionCanceledException", "TransactionConflict", "None")
"""Another transaction has the first of two rows; parts go in the order in which they came."""
SECOND = refusal("TransactionCanceledException", "None", "TransactionConflict")


class Renaming:
    """One unit that renames two people, the second of whom may be left out."""

    def __init__(self, world: World) -> None:
        self.people = [world.person(), world.person()]
        self.names = [person.name for person in self.people]
        self.changes = Changes()
        self.rows = [PersonItem(*person_key(PersonScope(p.id))) for p in self.people]
        for row in self.rows:
            self.changes.update(row, [PersonItem.name.set("Ann")], PersonItem.pk.exists())

    def leave_second_out(self) -> None:
        self.changes.withdraw(self.rows[1])

    @property
    def renamed(self) -> list[bool]:
        stored = [find(PersonItem, row.key) for row in self.rows]
        return [row is not None and row.name == "Ann" for row in stored]


@pytest.fixture
def renaming(world: World) -> Renaming:
    """Nothing committed yet."""
    return Renaming(world)


def test_contended_optional_row_is_left_out_at_once(renaming: Renaming) -> None:
    renaming.changes.where_contended(renaming.leave_second_out, renaming.rows[1:])
    with faults(SECOND, "TransactWriteItems", 1) as met:
        renaming.changes.commit()
    assert met.made == ["TransactWriteItems"] * 2
    assert renaming.renamed == [True, False]


@pytest.mark.usefixtures("fake_time")
def test_contended_required_row_is_retried(renaming: Renaming) -> None:
    """It still gives way for another row afterwards."""
    renaming.changes.where_contended(renaming.leave_second_out, renaming.rows[1:])
    errors = iter([FIRST, FIRST, SECOND])
    with patience(60_000), faults(lambda: next(errors), "TransactWriteItems", 3) as met:
        renaming.changes.commit()
    assert len(met.made) == 4
    assert renaming.renamed == [True, False]


def test_busy_when_no_time_is_left(renaming: Renaming, fake_time: FakeTime) -> None:
    renaming.changes.where_contended(renaming.leave_second_out, renaming.rows[1:])
    began = fake_time.now
    with patience(10_000), faults(FIRST, "TransactWriteItems"), pytest.raises(Busy):
        renaming.changes.commit()
    assert fake_time.now - began == pytest.approx(7, abs=0.01)
    assert renaming.renamed == [False, False]


@pytest.mark.usefixtures("fake_time")
def test_unknown_outcome_is_retried_with_the_same_token(renaming: Renaming) -> None:
    """It may have been committed: sent again in another form it would be written twice."""
    renaming.changes.where_contended(renaming.leave_second_out, renaming.rows[1:])
    errors = iter([NO_ANSWER, SECOND])
    with patience(60_000), faults(lambda: next(errors), "TransactWriteItems", 2) as met:
        renaming.changes.commit()
    assert len(met.made) == 3
    assert renaming.renamed == [True, True]


def test_contended_unit_may_raise_lost_race_instead(renaming: Renaming) -> None:
    """For any row."""

    def give_up() -> None:
        raise LostRace

    renaming.changes.where_contended(give_up)
    for error in (FIRST, SECOND):
        with faults(error, "TransactWriteItems") as met, pytest.raises(LostRace):
            renaming.changes.commit()
        assert met.met == 1
        renaming.changes.where_contended(give_up)
    assert renaming.renamed == [False, False]


@pytest.mark.usefixtures("fake_time")
@pytest.mark.parametrize("code", ["ThrottlingError", "ProvisionedThroughputExceeded"])
def test_throttled_transaction_is_retried_unchanged(renaming: Renaming, code: str) -> None:
    """Another form would need throughput, too."""
    renaming.changes.where_contended(renaming.leave_second_out, renaming.rows[1:])
    error = refusal("TransactionCanceledException", "None", code)
    with patience(60_000), faults(error, "TransactWriteItems", 3):
        renaming.changes.commit()
    assert renaming.renamed == [True, True]


def test_validation_error_is_raised_without_retry(renaming: Renaming) -> None:
    renaming.changes.where_contended(renaming.leave_second_out, renaming.rows[1:])
    error = refusal("ValidationException")
    assert isinstance(error, ClientError)
    with faults(error, "TransactWriteItems") as met, pytest.raises(TransactWriteError):
        renaming.changes.commit()
    assert met.met == 1


def test_failed_condition_is_a_lost_race(renaming: Renaming) -> None:
    """Also beside a conflict."""
    nobody = PersonItem(*person_key(PersonScope(uuid4())))
    renaming.changes.update(nobody, [PersonItem.name.set("Bob")], PersonItem.pk.exists())
    renaming.changes.where_contended(renaming.leave_second_out, renaming.rows[1:])
    with pytest.raises(LostRace):
        renaming.changes.commit()
    assert renaming.renamed == [False, False]
