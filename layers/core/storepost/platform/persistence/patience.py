"""How long a call to DynamoDB is retried: as long as its request or run has time for it.

DynamoDB refuses a call for a moment where it throttles or where another transaction has the row,
and some calls get no response. Such a call is retried after a wait with full jitter that grows, as
AWS advises, until three seconds before the function's time is over.
"""

import math
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass

from storepost.platform.persistence.unknown import unknown_attributes
from storepost.values.problems import Busy

MARGIN_SECONDS = 3.0
"""How much of a function's time is left when its calls are no longer retried."""

MAX_TRIES = 12
"""How often a call is tried if no time limit is set."""

_FIRST_SECONDS = 0.01
_MAX_SECONDS = 1.0
_DOUBLINGS = 16
"""Further doublings make no difference; a worker refused for ten minutes gets to a thousand."""


@dataclass
class Patience:
    """The patience of one request or run."""

    until: float
    """When retries end, in seconds of `time.monotonic`."""
    retries: int = 0
    """How often calls were retried so far, or work was repeated after a lost race."""
    is_interrupted: bool = False
    """Whether the function's deadline came while DynamoDB hadn't answered a call."""

    @property
    def is_used_up(self) -> bool:
        """Returns whether the time was used up by waiting for DynamoDB."""
        return self.is_interrupted or self.retries > 0


_gives_way: ContextVar[bool] = ContextVar("gives_way", default=False)
_current: ContextVar[Patience | None] = ContextVar("patience", default=None)


@contextmanager
def patience(remaining_milliseconds: int) -> Iterator[Patience]:
    """Retries calls inside the block until three seconds before that time is over."""
    own = Patience(time.monotonic() + remaining_milliseconds / 1000 - MARGIN_SECONDS)
    token = _current.set(own)
    unknown_attributes.clear()
    try:
        yield own
    finally:
        _current.reset(token)


def with_patience[T, R](work: Callable[[T], R]) -> Callable[[T], R]:
    """Returns `work` with this thread's patience, for another thread, which has none of its own.

    The patience is a context variable, and the other context variables go with it.
    """
    context = copy_context()

    def run(argument: T) -> R:
        return context.copy().run(work, argument)

    return run


def seconds_left() -> float:
    """Returns for how many seconds calls are still retried; infinite if no limit is set."""
    own = _current.get()
    return own.until - time.monotonic() if own else math.inf


@contextmanager
def giving_way() -> Iterator[None]:
    """Makes a transaction inside the block fail at once where another one has some of its rows."""
    token = _gives_way.set(True)
    try:
        yield
    finally:
        _gives_way.reset(token)


def gives_way() -> bool:
    """Returns whether a transaction gives way to another one, as it can write in another way."""
    return _gives_way.get()


def interrupted() -> None:
    """Notes that the deadline ended a call, which is no error of the call."""
    own = _current.get()
    if own:
        own.is_interrupted = True


def pause(tries: int) -> None:
    """Waits before the retry of a call that failed `tries` times; full jitter up to one second.

    Raises Busy if no time is left for that.
    """
    wait(tries, _FIRST_SECONDS)


def wait(times: int, first_seconds: float) -> None:
    """Waits up to twice `first_seconds`, doubled each time, at most a second. Raises Busy."""
    most = _time_left(times)
    upper = min(_MAX_SECONDS, first_seconds * 2 ** min(times, _DOUBLINGS))
    time.sleep(min(random.uniform(0, upper), most))  # noqa: S311


def _time_left(times: int) -> float:
    """Returns for how many seconds a call may still wait. Raises Busy if there are none."""
    own = _current.get()
    if own is None:
        if times > MAX_TRIES:
            raise Busy()
        return _MAX_SECONDS
    remaining = own.until - time.monotonic()
    if remaining <= 0:
        raise Busy()
    own.retries += 1
    return remaining
