"""Keeps the last requests to the API in memory, with the problems in their answers."""

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
    """The path and the text of each error of a 422."""


class RequestLog:
    """The last requests, newest first. A request's headers and body are never stored."""

    def __init__(self) -> None:
        """Begins empty."""
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
        """Adds a request: `line` is its method, path and query; the rest describes its answer."""
        names = {name.lower(): value for name, value in headers.items()}
        code, detail, errors = _problem(names, body)
        logged = LoggedRequest(
            clock.now(), *line, function, status, round(seconds * 1000),
            names.get("request-id", ""), code, detail, errors,
        )  # fmt: skip
        with self._lock:
            self._requests.appendleft(logged)

    def newest(self) -> list[LoggedRequest]:
        """Returns all stored requests, newest first."""
        with self._lock:
            return list(self._requests)


def _problem(headers: dict[str, str], body: bytes) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    """Returns a problem's code, detail and errors; empty for other answers and for HEAD."""
    if not body or not headers.get("content-type", "").startswith(_PROBLEM):
        return "", "", ()
    is_compressed = headers.get("content-encoding") == "gzip"
    problem = json.loads(gzip.decompress(body) if is_compressed else body)
    errors = tuple((error["path"], error["message"]) for error in problem.get("errors", []))
    return problem["code"], problem["detail"], errors
