"""An attempt to post a message, as a value and as it is stored."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from storepost.values import clock


@dataclass(frozen=True)
class Attempt:
    """One attempt to post a message."""

    at: datetime
    status: int | None
    """The response's status; None if there was no response."""
    error: str | None
    duration_ms: int

    @property
    def is_success(self) -> bool:
        """Returns whether the receiver accepted the message."""
        return self.error is None


def attempt_json(attempt: Attempt) -> list[Any]:
    """Returns an attempt as it is stored: moment, status, error, milliseconds."""
    return [clock.to_text(attempt.at), attempt.status, attempt.error, attempt.duration_ms]


def attempt_of(values: list[Any]) -> Attempt:
    """Returns what `attempt_json` wrote."""
    at: datetime = clock.from_text(values[0])
    return Attempt(at, values[1], values[2], values[3])
