"""When the next attempt is: later each time, with jitter, and not before `Retry-After`."""

import random
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

from storepost.values import clock

WAITS: tuple[timedelta, ...] = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=14),
    timedelta(hours=20),
    timedelta(hours=24),
)
"""The wait before the second attempt, the third one, and so on."""
JITTER = 0.1
"""The greatest part of a wait that is added to it at random."""
LONGEST_RETRY_AFTER = timedelta(hours=24)
"""The longest `Retry-After` that is respected: then the attempt is made all the same."""


def wait_after(attempts: int, retry_after: timedelta | None) -> timedelta | None:
    """Returns the wait after so many attempts; None after the last one."""
    if attempts > len(WAITS):
        return None
    shortest = WAITS[attempts - 1]
    wait = shortest * random.uniform(1, 1 + JITTER)  # noqa: S311 - it keeps attempts apart
    return max(wait, min(retry_after or timedelta(), LONGEST_RETRY_AFTER))


def retry_after_of(value: str | None) -> timedelta | None:
    """Returns what a `Retry-After` header asks for: seconds, or a date (RFC 9110, 10.2.3).

    None where the header is missing, in the past or not valid.
    """
    text = (value or "").strip()
    if text.isascii() and text.isdecimal():
        return timedelta(seconds=min(int(text[:9]), 10**9))
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, OverflowError):  # a server may send any numbers
        return None
    wait = at - clock.now() if at.tzinfo else None
    return wait if wait and wait > timedelta() else None


def at_after(now: datetime, wait: timedelta) -> datetime:
    """Returns the moment after that wait, in milliseconds."""
    return clock.to_milliseconds(now + wait)
