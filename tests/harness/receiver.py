"""A fake receiver of posted messages, without a network."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from storepost.platform.fetching import Answer


@dataclass(frozen=True)
class Received:
    """A received request."""

    url: str
    headers: dict[str, str]
    body: bytes
    timeout: float

    @property
    def json(self) -> dict[str, Any]:
        """The body as JSON."""
        return dict(json.loads(self.body))

    @property
    def id(self) -> str:
        """The `webhook-id`."""
        return self.headers["webhook-id"]

    @property
    def state(self) -> str:
        """The state of consent in its body."""
        return str(self.json["data"]["state"])


type Answers = int | tuple[int, dict[str, str]] | BaseException
"""A status, one with headers, or what is raised."""


@dataclass
class Receiver:
    """Replaces posts to external URLs: keeps requests, and gives its answers in turn."""

    received: list[Received] = field(default_factory=list)
    answers: list[Answers] = field(default_factory=list)
    """The next answers; `always` is the answer once none is left."""
    always: Answers = 204
    by_url: dict[str, Answers] = field(default_factory=dict)
    """Fixed answers by URL."""

    def post(self, url: str, *, body: bytes, headers: Mapping[str, str], timeout: float) -> Answer:
        """Replaces `fetching.post`."""
        self.received.append(Received(url, dict(headers), body, timeout))
        answer = self.by_url.get(url)
        if answer is None:
            answer = self.answers.pop(0) if self.answers else self.always
        if isinstance(answer, BaseException):
            raise answer
        status, sent = answer if isinstance(answer, tuple) else (answer, {})
        return Answer(status, sent, b"their secrets")

    @property
    def ids(self) -> list[str]:
        """The `webhook-id` of each request."""
        return [each.id for each in self.received]

    @property
    def states(self) -> list[str]:
        """The state of consent in each request."""
        return [each.state for each in self.received]
