"""Sends requests to the service with the caller's token, and retries them if that can help."""

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Concatenate
from uuid import uuid4

import httpx

from storepost_client.problems import problem_of

IDEMPOTENCY_KEY = "idempotency-key"
_WAITS = (0.5, 8.0)
"""The first and the longest wait in seconds if the service names none; each doubles the last."""


@dataclass(frozen=True)
class Retries:
    """The most attempts of a request, and the most time that it may take with all waits."""

    attempts: int = 5
    seconds: float = 60.0
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.monotonic


def http_client(
    base_url: str,
    token: str | None,
    timeout: float = 30.0,
    transport: httpx.BaseTransport | None = None,
) -> httpx.Client:
    """Returns an HTTP client. `base_url` ends in `/v1`; `timeout` is in seconds per attempt."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(base_url=base_url, headers=headers, timeout=timeout, transport=transport)


class Transport:
    """One base address and one token."""

    def __init__(self, http: httpx.Client, retries: Retries) -> None:
        """`http` has the base address and the token."""
        self.http = http
        self._retries = retries

    def send(self, request: Mapping[str, Any], *, repeatable: bool) -> httpx.Response:
        """Sends a request by httpx's arguments; raises `ProblemError` and `httpx.HTTPError`.

        A `repeatable` write without an idempotency key gets one, the same for each attempt.
        Other writes are sent twice only if the service says that it did nothing.
        """
        prepared = _with_key(request) if repeatable else dict(request)
        until = self._retries.now() + self._retries.seconds
        for attempt in range(1, self._retries.attempts + 1):
            answer = self._attempt(prepared, repeatable=repeatable)
            if isinstance(answer, httpx.Response) and answer.status_code < 400:
                return answer
            wait = _wait(answer, attempt, repeatable=repeatable)
            last = attempt == self._retries.attempts
            if last or wait is None or self._retries.now() + wait > until:
                break
            self._retries.sleep(wait)
        if isinstance(answer, httpx.Response):
            raise problem_of(answer)
        raise answer

    def _attempt(
        self, request: Mapping[str, Any], *, repeatable: bool
    ) -> httpx.Response | httpx.TransportError:
        try:
            return self.http.request(**request)
        except httpx.ConnectError as error:
            return error
        except httpx.TransportError as error:
            if not repeatable:
                raise
            return error


def _with_key(request: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the request with an idempotency key if it is a write."""
    if request["method"] == "GET":
        return dict(request)
    return {**request, "headers": {IDEMPOTENCY_KEY: str(uuid4()), **request.get("headers", {})}}


def _wait(
    answer: httpx.Response | httpx.TransportError, attempt: int, *, repeatable: bool
) -> float | None:
    """Returns the seconds to wait before the next attempt; None if none would help."""
    if isinstance(answer, httpx.Response):
        if not _may_pass(answer, repeatable=repeatable):
            return None
        seconds: str = answer.headers.get("retry-after", "")
        if seconds.isdigit():
            return float(seconds) + random.uniform(0, 0.25)  # noqa: S311 - it spreads callers
    first, longest = _WAITS
    return random.uniform(0.5, 1) * min(longest, first * 2.0 ** (attempt - 1))  # noqa: S311


def _may_pass(answer: httpx.Response, *, repeatable: bool) -> bool:
    """Whether a retry may soon succeed.

    429 and 503 say that nothing was done. A 5xx that isn't a problem detail is the gateway's: the
    request may have been carried out, so only a repeatable one is retried.
    """
    status = answer.status_code
    if status in {429, 503}:
        return True
    problem = problem_of(answer)
    if status == 409:
        return problem.code == "idempotency_in_progress"
    return repeatable and status >= 500 and not problem.code


def bind[**P, R](
    call: Callable[Concatenate[Transport, P], R], transport: Transport
) -> Callable[P, R]:
    """Returns the call with its transport bound."""
    return partial(call, transport)
