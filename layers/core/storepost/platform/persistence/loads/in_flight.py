"""Runs work on many things in parallel, in threads, for work that mostly waits for responses."""

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
"""How many things are begun before the first of them is done: memory use stays flat."""


class InTurn:
    """Runs tasks beside the caller's work, one after the other, with this thread's patience.

    A task is prepared while the one before it still runs, so three are under way while the caller
    works on the next one. A task after a failed one is at most prepared. Where only one call is
    made at once, a task is prepared when it is started, and runs as late as possible: when the next
    one has been prepared.
    """

    def __init__(self) -> None:
        """Begins with no task under way."""
        self._threads: ThreadPoolExecutor | None = None
        self._prepared: Future[object] | None = None
        self._done: list[Future[object]] = []
        """The last two at most; the last one raises the first error of them."""
        self._left: Callable[[], object] | None = None

    def start(self, prepare: Callable[[], object], work: Callable[[], object]) -> None:
        """Begins to prepare a task, once the one before is prepared, and then to run it.

        At most two tasks are begun and not done. Raises the error of the tasks before; then this
        one may be prepared, and doesn't run.
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
        """Waits for all tasks under way, and raises the error of the first that failed."""
        done, left = self._done, self._left
        self._prepared, self._done, self._left = None, [], None
        if done:
            done[-1].result()
        if left is not None:
            left()

    def wait_for_first(self) -> None:
        """Waits for the first of two tasks under way, and raises its error."""
        if len(self._done) > 1:
            self._done[0].result()

    def abandon(self) -> None:
        """Waits for the tasks under way, and ignores their errors."""
        done = self._done
        self._prepared, self._done, self._left = None, [], None
        wait(done)


def _do(
    before: Future[object] | None, prepared: Future[object], work: Callable[[], object]
) -> None:
    """Runs the work once both others are over, unless one of them failed: then raises its error."""
    wait([prepared, *filter(None, [before])])
    for each in filter(None, [before, prepared]):
        each.result()
    work()


def _outcome(work: Callable[[], object]) -> Future[object]:
    """Runs the work now; returns its result or error as a future."""
    outcome = Future[object]()
    try:
        outcome.set_result(work())
    except Exception as error:
        outcome.set_exception(error)
    return outcome


def _with_patience(work: Callable[[], object]) -> Callable[[], object]:
    return partial(with_patience(lambda _: work()), None)


def in_flight[T, R](work: Callable[[T], R], things: Iterable[T]) -> Iterator[R]:
    """Runs `work` on each thing, 16 at a time; returns the results in the order of the things.

    Nothing runs until the results are iterated. The threads have this one's patience. If the work
    on one thing fails, its error is raised once those that were begun are done; the rest isn't
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
    """Returns the shared threads; new ones inside one of these, which would wait for itself.

    Starting sixteen threads takes as much CPU as two calls.
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
