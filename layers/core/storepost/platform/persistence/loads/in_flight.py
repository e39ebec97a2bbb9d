"""Work on many things at once, in threads, for what waits for answers most of the time."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice

from storepost.platform.persistence.client import CALLS_IN_FLIGHT
from storepost.platform.persistence.patience import with_patience

_QUEUED = 2 * CALLS_IN_FLIGHT
"""Things that are taken before the first of them is done: memory stays flat."""


def in_flight[T, R](work: Callable[[T], R], things: Iterable[T]) -> Iterator[R]:
    """Does `work` on each, on 16 at a time; returns the results in the order of the things.

    Nothing is done until the results are asked for. The threads have this one's patience. Where the
    work on one fails, that error is raised once those that were begun are done; the rest is not
    begun.
    """
    waiting = iter(things)
    first = list(islice(waiting, 2))
    if len(first) < 2 or CALLS_IN_FLIGHT == 1:
        yield from map(work, chain(first, waiting))
        return
    run, begun = with_patience(work), deque[Future[R]]()
    with ThreadPoolExecutor(CALLS_IN_FLIGHT) as threads:
        try:
            for thing in chain(first, waiting):
                begun.append(threads.submit(run, thing))
                if len(begun) == _QUEUED:
                    yield begun.popleft().result()
            while begun:
                yield begun.popleft().result()
        finally:
            for future in begun:
                future.cancel()
