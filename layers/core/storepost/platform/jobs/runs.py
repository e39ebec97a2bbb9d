"""One run of a worker for one message: how long it has, and how the next message goes on.

A message's work is done in steps, each of which records its progress, mostly in one transaction. So
a message may be delivered twice, late, or after a run that was killed anywhere.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import NoReturn

from storepost.platform.messaging.messages import QueueMessage, send
from storepost.platform.messaging.tries import TRIES, check_tries
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.values.logs import log_unexpected

type Remaining = Callable[[], int]
"""Returns how many milliseconds the run may still take."""

type Step = Callable[[], bool]
"""Does some of the work, and returns whether there may be more."""


class OutOfTime(Exception):  # noqa: N818 - it is what happened
    """The run's time is over, and the next message is in the outbox."""


class NotYet(Exception):  # noqa: N818 - it is what happened
    """The rest has to wait: the queue delivers the message again, and the log has no error."""


class Superseded(Exception):  # noqa: N818 - it is what happened
    """The work is no longer this run's: another run advanced it, or its subject is gone."""


@dataclass(frozen=True)
class Run[M: QueueMessage]:
    """One run of a worker."""

    message: M
    tries: int
    """How many times the queue delivered the message, this one included."""
    remaining: Remaining

    def is_over(self) -> bool:
        """Returns whether the time is over, so that the run must begin nothing more."""
        return self.remaining() < self.message.margin_milliseconds

    def send_next(self, changes: Changes) -> None:
        """Sends a copy of this run's message."""
        send(changes, self.message)

    def stop(self, message: M | None = None) -> NoReturn:
        """Sends the next message, by default a copy of this run's, and raises OutOfTime."""
        commit_anew(lambda changes: send(changes, message or self.message))
        raise OutOfTime

    def check_time(self) -> None:
        """Stops the run if its time is over; raises OutOfTime then."""
        if self.is_over():
            self.stop()

    def do(self, *steps: Step) -> None:
        """Runs the steps in turn, each until nothing of it is left. Raises OutOfTime."""
        for step in steps:
            while step():
                self.check_time()

    def attempt(self, work: Callable[[], None], give_up: Callable[[Exception], bool]) -> None:
        """Does the work; gives it up if it fails at the last try.

        `give_up` records the failure, and returns False if it can't: then the error is raised, and
        the message goes to the dead-letter queue.
        """
        try:
            check_tries(self.tries)
            work()
        except OutOfTime:
            raise
        except Exception as error:
            if self.tries < TRIES or not give_up(error):
                raise
            log_unexpected(error)


def run_once[M: QueueMessage](work: Callable[[Run[M]], None], run: Run[M]) -> None:
    """Does the work of a message, or the part for which there is time."""
    with suppress(OutOfTime):
        work(run)
