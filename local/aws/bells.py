"""Bells: who waits for AWS to change is woken instead of asking again and again."""

import threading


class Bell:
    """Rings when something changed; whoever waits says which ring they heard last."""

    def __init__(self) -> None:
        """A bell that nobody has rung yet."""
        self._condition = threading.Condition()
        self._rings = 0

    @property
    def rings(self) -> int:
        """How often it rang so far. Read it before looking at what it announces."""
        with self._condition:
            return self._rings

    def ring(self) -> None:
        """Wakes everybody who waits."""
        with self._condition:
            self._rings += 1
            self._condition.notify_all()

    def wait(self, rings: int, seconds: float | None = None) -> None:
        """Returns once it has rung more often than `heard`, or when the time is over."""
        with self._condition:
            self._condition.wait_for(lambda: self._rings != rings, seconds)
