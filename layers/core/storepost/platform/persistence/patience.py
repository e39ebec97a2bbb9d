"""How long a call to DynamoDB is tried again: as long as its request or run has time for it.

DynamoDB refuses a call for a moment where it throttles or where another transaction has the row,
and some calls get no answer. Such a call is sent again after a wait with full jitter that grows, as
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
"""What is left of a function's time when its calls are no longer tried again."""

MAX_TRIES = 12
"""How often a call is tried where nobody said how much time there is."""

_FIRST_SECONDS = 0.01
_MAX_SECONDS = 1.0
_DOUBLINGS = 16
"""More make no difference, and a worker that is refused for ten minutes gets to a thousand."""


@dataclass
class Patience:
    """A request's or a run's own."""

    until: float
    """By `time.monotonic`, in seconds."""
    retries: int = 0
    """How often calls were sent again so far, or work was done again whose race was lost."""
    is_interrupted: bool = False
    """Whether the function's deadline came while DynamoDB hadn't answered a call."""

    @property
    def is_used_up(self) -> bool:
        """Returns whether DynamoDB is what the time was needed for."""
        return self.is_interrupted or self.retries > 0


_gives_way: ContextVar[bool] = ContextVar("gives_way", default=False)
_current: ContextVar[Patience | None] = ContextVar("patience", default=None)


@contextmanager
def patience(remaining_milliseconds: int) -> Iterator[Patience]:
    """Has calls inside the block tried again until three seconds before that time is over."""
    own = Patience(time.monotonic() + remaining_milliseconds / 1000 - MARGIN_SECONDS)
    token = _current.set(own)
    unknown_attributes.clear()
    try:
        yield own
    finally:
        _current.reset(token)


def with_patience[T, R](work: Callable[[T], R]) -> Callable[[T], R]:
    """Returns `work` with this thread's patience, for another thread, which has none of its own.

    The patience is one of the context's variables, and whatever else stands there goes with it.
    """
    context = copy_context()

    def run(argument: T) -> R:
        return context.copy().run(work, argument)

    return run


def seconds_left() -> float:
    """Returns how long calls are still tried again; without end where nobody said."""
    own = _current.get()
    return own.until - time.monotonic() if own else math.inf


@contextmanager
def giving_way() -> Iterator[None]:
    """Has a transaction inside the block fail at once where another one has some of its rows."""
    token = _gives_way.set(True)
    try:
        yield
    finally:
        _gives_way.reset(token)


def gives_way() -> bool:
    """Returns whether a transaction yields to another one, as it can write in another way."""
    return _gives_way.get()


def interrupted() -> None:
    """Notes that a call was ended by something that is no error of its own: the deadline."""
    own = _current.get()
    if own:
        own.is_interrupted = True


def pause(tries: int) -> None:
    """Waits before a call is sent again that failed `tries` times; full jitter up to one second.

    Raises Busy where no time is left for that.
    """
    wait(tries, _FIRST_SECONDS)


def wait(times: int, first_seconds: float) -> None:
    """Waits up to twice `first_seconds`, doubled each time, at most a second. Raises Busy."""
    most = _time_left(times)
    upper = min(_MAX_SECONDS, first_seconds * 2 ** min(times, _DOUBLINGS))
    time.sleep(min(random.uniform(0, upper), most))  # noqa: S311


def _time_left(times: int) -> float:
    """The seconds for which one may still wait; raises Busy where there are none."""
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
