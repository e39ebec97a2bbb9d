"""The service's time: UTC, cut to milliseconds, as in answers.

All code takes the time from here, so that the local run can move all of the service's time at once.
"""

from datetime import UTC, datetime, timedelta
from functools import lru_cache

_offset = timedelta()


def now() -> datetime:
    """Returns the present moment in UTC, cut to milliseconds."""
    return to_milliseconds(datetime.now(UTC) + _offset)


def offset() -> timedelta:
    """Returns the service's time minus the machine's: zero except in the local run and tests."""
    return _offset


def advance(by: timedelta) -> None:
    """Moves the service's time forward; it never goes back."""
    global _offset  # noqa: PLW0603 - one clock for the whole process is the point
    if by < timedelta():
        raise ValueError("time never goes back")
    _offset += by


def reset() -> None:
    """Resets the service's time to the machine's, between tests."""
    global _offset  # noqa: PLW0603
    _offset = timedelta()


def to_milliseconds(moment: datetime) -> datetime:
    """Returns the moment in UTC without the microseconds that no answer shows."""
    utc = moment.astimezone(UTC)
    return utc.replace(microsecond=utc.microsecond // 1000 * 1000)


@lru_cache(maxsize=64)
def to_text(moment: datetime) -> str:
    """Returns RFC 3339 in UTC with milliseconds and `Z`: 24 characters that sort as moments do."""
    naive = moment.astimezone(UTC).replace(tzinfo=None)
    return naive.isoformat(timespec="milliseconds") + "Z"


def from_text(text: str) -> datetime:
    """Returns the moment that `to_text` wrote."""
    return datetime.fromisoformat(text)
