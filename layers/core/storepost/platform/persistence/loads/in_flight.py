"""Work on many things at once, in threads, for what waits for answers most of the time."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import chain, islice

from storepost.platform.persistence.client import CALLS_IN_FLIGHT
from storepost.platform.persistence.patience import with_patience

_QUEUED = 2 * CALLS_IN_FLIGHT
"""Things that are taken before the first of them is done: memory stays flat."""


class InTurn:
    """Work done beside the caller's, one thing after the other, with this thread's patience.

    What comes next can be prepared meanwhile. Where one call is made at once, nothing is done
    before the next thing begins.
    """

    def __init__(self) -> None:
        """Nothing is under way."""
        self._threads: ThreadPoolExecutor | None = None
        self._running: Future[object] | None = None
        self._left: Callable[[], object] | None = None

    def start(self, work: Callable[[], object]) -> None:
        """Begins some work. What is under way must be finished."""
        if self._running is not None or self._left is not None:
            raise ValueError("the work before isn't finished")
        if CALLS_IN_FLIGHT == 1:
            self._left = work
            return
        self._threads = self._threads or ThreadPoolExecutor(1)
        self._running = self._threads.submit(with_patience(lambda _: work()), None)

    def finish(self) -> None:
        """Waits for what is under way, and raises what that raised."""
        running, left = self._running, self._left
        self._running = self._left = None
        if running is not None:
            running.result()
        if left is not None:
            left()

    def abandon(self) -> None:
        """Waits for what is under way, whatever becomes of it."""
        running = self._running
        self._running = self._left = None
        if running is not None:
            wait([running])


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
    run, running = with_patience(work), deque[Future[R]]()
    with ThreadPoolExecutor(CALLS_IN_FLIGHT) as threads:
        try:
            for thing in chain(first, waiting):
                running.append(threads.submit(run, thing))
                if len(running) == _QUEUED:
                    yield running.popleft().result()
            while running:
                yield running.popleft().result()
        finally:
            for future in running:
                future.cancel()
