"""One unit in flight while the next one is gathered: what is waited for, and what is retried."""

import threading
from dataclasses import dataclass, field

import pytest

from storepost.platform.persistence.changes import Changes, LostRace, TooManyWrites
from storepost.platform.persistence.loads.in_flight import InTurn
from storepost.platform.persistence.loads.pipeline import Pipeline, PlainFlight
from storepost.platform.persistence.reads import ReadAhead
from storepost.values.problems import Busy, Conflict

GONE_ON_WITH = [LostRace(), Conflict(), TooManyWrites()]


@dataclass
class Flown:
    """A unit that records its steps."""

    name: str
    log: list[str]
    error: Exception | None = None
    may_wait: bool = True
    behind: str | None = None
    """The unit behind which it may begin."""
    changes: Changes = field(default_factory=Changes)

    def __post_init__(self) -> None:
        self.changes.after_commit(
            lambda: self.log.append(f"conclude {self.name}"), may_wait=lambda: self.may_wait
        )

    def goes_behind(self, other: object) -> bool:
        return isinstance(other, Flown) and other.name == self.behind

    def start(self) -> None:
        self.log.append(f"start {self.name}")

    def wait(self) -> None:
        self._end("wait for")

    def finish(self) -> None:
        self._end("finish")

    def _end(self, how: str) -> None:
        self.log.append(f"{how} {self.name}")
        if self.error:
            raise self.error
        self.changes.is_written = True

    def abandon(self) -> None:
        self.log.append(f"abandon {self.name}")


@pytest.fixture
def log() -> list[str]:
    """The steps, in order."""
    return []


@pytest.fixture
def pipeline() -> Pipeline:
    """With nothing in flight."""
    return Pipeline(ReadAhead())


class TestInFlight:
    """Units are written one after the other."""

    def test_unit_is_finished_when_the_next_one_begins(
        self, pipeline: Pipeline, log: list[str]
    ) -> None:
        pipeline.write(Flown("a", log))
        assert log == ["start a"]
        pipeline.write(Flown("b", log))
        assert log == ["start a", "finish a", "conclude a", "start b"]
        pipeline.finish()
        pipeline.finish()
        assert log[4:] == ["finish b", "conclude b"]

    def test_unit_that_may_not_wait_is_finished_at_once(
        self, pipeline: Pipeline, log: list[str]
    ) -> None:
        pipeline.write(Flown("a", log, may_wait=False))
        assert log == ["start a", "finish a", "conclude a"]

    @pytest.mark.parametrize("error", GONE_ON_WITH, ids=lambda error: type(error).__name__)
    def test_failure_in_flight_is_a_lost_race_then_retried_in_sync(
        self, pipeline: Pipeline, log: list[str], error: Exception
    ) -> None:
        pipeline.write(Flown("a", log, error))
        with pytest.raises(LostRace):
            pipeline.write(Flown("b", log))
        assert log == ["start a", "finish a"]
        for _ in range(2):  # where it fails again, that is its own error
            with pytest.raises(type(error)):
                pipeline.write(Flown("a", log, error))
        assert log[2:] == 2 * ["start a", "finish a"]
        pipeline.write(Flown("half of a", log))
        assert log[6:] == ["start half of a", "finish half of a", "conclude half of a"]
        pipeline.write(Flown("c", log))
        assert log[9:] == ["start c"]

    def test_busy_in_flight_ends_the_run(self, pipeline: Pipeline, log: list[str]) -> None:
        pipeline.write(Flown("a", log, Busy()))
        with pytest.raises(Busy):
            pipeline.finish()
        assert log == ["start a", "finish a"]

    @pytest.mark.parametrize("error", [*GONE_ON_WITH, Busy(), OSError()], ids=repr)
    def test_drain_raises_no_error_of_the_unit_in_flight(
        self, pipeline: Pipeline, log: list[str], error: Exception
    ) -> None:
        pipeline.write(Flown("a", log, error))
        pipeline.drain()
        pipeline.drain()
        assert log == ["start a", "finish a"]

    def test_abandon_starts_nothing_more(self, pipeline: Pipeline, log: list[str]) -> None:
        pipeline.write(Flown("a", log))
        pipeline.abandon()
        pipeline.finish()
        assert log == ["start a", "abandon a"]

    def test_abandon_concludes_a_unit_that_was_written(
        self, pipeline: Pipeline, log: list[str]
    ) -> None:
        flown = Flown("a", log)
        pipeline.write(PlainFlight(flown.changes, InTurn()))
        pipeline.abandon()
        assert log == ["conclude a"]

    def test_transaction_is_written_concurrently_with_the_caller(self) -> None:
        goes_on, pipeline = threading.Event(), Pipeline(ReadAhead())

        class Slow(Changes):
            def write_unit(self) -> None:
                assert goes_on.wait(10)
                self.is_written = True

        pipeline.write(PlainFlight(Slow(), InTurn()))
        goes_on.set()  # which who waits for the transaction never reaches
        pipeline.finish()

    def test_too_large_unit_is_refused_before_it_is_in_flight(self, log: list[str]) -> None:
        class Large(Changes):
            def complete(self) -> None:
                raise TooManyWrites

            def write_unit(self) -> None:
                log.append("written")

        pipeline = Pipeline(ReadAhead())
        with pytest.raises(TooManyWrites):
            pipeline.write(PlainFlight(Large(), InTurn()))
        pipeline.finish()
        assert log == []


