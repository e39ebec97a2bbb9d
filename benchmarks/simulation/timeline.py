"""A simulated time, in which real work runs and its waits take no real time.

Each task has a thread of its own, and one runs at a time: a task that waits hands over to the next
event. So a task's writes after a wait follow the writes of other tasks during that wait.
"""

import heapq
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

MAX_TASKS = 128
"""The most tasks that run or wait at once."""

type Task = Callable[[], None]


class Ended(BaseException):
    """The simulation is over; no `except Exception` of the work may take it for an error."""


@dataclass
class Timeline:
    """The seconds since the beginning, and the future events."""

    now: float = 0.0
    _next: list[tuple[float, int, Task]] = field(default_factory=list)
    _count: int = 0
    _turn: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    _waiting: set[threading.Semaphore] = field(default_factory=set)
    _threads: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(MAX_TASKS))
    _failure: BaseException | None = None
    _is_over: bool = False

    def at(self, moment: float, work: Task) -> None:
        """Schedules short work without waits for a time."""
        self._count += 1
        heapq.heappush(self._next, (moment, self._count, work))

    def start(self, work: Task, done: Task) -> None:
        """Starts a task, and returns once it waits or has ended; `done` is called at its end."""

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
        """Suspends the calling task for so many simulated seconds. Raises Ended."""
        turn = threading.Semaphore(0)
        self._waiting.add(turn)
        self.at(self.now + seconds, lambda: self._resume(turn))
        self._turn.release()
        turn.acquire()
        self._waiting.discard(turn)
        if self._is_over:
            raise Ended

    def run(self, until: Callable[[], bool]) -> None:
        """Runs events in the order of time, until `until` is true. Raises a task's exception."""
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
