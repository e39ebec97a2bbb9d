"""Bells: they wake threads that wait for a change in AWS, so that no thread has to poll."""

import threading


class Bell:
    """Rings when something changes; a waiting thread passes the count that it saw last."""

    def __init__(self) -> None:
        """Makes a bell that hasn't rung yet."""
        self._condition = threading.Condition()
        self._rings = 0

    @property
    def rings(self) -> int:
        """How often it has rung. Read this count before reading the data that it announces."""
        with self._condition:
            return self._rings

    def ring(self) -> None:
        """Wakes all waiting threads."""
        with self._condition:
            self._rings += 1
            self._condition.notify_all()

    def wait(self, rings: int, seconds: float | None = None) -> None:
        """Returns once it has rung more often than `rings`, or after so many seconds."""
        with self._condition:
            self._condition.wait_for(lambda: self._rings != rings, seconds)
