"""Rows that are read ahead for many units of work."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pytest

from storepost.accounts.identity.repository import EmailClaimItem, PersonItem, person_key
from storepost.platform.persistence.changes import Changes, LostRace, WrittenTwice
from storepost.platform.persistence.reads import REMEMBERED, ReadAfterWrite, ReadAhead, Reads
from storepost.values.scope import PersonScope
from tests.harness.call_interruption import Calls, around_calls
from tests.harness.world import Someone, World


@contextmanager
def calls() -> Iterator[Calls]:
    """The calls inside the block."""
    with around_calls(lambda _number, _operation, _moment: None) as made:
        yield made


def key_of(someone: Someone) -> tuple[str, str]:
    """The account's key."""
    return person_key(PersonScope(someone.id))


def rename(reads: Reads, someone: Someone, name: str) -> Changes:
    """A unit of work that depends on its reads."""
    changes = Changes(reads)
    row = changes.reads.find(PersonItem, key_of(someone))
    assert row is not None
    row.name = name
    changes.save(row)
    return changes


class TestReadAhead:
    """A row that is read ahead is read once, and again after it was written."""

    def test_prefetched_rows_are_evicted_after_some_units(self, world: World) -> None:
        someone, reads = world.person(), ReadAhead()
        reads.prefetch([key_of(someone)])
        for _ in range(REMEMBERED - 1):
            reads.next()
        assert reads.knows([key_of(someone)])
        reads.next()
        assert not reads.knows([key_of(someone)])

    def test_prefetch_reads_rows_in_one_batch_call(self, world: World) -> None:
        people, reads = [world.person() for _ in range(3)], ReadAhead()
        missing = person_key(PersonScope(people[0].session_id))
        with calls() as made:
            reads.prefetch([missing, *map(key_of, people)])
            found = reads.find_all(map(key_of, people))
            assert reads.find(PersonItem, missing) is None
            second = reads.find(PersonItem, key_of(people[1]))
        assert made.made == ["BatchGetItem"]
        assert {row.key for row in found.values()} == set(map(key_of, people))
        assert second is not None
        assert second.serialize() == found[second.key].serialize()

    def test_row_not_prefetched_is_read_on_demand(self, world: World) -> None:
        someone, reads = world.person(), ReadAhead()
        row = reads.find(PersonItem, key_of(someone))
        assert row is not None
        assert row.name == someone.name

    def test_prefetch_splits_into_batch_calls(self, world: World) -> None:
        someone, reads = world.person(), ReadAhead()
        unknown = [(f"person#{number}", "person") for number in range(249)]
        with calls() as made:
            reads.prefetch([*unknown, key_of(someone)])
            assert reads.text(key_of(someone), "name") == someone.name
            assert not reads.find_all(unknown)
        assert made.made == 3 * ["BatchGetItem"]

    def test_text_of_a_prefetched_row(self, world: World) -> None:
        someone, reads = world.person(), ReadAhead()
        assert reads.text(key_of(someone), "name") is None
        reads.prefetch([key_of(someone)])
        assert reads.text(key_of(someone), "name") == someone.name
        assert reads.text(key_of(someone), "colour") is None

    def test_row_of_another_kind_raises_type_error(self, world: World) -> None:
        someone = world.person()
        with pytest.raises(TypeError):
            ReadAhead().find(EmailClaimItem, key_of(someone))

    def test_uncommitted_change_is_not_visible_in_the_cache(self, world: World) -> None:
        someone, reads = world.person(), ReadAhead()
        for _ in range(2):
            row = reads.find(PersonItem, key_of(someone))
            assert row is not None
            assert row.name == someone.name
            row.name = "Somebody else"

    def test_reading_a_row_that_the_unit_writes_is_an_error(self, world: World) -> None:
        someone, other, reads = world.person(), world.person(), ReadAhead()
        changes = rename(reads, someone, "Ann")
        assert reads.writes([key_of(other), key_of(someone)])
        assert not reads.writes([key_of(other)])
        with pytest.raises(ReadAfterWrite):
            reads.find(PersonItem, key_of(someone))
        with pytest.raises(WrittenTwice):
            changes.save(PersonItem(*key_of(someone)))

    def test_next_unit_reads_the_previous_units_writes(self, world: World) -> None:
        someone, reads = world.person(), ReadAhead()
        for name in ("Ann", "Bea", "Cid"):
            rename(reads, someone, name).commit()
            reads.next()
        row = reads.find(PersonItem, key_of(someone))
        assert row is not None
        assert row.name == "Cid"

    def test_stale_cache_is_a_lost_race_until_cleared(self, world: World) -> None:
        someone, reads = world.person(), ReadAhead()
        reads.prefetch([key_of(someone)])
        rename(Reads(), someone, "Ann").commit()
        with pytest.raises(LostRace):
            rename(reads, someone, "Bea").commit()
        reads.clear()
        rename(reads, someone, "Bea").commit()

    def test_cached_value_lasts_from_unit_to_unit(self) -> None:
        reads = ReadAhead()
        first = reads.cached("it", object)
        reads.next()
        assert reads.cached("it", object) is first
        reads.clear()
        assert reads.cached("it", object) is not first
        assert Reads().cached("it", object) is None


