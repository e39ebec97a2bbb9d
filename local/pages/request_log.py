"""The last requests to the API, in memory, and the problems that they were answered with."""

import gzip
import json
import threading
from collections import deque
from dataclasses import dataclass
from datetime import datetime

from storepost.values import clock

STORED = 200
_PROBLEM = "application/problem+json"


@dataclass(frozen=True)
class LoggedRequest:
    """A request that was answered; `at` is the service's time."""

    at: datetime
    method: str
    path: str
    query: str
    function: str
    """The job of the function that answered, such as `orders`."""
    status: int
    milliseconds: int
    request_id: str
    code: str = ""
    detail: str = ""
    errors: tuple[tuple[str, str], ...] = ()
    """Of a 422: where each error is, and what it is."""


class RequestLog:
    """The last ones, newest first. A request's headers and body are never stored."""

    def __init__(self) -> None:
        """There was no request yet."""
        self._lock = threading.Lock()
        self._requests: deque[LoggedRequest] = deque(maxlen=STORED)

    def note(
        self,
        line: tuple[str, str, str],
        function: str,
        status: int,
        headers: dict[str, str],
        body: bytes,
        seconds: float,
    ) -> None:
        """Adds one: `line` is its method, path and query, and the rest its answer."""
        names = {name.lower(): value for name, value in headers.items()}
        code, detail, errors = _problem(names, body)
        logged = LoggedRequest(
            clock.now(), *line, function, status, round(seconds * 1000),
            names.get("request-id", ""), code, detail, errors,
        )  # fmt: skip
        with self._lock:
            self._requests.appendleft(logged)

    def newest(self) -> list[LoggedRequest]:
        """All that are stored, newest first."""
        with self._lock:
            return list(self._requests)


def _problem(headers: dict[str, str], body: bytes) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    """The code, detail and errors of a problem; nothing of other answers, nor one to HEAD."""
    if not body or not headers.get("content-type", "").startswith(_PROBLEM):
        return "", "", ()
    is_compressed = headers.get("content-encoding") == "gzip"
    problem = json.loads(gzip.decompress(body) if is_compressed else body)
    errors = tuple((error["path"], error["message"]) for error in problem.get("errors", []))
    return problem["code"], problem["detail"], errors
