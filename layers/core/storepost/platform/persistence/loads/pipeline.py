"""Writes the units of an import while the next one is collected.

Units are written in their order: each one's transaction has the condition that the import's row is
where the unit before left it. So if a unit fails, those after it fail too, and all are collected
again, from where the import's row is. Writes before a transaction are made while the unit before it
is in flight.
"""

from typing import Protocol

from storepost.platform.persistence.changes import Changes, LostRace, TooManyWrites
from storepost.platform.persistence.loads.in_flight import InTurn
from storepost.platform.persistence.reads import ReadAhead
from storepost.values.logs import log_unexpected
from storepost.values.problems import Busy, Problem

_MAX_IN_FLIGHT = 2
_LOST = (LostRace, Problem, TooManyWrites)
"""The errors after which a unit is to be collected again."""


class Flight(Protocol):
    """A unit's transaction, which is written beside the caller's work."""

    @property
    def changes(self) -> Changes:
        """Returns the unit's changes."""
        ...

    def goes_behind(self, other: "Flight") -> bool:
        """Returns whether it may be begun before the other is written; it fails if that does."""
        ...

    def start(self) -> None:
        """Begins to write it. Raises LostRace and TooManyWrites, and then has begun nothing."""
        ...

    def wait(self) -> None:
        """Waits until it is written, where another one was begun behind it. Raises as `finish`."""
        ...

    def finish(self) -> None:
        """Waits until it is written. Raises as a commit does."""
        ...

    def abandon(self) -> None:
        """Waits for what is in flight, and begins nothing more."""
        ...


class PlainFlight:
    """A transaction without any writes before it."""

    def __init__(self, changes: Changes, turn: InTurn, *, is_independent: bool = False) -> None:
        """Begins with nothing in flight; `turn` has the threads, for one unit after the other.

        An independent unit isn't decided on rows that those before it write.
        """
        self.changes = changes
        self._turn = turn
        self._is_independent = is_independent

    def goes_behind(self, other: Flight) -> bool:
        """Returns whether it is sent right after the other, without waiting here for that."""
        return self._is_independent and isinstance(other, PlainFlight) and other._turn is self._turn

    def start(self) -> None:
        """Begins to write it. Raises TooManyWrites."""
        self.changes.complete()
        self._turn.start(_nothing, self.changes.write_unit)

    def wait(self) -> None:
        """Waits until it is written, where another one was begun behind it. Raises as `finish`."""
        self._turn.wait_for_first()

    def finish(self) -> None:
        """Waits until it is written. Raises as a commit does."""
        self._turn.finish()

    def abandon(self) -> None:
        """Waits for it, if it is in flight."""
        self._turn.abandon()


class Pipeline:
    """The units in flight: one, or two if the second may go behind the first."""

    def __init__(self, reads: ReadAhead) -> None:
        """Begins with no unit; `reads` has the rows that the units are decided on."""
        self._reads = reads
        self._in_flight: list[Flight] = []
        self._waits = False

    def write(self, flight: Flight) -> None:
        """Begins to write a unit, after those before it.

        It also waits for this unit in two cases: if the one before was collected again, so that a
        unit that can't be written fails here, and if steps must run before the next one is
        collected. Raises LostRace if a unit before failed, else this unit's error.
        """
        last = self._in_flight[-1:]
        if self._waits or not all(map(flight.goes_behind, last)):
            self.finish()
        self._wait_until_at_most(_MAX_IN_FLIGHT - 1)
        try:
            flight.start()
        except Exception as error:
            if not isinstance(error, _LOST):
                log_unexpected(error)  # `finish` may raise instead, if the unit before failed
            self.finish()
            raise
        self._in_flight.append(flight)
        if self._waits or not flight.changes.may_be_followed:
            self._wait_until_at_most(1)
            self._waits = True  # until it is written
            try:
                flight.finish()
            finally:
                self._in_flight.clear()
            flight.changes.conclude()
            self._waits = False
        else:
            self._reads.follow(self.finish)

    def finish(self) -> None:
        """Waits until the units in flight are written. Raises LostRace, Busy."""
        self._wait_until_at_most(0)

    def _wait_until_at_most(self, count: int) -> None:
        while len(self._in_flight) > count:
            self._wait_for_first()

    def _wait_for_first(self) -> None:
        """Waits for the first unit in flight; those after it fail with it."""
        first, *behind = self._in_flight
        try:
            first.wait() if behind else first.finish()
            if not first.changes.is_written:
                raise LostRace
        except Exception as error:
            self._in_flight = []
            for each in behind:
                each.abandon()
            self._reads.all_landed()
            if isinstance(error, Busy) or not isinstance(error, _LOST):
                raise
            self._waits = True
            raise LostRace from error
        self._in_flight = behind
        self._reads.landed()
        first.changes.conclude()

    def drain(self) -> None:
        """Waits for the units in flight, and ignores their errors: the import's row shows them."""
        try:
            self.finish()
        except Exception as error:
            self._waits = True
            if not isinstance(error, LostRace):
                log_unexpected(error)

    def abandon(self) -> None:
        """Waits for what is in flight, and begins nothing more."""
        flights, self._in_flight = self._in_flight, []
        for flight in flights:
            flight.abandon()
            if flight.changes.is_written:
                flight.changes.conclude()


def _nothing() -> None:
    pass