class TestTwoInFlight:
    """A unit's writes before its transaction are made beside the unit before it."""

    def test_third_unit_waits_for_the_first(self, pipeline: Pipeline, log: list[str]) -> None:
        for name, behind in (("a", None), ("b", "a"), ("c", "b")):
            pipeline.write(Flown(name, log, behind=behind))
        assert log == ["start a", "start b", "wait for a", "conclude a", "start c"]
        pipeline.finish()
        assert log[5:] == ["wait for b", "conclude b", "finish c", "conclude c"]

    def test_independent_unit_waits_for_both(self, pipeline: Pipeline, log: list[str]) -> None:
        pipeline.write(Flown("a", log))
        pipeline.write(Flown("b", log, behind="a"))
        pipeline.write(Flown("c", log))
        ended = ["wait for a", "conclude a", "finish b", "conclude b"]
        assert log == ["start a", "start b", *ended, "start c"]

    def test_unit_that_may_not_wait_waits_for_both(
        self, pipeline: Pipeline, log: list[str]
    ) -> None:
        pipeline.write(Flown("a", log))
        pipeline.write(Flown("b", log, behind="a", may_wait=False))
        ended = ["wait for a", "conclude a", "finish b", "conclude b"]
        assert log == ["start a", "start b", *ended]

    @pytest.mark.parametrize("error", GONE_ON_WITH, ids=lambda error: type(error).__name__)
    def test_failed_unit_abandons_the_one_behind(
        self, pipeline: Pipeline, log: list[str], error: Exception
    ) -> None:
        pipeline.write(Flown("a", log, error))
        pipeline.write(Flown("b", log, behind="a"))
        with pytest.raises(LostRace):
            pipeline.finish()
        assert log == ["start a", "start b", "wait for a", "abandon b"]
        pipeline.finish()
        pipeline.write(Flown("a", log))
        pipeline.write(Flown("b", log, behind="a"))  # gathered anew, the first one is waited for
        assert log[4:] == ["start a", "finish a", "conclude a", "start b"]

    def test_failed_start_finishes_the_previous_unit(
        self, pipeline: Pipeline, log: list[str]
    ) -> None:
        class Large(Flown):
            def start(self) -> None:
                raise TooManyWrites

        pipeline.write(Flown("a", log))
        with pytest.raises(TooManyWrites):
            pipeline.write(Large("b", log, behind="a"))
        assert log == ["start a", "finish a", "conclude a"]

    def test_unwritten_previous_unit_is_a_lost_race(
        self, pipeline: Pipeline, log: list[str]
    ) -> None:
        """The unit after it got its error, and left nothing in flight."""

        class Unwritten(Flown):
            def finish(self) -> None:
                self.log.append(f"finish {self.name}")

        class Met(Flown):
            def start(self) -> None:
                raise LostRace

        pipeline.write(Unwritten("a", log))
        with pytest.raises(LostRace):
            pipeline.write(Met("b", log, behind="a"))
        assert log == ["start a", "finish a"]

    def test_abandon_ends_both(self, pipeline: Pipeline, log: list[str]) -> None:
        pipeline.write(Flown("a", log))
        pipeline.write(Flown("b", log, behind="a"))
        pipeline.abandon()
        pipeline.finish()
        assert log == ["start a", "start b", "abandon a", "abandon b"]


class Noted(Changes):
    """A unit that records that it is written, once it may be; it may fail."""

    def __init__(self, name: str, log: list[str], error: Exception | None = None) -> None:
        super().__init__()
        self.may_end = threading.Event()
        self._name, self._log, self._error = name, log, error

    def write_unit(self) -> None:
        assert self.may_end.wait(10)
        self._log.append(self._name)
        if self._error:
            raise self._error
        self.is_written = True


class TestIndependentTransactions:
    """The next one is sent as soon as the one before is written, without another call."""

    def test_two_units_are_in_flight_and_sent_in_order(self, log: list[str]) -> None:
        pipeline, turn = Pipeline(ReadAhead()), InTurn()
        units = [Noted(name, log) for name in "ab"]
        for unit in units:
            pipeline.write(PlainFlight(unit, turn, is_independent=True))
        assert log == []
        for unit in reversed(units):
            unit.may_end.set()
        third = Noted("c", log)
        third.may_end.set()
        pipeline.write(PlainFlight(third, turn, is_independent=True))
        assert log[0] == "a"
        pipeline.finish()
        assert log == ["a", "b", "c"]

    @pytest.mark.parametrize("error", GONE_ON_WITH, ids=lambda error: type(error).__name__)
    def test_unit_behind_a_failed_one_is_never_sent(self, log: list[str], error: Exception) -> None:
        pipeline, turn = Pipeline(ReadAhead()), InTurn()
        first, second = Noted("a", log, error), Noted("b", log)
        for unit in (first, second):
            pipeline.write(PlainFlight(unit, turn, is_independent=True))
        for unit in (second, first):
            unit.may_end.set()
        with pytest.raises(LostRace):
            pipeline.finish()
        pipeline.finish()
        assert (log, second.is_written) == (["a"], False)

    def test_dependent_unit_waits_for_the_previous_one(self, log: list[str]) -> None:
        """So do those of another `InTurn`."""
        for more in ({}, {"is_independent": True}):
            pipeline = Pipeline(ReadAhead())
            first, second = Noted("a", log), Noted("b", log)
            first.may_end.set()
            second.may_end.set()
            turn = InTurn()
            pipeline.write(PlainFlight(first, turn, is_independent=True))
            pipeline.write(PlainFlight(second, InTurn() if more else turn, **more))
            assert first.is_written
            pipeline.finish()
