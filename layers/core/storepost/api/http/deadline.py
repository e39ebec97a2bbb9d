"""A function's own deadline: two seconds before Lambda's, so that a caller gets a problem.

If Lambda itself ends a function, the gateway answers, and that is no problem detail.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

MARGIN_SECONDS = 2.0
AGAIN_SECONDS = 0.1
GRACE_SECONDS = 1.0


class DeadlineReached(BaseException):
    """The function has used up its time.

    It isn't an `Exception`: the signal arrives anywhere, also in botocore, which takes every
    exception for a connection error and retries, without end.
    """


def _raise_deadline(_signal: int, _frame: FrameType | None) -> None:
    raise DeadlineReached()


@contextmanager
def deadline(remaining_milliseconds: int) -> Iterator[None]:
    """Raises DeadlineReached inside the block two seconds before the time is over.

    Signals reach a process's main thread only, in which Lambda runs a function. The local run's
    threads have no deadline.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    seconds = remaining_milliseconds / 1000 - MARGIN_SECONDS
    if seconds <= 0:
        raise DeadlineReached()
    before = signal.signal(signal.SIGALRM, _raise_deadline)
    # Repeated: Python drops what is raised in a finaliser, in which a signal may arrive as well.
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN_SECONDS)
    try:
        yield
    finally:
        _stop_timer()
        signal.signal(signal.SIGALRM, before)


def _stop_timer() -> None:
    """Stops the timer of the deadline."""
    signal.setitimer(signal.ITIMER_REAL, 0)


@contextmanager
def grace() -> Iterator[None]:
    """Leaves one second after the deadline for cleaning up; what takes longer is left undone.

    No timer runs outside the main thread, in which no deadline was set either.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    try:
        signal.setitimer(signal.ITIMER_REAL, GRACE_SECONDS, AGAIN_SECONDS)
        yield
    except DeadlineReached:
        pass
    finally:
        _stop_timer()
