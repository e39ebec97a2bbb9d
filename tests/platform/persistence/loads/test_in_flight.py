"""Work on many things at once."""

import threading
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from storepost.platform.persistence.client import CALLS_IN_FLIGHT
from storepost.platform.persistence.item import dynamodb_client
from storepost.platform.persistence.loads import in_flight as calls_in_flight
from storepost.platform.persistence.loads.in_flight import InTurn, in_flight
from storepost.platform.persistence.patience import patience, seconds_left


@pytest.mark.parametrize("count", [0, 1, 2, CALLS_IN_FLIGHT, 5 * CALLS_IN_FLIGHT + 3])
def test_results_are_in_input_order(count: int) -> None:
    assert list(in_flight(str, range(count))) == [str(number) for number in range(count)]


def test_sixteen_calls_run_concurrently() -> None:
    """Each waits for all others, which would never end if they ran one after another."""
    all_there = threading.Barrier(CALLS_IN_FLIGHT, timeout=10)
    assert len(list(in_flight(lambda _: all_there.wait(), range(CALLS_IN_FLIGHT)))) == 16


def test_nested_in_flight_calls_do_not_deadlock() -> None:
    """All threads are busy and start more work, and none waits for another's."""
    all_there = threading.Barrier(CALLS_IN_FLIGHT, timeout=10)

    def add_up(number: int) -> int:
        return sum(in_flight(int, [number, number]))

    def begin(number: int) -> int:
        all_there.wait()
        return sum(in_flight(add_up, [number, number]))

    results = list(in_flight(begin, range(CALLS_IN_FLIGHT)))
    assert results == [4 * number for number in range(CALLS_IN_FLIGHT)]


def test_connection_pool_fits_the_calls_in_flight() -> None:
    assert dynamodb_client().meta.config.max_pool_connections == CALLS_IN_FLIGHT


def test_input_is_consumed_lazily() -> None:
    taken = 0

    def things() -> Iterator[int]:
        nonlocal taken
        for number in range(10_000):
            taken += 1
            yield number

    results = in_flight(lambda number: number, things())
    next(results)
    assert taken <= 2 * CALLS_IN_FLIGHT
    results.close()  # type: ignore[attr-defined]


def test_threads_inherit_the_callers_deadline() -> None:
    with patience(60_000):
        assert max(in_flight(lambda _: seconds_left(), range(3))) < 60


def test_first_failure_starts_no_further_calls() -> None:
    begun = []

    def fail_at_three(number: int) -> int:
        begun.append(number)
        if number == 3:
            raise RuntimeError("three")
        return number

    with pytest.raises(RuntimeError, match="three"):
        list(in_flight(fail_at_three, range(1000)))
    assert len(begun) <= 4 * CALLS_IN_FLIGHT


def nothing() -> None:
    """Does nothing."""


def fail() -> None:
    """Fails."""
    raise RuntimeError("it failed")


class TestInTurn:
    """Work in its order, beside the caller's."""

    def test_runs_concurrently_with_the_caller(self) -> None:
        """Each waits for the other, which would never end if they ran one after another."""
        both, turn = threading.Barrier(2, timeout=10), InTurn()
        turn.start(nothing, both.wait)
        both.wait()
        turn.finish()

    def test_next_item_is_prepared_while_one_is_done(self) -> None:
        """The caller continues as well: all three wait for each other."""
        all_three, turn, done = threading.Barrier(3, timeout=10), InTurn(), list[str]()
        turn.start(nothing, all_three.wait)
        turn.start(all_three.wait, lambda: done.append("second"))
        all_three.wait()
        turn.finish()
        assert done == ["second"]

    def test_items_are_prepared_and_done_in_order(self) -> None:
        steps, turn = list[tuple[str, int]](), InTurn()
        for number in range(50):
            turn.start(
                partial(steps.append, ("prepared", number)), partial(steps.append, ("done", number))
            )
        turn.finish()
        for step in ("prepared", "done"):
            assert [number for name, number in steps if name == step] == list(range(50))
        for number in range(2, 50):  # two are begun and not done
            assert steps.index(("done", number - 2)) < steps.index(("prepared", number))

    @pytest.mark.parametrize("prepare", [nothing, fail])
    def test_failure_is_raised_by_finish(self, prepare: Callable[[], None]) -> None:
        turn = InTurn()
        turn.start(prepare, fail)
        with pytest.raises(RuntimeError, match="it failed"):
            turn.finish()
        turn.finish()

    @pytest.mark.parametrize("calls", [1, CALLS_IN_FLIGHT])
    def test_nothing_is_done_after_a_failure(
        self, monkeypatch: pytest.MonkeyPatch, calls: int
    ) -> None:
        monkeypatch.setattr(calls_in_flight, "CALLS_IN_FLIGHT", calls)
        done, turn = list[str](), InTurn()

        def begin_all() -> None:
            turn.start(nothing, partial(done.append, "first"))
            turn.start(fail, partial(done.append, "second"))
            for _ in range(5):
                turn.start(nothing, partial(done.append, "later"))
            turn.finish()

        with pytest.raises(RuntimeError, match="it failed"):
            begin_all()
        turn.abandon()
        assert done == ["first"]

    def test_threads_inherit_the_callers_deadline(self) -> None:
        left: list[float] = []
        turn = InTurn()
        with patience(60_000):
            turn.start(*2 * [lambda: left.append(seconds_left())])
            turn.finish()
        assert len(left) == 2
        assert max(left) < 60

    def test_caller_runs_the_work_if_calls_are_not_concurrent(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It is done as late as possible: so tests see what is prepared before it is done."""
        monkeypatch.setattr(calls_in_flight, "CALLS_IN_FLIGHT", 1)
        steps, turn = list[str](), InTurn()
        for name in ("one", "other"):
            turn.start(
                partial(steps.append, f"prepares {name}"), partial(steps.append, f"does {name}")
            )
        assert steps == ["prepares one", "prepares other", "does one"]
        turn.finish()
        assert steps[3:] == ["does other"]

    def test_abandon_waits_for_running_work_and_ignores_failure(self) -> None:
        """Also if the caller fails."""
        began, ended = threading.Event(), list[str]()

        def fail_later() -> None:
            began.wait(10)
            ended.append("now")
            raise RuntimeError

        turn = InTurn()
        turn.start(nothing, fail_later)
        began.set()
        turn.abandon()
        assert ended == ["now"]
        turn.finish()