class TestInFlight:
    """The next unit is gathered while the last one's transaction is in flight."""

    def test_reading_an_in_flight_row_waits_for_the_transaction(self, world: World) -> None:
        people, reads, waited = [world.person() for _ in range(3)], ReadAhead(), list[str]()
        keys = [key_of(each) for each in people]
        reads.prefetch(keys[:2])
        changes = rename(reads, people[0], "Ann")
        reads.follow(lambda: self._land(changes, reads, waited))
        reads.next()
        with calls() as made:
            reads.prefetch(keys)
            assert reads.find(PersonItem, keys[1]) is not None
            assert made.made == ["BatchGetItem"]  # of the third alone
        assert waited == []
        row = reads.find(PersonItem, keys[0])
        assert row is not None
        assert (row.name, waited) == ("Ann", ["waited"])
        assert reads.text(keys[0], "name") == "Ann"
        assert waited == ["waited"]

    def test_reading_in_flight_text_waits_and_rereads_rows_not_cached(self, world: World) -> None:
        people, reads, waited = [world.person() for _ in range(2)], ReadAhead(), list[str]()
        keys = [key_of(each) for each in people]
        reads.prefetch(keys)
        changes = rename(reads, people[0], "Ann")
        row = changes.reads.find(PersonItem, keys[1])
        assert row is not None
        row.name = "Bea"
        changes.save(row)
        reads.follow(lambda: self._land(changes, reads, waited))
        reads.next()
        reads.prefetch(keys)
        with calls() as made:
            assert [reads.text(key, "name") for key in keys] == ["Ann", "Bea"]
        assert made.made == ["TransactWriteItems", "BatchGetItem"]
        assert waited == ["waited"]

    def test_lost_race_in_flight_is_raised_by_the_waiting_read(self, world: World) -> None:
        someone, reads, waited = world.person(), ReadAhead(), list[str]()
        changes = rename(reads, someone, "Ann")
        rename(Reads(), someone, "Bea").commit()
        reads.follow(lambda: self._land(changes, reads, waited))
        reads.next()
        with pytest.raises(LostRace):
            reads.find(PersonItem, key_of(someone))
        row = reads.find(PersonItem, key_of(someone))
        assert row is not None
        assert (row.name, waited) == ("Bea", ["waited"])

    def test_first_in_flight_unit_is_readable_before_the_second(self, world: World) -> None:
        people, reads, waited = [world.person() for _ in range(3)], ReadAhead(), list[str]()
        keys = [key_of(each) for each in people]
        reads.prefetch(keys)
        for someone, name in zip(people, ("Ann", "Bea"), strict=False):
            changes = rename(reads, someone, name)
            reads.follow(partial(self._land, changes, reads, waited))
            if name == "Ann":
                changes.commit()
            reads.next()
        reads.landed()
        with calls() as made:
            assert reads.text(keys[0], "name") is None, "it isn't known any more"
            reads.prefetch(keys)
            assert reads.text(keys[0], "name") == "Ann"
            assert made.made == ["BatchGetItem"]
        assert waited == []
        assert reads.text(keys[1], "name") == "Bea"
        assert waited == ["waited"]

    def test_rows_of_failed_units_are_reread(self, world: World) -> None:
        people, reads = [world.person() for _ in range(2)], ReadAhead()
        keys = [key_of(each) for each in people]
        reads.prefetch(keys)
        for someone in people:
            rename(reads, someone, "Ann")
            reads.follow(lambda: pytest.fail("nobody waits"))
            reads.next()
        reads.all_landed()
        reads.prefetch(keys)
        assert [reads.text(key, "name") for key in keys] == [each.name for each in people]

    @staticmethod
    def _land(changes: Changes, reads: ReadAhead, waited: list[str]) -> None:
        waited.append("waited")
        try:
            changes.commit()
        finally:
            reads.landed()
