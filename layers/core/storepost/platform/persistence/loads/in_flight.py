"""Work on many things at once, in threads, for what waits for answers most of the time."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from itertools import chain, islice

from storepost.platform.persistence.client import CALLS_IN_FLIGHT
from storepost.platform.persistence.patience import with_patience

_QUEUED = 2 * CALLS_IN_FLIGHT
"""Things that are taken before the first of them is done: memory stays flat."""


class InTurn:
    """Things done beside the caller's work, one after the other, with this thread's patience.

    Each is prepared first, while the one before it is still being done; so three are under way
    where the caller works on the next one. What comes behind one that failed is prepared at most.
    Where one call is made at once, a thing is prepared when it begins, and done as late as may be:
    when the next one is prepared.
    """

    def __init__(self) -> None:
        """Nothing is under way."""
        self._threads: ThreadPoolExecutor | None = None
        self._prepared: Future[object] | None = None
        self._done: list[Future[object]] = []
        """The last two at most; what the last one raises is the first error there was."""
        self._left: Callable[[], object] | None = None

    def start(self, prepare: Callable[[], object], work: Callable[[], object]) -> None:
        """Begins to prepare a thing, once the one before is prepared, and to do it.

        No more than two are begun and not done. Raises what the ones before raised; then this one
        may be prepared, and isn't done.
        """
        if CALLS_IN_FLIGHT == 1:
            prepared = _outcome(prepare)
            self.finish()
            self._left = partial(_do, None, prepared, work)
            return
        wait([*self._done[:-1], *filter(None, [self._prepared])])
        if self._done and self._done[-1].done():
            self._done[-1].result()
        self._threads = self._threads or ThreadPoolExecutor(3)
        before = self._done[-1] if self._done else None
        self._prepared = self._threads.submit(_with_patience(prepare))
        todo = partial(_do, before, self._prepared, work)
        self._done = [*self._done[-1:], self._threads.submit(_with_patience(todo))]

    def finish(self) -> None:
        """Waits for all that is under way, and raises what the first that failed raised."""
        done, left = self._done, self._left
        self._prepared, self._done, self._left = None, [], None
        if done:
            done[-1].result()
        if left is not None:
            left()

    def wait_for_first(self) -> None:
        """Waits for the first of two things that are under way, and raises what it raised."""
        if len(self._done) > 1:
            self._done[0].result()

    def abandon(self) -> None:
        """Waits for what is under way, whatever becomes of it."""
        done = self._done
        self._prepared, self._done, self._left = None, [], None
        wait(done)


def _do(
    before: Future[object] | None, prepared: Future[object], work: Callable[[], object]
) -> None:
    """Does the work once both others are over; neither goes on behind an error of the other."""
    wait([prepared, *filter(None, [before])])
    for each in filter(None, [before, prepared]):
        each.result()
    work()


def _outcome(work: Callable[[], object]) -> Future[object]:
    """What the work gave or raised, done at once."""
    outcome = Future[object]()
    try:
        outcome.set_result(work())
    except Exception as error:
        outcome.set_exception(error)
    return outcome


def _with_patience(work: Callable[[], object]) -> Callable[[], object]:
    return partial(with_patience(lambda _: work()), None)


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
    with _threads() as threads:
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
            wait(running)


def _threads() -> AbstractContextManager[ThreadPoolExecutor]:
    """The threads that all share; others for what any of them begins, which would wait for itself.

    To begin sixteen takes as much CPU as two calls.
    """
    if getattr(_thread, "is_taken", False):
        return _new_threads()
    return nullcontext(_SHARED)


def _new_threads() -> ThreadPoolExecutor:
    def take() -> None:
        _thread.is_taken = True

    return ThreadPoolExecutor(CALLS_IN_FLIGHT, initializer=take)


_thread = threading.local()
_SHARED = _new_threads()
