"""The unit of an import that is written while the next one is gathered.

One unit is in flight at most, and units are written in their order: each one's transaction demands
that the import is where the one before left it. So a unit that fails takes the one behind it along,
and both are gathered anew, from where the import's row stands.
"""

from typing import Protocol

from storepost.platform.persistence.changes import Changes, LostRace, TooManyWrites
from storepost.platform.persistence.loads.in_flight import InTurn
from storepost.platform.persistence.reads import ReadAhead
from storepost.values.logs import log_unexpected
from storepost.values.problems import Busy, Problem


class Flight(Protocol):
    """A unit's transaction, which is written beside the caller's work."""

    @property
    def changes(self) -> Changes:
        """Returns what is written."""
        ...

    def start(self) -> None:
        """Begins to write it. Raises LostRace and TooManyWrites, having begun nothing."""
        ...

    def finish(self) -> None:
        """Waits until it is written. Raises as a commit does."""
        ...

    def abandon(self) -> None:
        """Waits for what is in flight, and begins nothing more."""
        ...


class PlainFlight:
    """A transaction that has nothing written before it."""

    def __init__(self, changes: Changes, turn: InTurn) -> None:
        """Nothing is in flight; `turn` has the threads, for one unit after the other."""
        self.changes = changes
        self._turn = turn

    def start(self) -> None:
        """Begins to write it. Raises TooManyWrites."""
        self.changes.complete()
        self._turn.start(_nothing, self.changes.write_unit)

    def finish(self) -> None:
        """Waits until it is written. Raises as a commit does."""
        self._turn.finish()

    def abandon(self) -> None:
        """Waits for it, if it is in flight."""
        self._turn.abandon()


class Pipeline:
    """At most one unit in flight."""

    def __init__(self, reads: ReadAhead) -> None:
        """`reads` is what the units are decided on."""
        self._reads = reads
        self._in_flight: Flight | None = None
        self._waits = False

    def write(self, flight: Flight) -> None:
        """Begins to write a unit, once the one before is written.

        It waits for this one, too, where the one before was gathered anew, so that what can't be
        written shows here, and where something is to be done before the next one is gathered.
        Raises LostRace where the unit before failed, else what became of this one.
        """
        self.finish()
        flight.start()
        self._in_flight = flight
        if self._waits or not flight.changes.may_be_followed:
            self._waits = True  # until it is written
            try:
                flight.finish()
            finally:
                self._in_flight = None
            flight.changes.conclude()
            self._waits = False
        else:
            self._reads.follow(self.finish)

    def finish(self) -> None:
        """Waits until the unit in flight is written, if there is one. Raises LostRace, Busy."""
        flight, self._in_flight = self._in_flight, None
        if flight is None:
            return
        try:
            flight.finish()
        except Busy:
            raise
        except (LostRace, Problem, TooManyWrites) as error:
            self._waits = True
            raise LostRace from error
        finally:
            self._reads.landed()
        flight.changes.conclude()

    def settle(self) -> None:
        """Waits for the unit in flight, whatever becomes of it: the import's row says that."""
        try:
            self.finish()
        except Exception as error:
            self._waits = True
            if not isinstance(error, LostRace):
                log_unexpected(error)

    def abandon(self) -> None:
        """Waits for what is in flight, and begins nothing more."""
        flight, self._in_flight = self._in_flight, None
        if flight:
            flight.abandon()
            if flight.changes.is_written:
                flight.changes.conclude()


def _nothing() -> None:
    pass
