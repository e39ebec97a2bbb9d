"""One attempt to post a message: how long it took, its response, and when to retry.

Only a response's status and its `Retry-After` are kept, nothing of its body.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from time import monotonic

from storepost.platform.attempts.model import Attempt
from storepost.platform.attempts.signing import signed_headers
from storepost.platform.attempts.waits import retry_after_of
from storepost.platform.fetching import FetchFailed, UrlNotAllowed, post
from storepost.values import clock

TIMEOUT_SECONDS = 10.0


@dataclass(frozen=True)
class Posted:
    """The result of an attempt."""

    attempt: Attempt
    retry_after: timedelta | None = None
    is_allowed: bool = True
    """False if the fetch guard refused the address: nothing was sent."""


@dataclass(frozen=True)
class Stopwatch:
    """Measures an attempt."""

    at: datetime = field(default_factory=clock.now)
    _started: float = field(default_factory=monotonic)

    def attempt(self, status: int | None, error: str | None) -> Attempt:
        """Returns the attempt that ends now."""
        return Attempt(self.at, status, error, elapsed_ms(self._started))


def elapsed_ms(started_at: float) -> int:
    """Returns the milliseconds since a moment of `monotonic`."""
    return round((monotonic() - started_at) * 1000)


def post_signed(
    receiver: str, url: str, message_id: str, body: bytes, secrets: Sequence[str]
) -> Posted:
    """Posts JSON as Standard Webhooks says, through the fetch guard each time.

    `receiver` is what error messages call the other side.
    """
    headers = signed_headers(message_id, clock.now(), body, secrets)
    headers["content-type"] = "application/json"
    watch = Stopwatch()
    status, error, retry_after, is_allowed = None, None, None, True
    try:
        answer = post(url, body=body, headers=headers, timeout=TIMEOUT_SECONDS)
    except UrlNotAllowed as refused:
        error, is_allowed = refused.reason, False
    except FetchFailed as failed:
        error = f"The {receiver} didn't answer: {failed.reason}."
    else:
        status, error = answer.status, _error(answer.status, receiver)
        retry_after = retry_after_of(answer.headers.get("retry-after")) if error else None
    return Posted(watch.attempt(status, error), retry_after, is_allowed)


def _error(status: int, receiver: str) -> str | None:
    if 200 <= status < 300:
        return None
    answered = f"The {receiver} answered with status {status}."
    return f"{answered} Redirects aren't followed." if 300 <= status < 400 else answered
