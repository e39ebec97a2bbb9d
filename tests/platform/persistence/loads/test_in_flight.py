"""Work on many things at once."""

import threading
from collections.abc import Iterator

import pytest

from storepost.platform.persistence.client import CALLS_IN_FLIGHT
from storepost.platform.persistence.item import dynamodb_client
from storepost.platform.persistence.loads.in_flight import in_flight
from storepost.platform.persistence.patience import patience, seconds_left


@pytest.mark.parametrize("count", [0, 1, 2, CALLS_IN_FLIGHT, 5 * CALLS_IN_FLIGHT + 3])
def test_results_come_in_the_order_of_the_things(count: int) -> None:
    assert list(in_flight(str, range(count))) == [str(number) for number in range(count)]


def test_sixteen_are_under_way_at_once() -> None:
    """Each waits for all others, which would never end if they came in turn."""
    all_there = threading.Barrier(CALLS_IN_FLIGHT, timeout=10)
    assert len(list(in_flight(lambda _: all_there.wait(), range(CALLS_IN_FLIGHT)))) == 16


def test_the_client_keeps_a_connection_for_each() -> None:
    assert dynamodb_client().meta.config.max_pool_connections == CALLS_IN_FLIGHT


def test_no_more_is_taken_than_can_be_under_way_soon() -> None:
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


def test_threads_have_the_patience_of_who_began_them() -> None:
    with patience(60_000):
        assert max(in_flight(lambda _: seconds_left(), range(3))) < 60


def test_the_first_failure_ends_it_and_nothing_more_is_begun() -> None:
    begun = []

    def fail_at_three(number: int) -> int:
        begun.append(number)
        if number == 3:
            raise RuntimeError("three")
        return number

    with pytest.raises(RuntimeError, match="three"):
        list(in_flight(fail_at_three, range(1000)))
    assert len(begun) <= 4 * CALLS_IN_FLIGHT
