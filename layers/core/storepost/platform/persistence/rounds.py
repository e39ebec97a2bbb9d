"""Requests that take several transactions: what is left is done in rounds, each in parts.

A round reads what it decides on at one time. Where a race is lost, the next one begins with what is
left by then. What became of rows is in the request's ledger.
"""

from collections.abc import Callable, Sequence
from itertools import accumulate, takewhile

from storepost.platform.persistence.changes import MAX_RUNS, LostRace, TooManyWrites, wait_before
from storepost.platform.persistence.ledger import Ledger
from storepost.values.problems import Conflict


def in_rounds[T](
    ledger: Ledger, remaining: Callable[[], Sequence[T]], do: Callable[[Sequence[T]], None]
) -> None:
    """Does what is left until nothing is.

    Raises Conflict where others go on changing the same; what is done by then stays.
    """
    before: Sequence[T] | None = None
    lost = 0
    ledger.read()
    while now := remaining():
        lost = lost + 1 if now == before else 0
        if lost == MAX_RUNS:
            raise Conflict()
        wait_before(lost)
        before = now
        try:
            do(now)
        except LostRace:
            ledger.read()


def in_parts[T](
    things: Sequence[T], room: int, writes: Callable[[T], int], do: Callable[[Sequence[T]], None]
) -> None:
    """Does all of them, as many at once as have `room` writes together, or one that has more.

    Where it was too much for a transaction nevertheless, it is two thirds from then on.
    """
    remaining = things
    while remaining:
        part = _part(remaining, room, writes)
        try:
            do(part)
        except TooManyWrites:
            if len(part) == 1:
                raise
            room = room * 2 // 3
        else:
            remaining = remaining[len(part) :]


def _part[T](things: Sequence[T], room: int, writes: Callable[[T], int]) -> Sequence[T]:
    """The first of them, with so many writes at most; one at least."""
    sums = accumulate(map(writes, things))
    fitting = sum(1 for _ in takewhile(lambda total: total <= room, sums))
    return things[: max(1, fitting)]
