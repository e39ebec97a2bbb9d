"""A simulated time, in which real work is done and its waits are not waited for.

Each task has a thread of its own, and one runs at a time: a task that waits hands over to whatever
comes next. So what a task writes after a wait is written after what others did meanwhile.
"""

import heapq
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

MAX_TASKS = 128
"""That run or wait at once."""

type Task = Callable[[], None]


class Ended(BaseException):
    """The simulation is over; no `except Exception` of the work may take it for an error."""


@dataclass
class Timeline:
    """Seconds since the beginning, and what comes next."""

    now: float = 0.0
    _next: list[tuple[float, int, Task]] = field(default_factory=list)
    _count: int = 0
    _turn: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    _waiting: set[threading.Semaphore] = field(default_factory=set)
    _threads: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(MAX_TASKS))
    _failure: BaseException | None = None
    _is_over: bool = False

    def at(self, moment: float, work: Task) -> None:
        """Has something short done at a moment."""
        self._count += 1
        heapq.heappush(self._next, (moment, self._count, work))

    def start(self, work: Task, done: Task) -> None:
        """Begins a task now, and returns once it waits or has ended; `done` is called then."""

        def run() -> None:
            try:
                work()
                done()
            except Ended:
                pass
            except BaseException as error:  # raised again in `run`
                self._failure = error
            self._turn.release()

        self._threads.submit(run)
        self._turn.acquire()

    def wait(self, seconds: float) -> None:
        """Lets so much time pass for the task that calls it. Raises Ended."""
        turn = threading.Semaphore(0)
        self._waiting.add(turn)
        self.at(self.now + seconds, lambda: self._resume(turn))
        self._turn.release()
        turn.acquire()
        self._waiting.discard(turn)
        if self._is_over:
            raise Ended

    def run(self, until: Callable[[], bool]) -> None:
        """Does what comes next, in the order of time, until that holds. Raises what a task did."""
        while self._next and not until():
            self.now, _, work = heapq.heappop(self._next)
            work()
            if self._failure is not None:
                break
        self._end()
        if self._failure is not None:
            raise self._failure

    def _resume(self, task: threading.Semaphore) -> None:
        task.release()
        self._turn.acquire()

    def _end(self) -> None:
        self._is_over = True
        for task in list(self._waiting):
            self._resume(task)
        self._threads.shutdown()
