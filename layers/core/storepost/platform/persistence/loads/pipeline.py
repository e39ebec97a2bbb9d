"""The units of an import that are written while the next one is gathered.

Units are written in their order: each one's transaction demands that the import is where the one
before left it. So a unit that fails takes those behind it along, and all are gathered anew, from
where the import's row stands. Where something is written before a transaction, that is done while
the unit before it is in flight.
"""

from typing import Protocol

from storepost.platform.persistence.changes import Changes, LostRace, TooManyWrites
from storepost.platform.persistence.loads.in_flight import InTurn
from storepost.platform.persistence.reads import ReadAhead
from storepost.values.logs import log_unexpected
from storepost.values.problems import Busy, Problem

_MAX_IN_FLIGHT = 2
_LOST = (LostRace, Problem, TooManyWrites)
"""What a unit ends with that is to be gathered anew."""


class Flight(Protocol):
    """A unit's transaction, which is written beside the caller's work."""

    @property
    def changes(self) -> Changes:
        """Returns what is written."""
        ...

    def goes_behind(self, other: "Flight") -> bool:
        """Returns whether it may be begun before the other is written; it fails with that."""
        ...

    def start(self) -> None:
        """Begins to write it. Raises LostRace and TooManyWrites, having begun nothing."""
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
    """A transaction that has nothing written before it."""

    def __init__(self, changes: Changes, turn: InTurn, *, is_independent: bool = False) -> None:
        """Nothing is in flight; `turn` has the threads, for one unit after the other.

        An independent one is decided on nothing that those before it write.
        """
        self.changes = changes
        self._turn = turn
        self._is_independent = is_independent

    def goes_behind(self, other: Flight) -> bool:
        """Returns whether it is sent as soon as the other is written, without being waited for."""
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
    """The units in flight: one, or two where the second has something written before it."""

    def __init__(self, reads: ReadAhead) -> None:
        """`reads` is what the units are decided on."""
        self._reads = reads
        self._in_flight: list[Flight] = []
        self._waits = False

    def write(self, flight: Flight) -> None:
        """Begins to write a unit, behind those before.

        It waits for this one, too, where the one before was gathered anew, so that what can't be
        written shows here, and where something is to be done before the next one is gathered.
        Raises LostRace where a unit before failed, else what became of this one.
        """
        last = self._in_flight[-1:]
        if self._waits or not all(map(flight.goes_behind, last)):
            self.finish()
        self._wait_until_at_most(_MAX_IN_FLIGHT - 1)
        try:
            flight.start()
        except Exception as error:
            if not isinstance(error, _LOST):
                log_unexpected(error)  # where it is the one before that failed, that is lost
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
        """The same for the first one; those behind it fail with it."""
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
        """Waits for the unit in flight, whatever becomes of it: the import's row says that."""
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
