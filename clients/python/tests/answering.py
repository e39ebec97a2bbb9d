"""A service that answers what a test says, over httpx's own stand-in."""

from collections.abc import Callable, Iterable

import httpx
from storepost_client import Retries, Storepost

BASE_URL = "https://api.example.com/v1"
type Answered = httpx.Response | Exception


class Service:
    """Answers one thing after the other, and keeps what it was asked."""

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
        """A caller of it."""
        return Storepost(
            BASE_URL,
            "stp_secret",
            retries=Retries(attempts, seconds, sleep=self.sleep, now=lambda: self._now),
            http_transport=httpx.MockTransport(self.handle),
        )


def problem(status: int, code: str, **headers: str) -> httpx.Response:
    """A problem as the service has it."""
    body = {"type": "about:problem", "title": "No", "status": status, "code": code}
    return httpx.Response(status, json=body, headers=headers)


def always(make: Callable[[], Answered]) -> Iterable[Answered]:
    """The same again and again."""
    while True:
        yield make()
