"""A service that gives the answers of a test, by httpx's mock transport."""

from collections.abc import Callable, Iterable

import httpx
from storepost_client import Retries, Storepost

BASE_URL = "https://api.example.com/v1"
type Answered = httpx.Response | Exception


class Service:
    """Gives one answer after the other, and keeps the requests."""

    def __init__(self, answers: Iterable[Answered]) -> None:
        self._answers = iter(answers)
        self.requests: list[httpx.Request] = []
        self.slept: list[float] = []
        self._now = 0.0

    def handle(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = next(self._answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self._now += seconds

    def client(self, *, attempts: int = 5, seconds: float = 60) -> Storepost:
        """Returns a client of it."""
        return Storepost(
            BASE_URL,
            "stp_secret",
            retries=Retries(attempts, seconds, sleep=self.sleep, now=lambda: self._now),
            http_transport=httpx.MockTransport(self.handle),
        )


def problem(status: int, code: str, **headers: str) -> httpx.Response:
    """Returns a problem as the service answers it."""
    body = {"type": "about:problem", "title": "No", "status": status, "code": code}
    return httpx.Response(status, json=body, headers=headers)


def always(make: Callable[[], Answered]) -> Iterable[Answered]:
    """Yields the same answer endlessly."""
    while True:
        yield make()
