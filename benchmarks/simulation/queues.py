"""SQS's queues and the readers that Lambda has for them, in simulated time.

From AWS's documents: a FIFO queue's group has one message in flight; Lambda starts with five
readers of a queue and adds up to 300 a minute while messages wait, to at most `WebhookConcurrency`;
and a fair queue delivers first the messages of the tenant that occupies the fewest readers.
"""

import itertools
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from benchmarks.simulation.timeline import Timeline

FIRST_READERS = 5
MORE_A_SECOND = 300 / 60

type Read = Callable[[str], None]
"""Processes a message's body."""


@dataclass
class Readers:
    """The messages of one queue by group, and its readers."""

    time: Timeline
    read: Read
    most: int
    is_fifo: bool
    _waiting: dict[str, deque[tuple[int, str]]] = field(default_factory=dict)
    _in_flight: Counter[str] = field(default_factory=Counter)
    _number: Iterator[int] = field(default_factory=itertools.count)
    _busy_since: float | None = None
    _looks_again: bool = False

    def send(self, body: str, group: str, delay_seconds: float = 0) -> None:
        """Sends a message, which becomes visible after the delay."""
        self.time.at(self.time.now + delay_seconds, lambda: self._arrive(body, group))

    def _arrive(self, body: str, group: str) -> None:
        self._waiting.setdefault(group, deque()).append((next(self._number), body))
        if self._busy_since is None:
            self._busy_since = self.time.now
        self._hand_over()

    def _hand_over(self) -> None:
        while (group := self._free_group()) is not None:
            if self._in_flight.total() >= self._readers():
                self._look_again()
                return
            self._begin(group)

    def _look_again(self) -> None:
        """Schedules another look for when there may be one more reader."""
        if not self._looks_again and self._readers() < self.most:
            self._looks_again = True
            self.time.at(self.time.now + 1 / MORE_A_SECOND, self._with_more_readers)

    def _with_more_readers(self) -> None:
        self._looks_again = False
        self._hand_over()

    def _begin(self, group: str) -> None:
        _, body = self._waiting[group].popleft()
        if not self._waiting[group]:
            del self._waiting[group]
        self._in_flight[group] += 1
        self.time.start(lambda: self.read(body), lambda: self._done(group))

    def _done(self, group: str) -> None:
        self._in_flight[group] -= 1
        # The task that calls this is still running: the next one starts after it.
        self.time.at(self.time.now, self._hand_over)

    def _readers(self) -> int:
        since = self.time.now - (self._busy_since or 0.0)
        return min(self.most, FIRST_READERS + int(since * MORE_A_SECOND))

    def _free_group(self) -> str | None:
        """Returns the group to read: in a FIFO queue the free one with the oldest message, else
        that of the tenant with the fewest messages in flight.
        """
        if self.is_fifo:
            free = (each for each in self._waiting if not self._in_flight[each])
            return min(free, key=lambda each: self._waiting[each][0], default=None)
        return min(
            self._waiting,
            key=lambda each: (self._in_flight[each], self._waiting[each][0]),
            default=None,
        )
