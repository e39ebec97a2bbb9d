"""Runs requests that take several transactions: the remaining rows in rounds, each in parts.

A round reads everything that it decides on at one time. After a lost race, the next round begins
with the rows that are left. The outcomes of rows are in the request's ledger.
"""

from collections.abc import Callable, Sequence
from itertools import accumulate, takewhile

from storepost.platform.persistence.changes import MAX_RUNS, LostRace, TooManyWrites, wait_before
from storepost.platform.persistence.ledger import Ledger
from storepost.values.problems import Conflict


def in_rounds[T](
    ledger: Ledger, remaining: Callable[[], Sequence[T]], do: Callable[[Sequence[T]], None]
) -> None:
    """Runs `do` on what remains, until nothing does.

    Raises Conflict where other writers go on changing the same rows; finished rows stay finished.
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
    """Runs `do` on all, as many at once as have `room` writes together, or on one that has more.

    If a part is too much for a transaction nevertheless, `room` is two thirds from then on.
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
    """Returns the first things that have at most `room` writes together; at least one."""
    sums = accumulate(map(writes, things))
    fitting = sum(1 for _ in takewhile(lambda total: total <= room, sums))
    return things[: max(1, fitting)]
