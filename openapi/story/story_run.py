"""Runs the story against the service on moto, at the story's own time."""

import json
import os
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any
from unittest import mock
from urllib.parse import quote, urlencode

from local import gateway
from local.aws import mail
from local.demo.seeded import seeded
from local.running import LocalRun
from openapi.story.masks import Masks
from openapi.story.steps import Step
from storepost.platform.attempts import posting
from storepost.values import clock

BEGINNING = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:136.0) Gecko/20100101 Firefox/136.0"
ATTEMPT_MILLISECONDS = 42
"""The duration of each attempt at a webhook endpoint in the story."""
SHOP = "birch-loom.myshopify.com"
_VARIABLES = ("SHOPIFY_STAND_IN", "FEED_ALLOW_HOSTS")
_JSON = ("application/json", "application/problem+json")
_FORMS = ("unsubscribe.confirm", "optIn.confirm")
_REFERENCE = re.compile(r"\{(\w+(?:\.\w+)*)\}")


class StandingClock:
    """Replaces `datetime` in the service's clock: time stands still within a step."""

    moment = BEGINNING

    @classmethod
    def now(cls, tz: tzinfo) -> datetime:
        """Returns the story's time."""
        return cls.moment.astimezone(tz)

    fromisoformat = datetime.fromisoformat


class StoryBroken(Exception):  # noqa: N818 - it is what happened
    """The service's answer to a step isn't the one that the story expects."""


@dataclass(frozen=True)
class Exchange:
    """One request and its answer, with made-up ids and secrets instead of the run's own."""

    operation: str
    path: dict[str, Any]
    query: dict[str, Any]
    header: dict[str, str]
    body: Any
    status: int
    answer: Any
    """None if the answer has no JSON."""

    def as_json(self) -> dict[str, Any]:
        """Returns its form in the story's file, without empty parts."""
        whole = {
            "operation": self.operation,
            "path": self.path,
            "query": self.query,
            "header": self.header,
            "body": self.body,
            "status": self.status,
            "answer": self.answer,
        }
        return {
            name: value
            for name, value in whole.items()
            if value is not None and (value or name == "answer")
        }


@dataclass(frozen=True)
class Meanwhile:
    """An action of people, mail clients or shops outside the API."""

    happens: Callable[["StoryRun"], None]


type Chapter = list[Step | Meanwhile]
"""Related steps in their order."""


class StoryRun:
    """One run of the story. AWS has been started and is empty."""

    def __init__(self, run: LocalRun, routes: dict[str, tuple[str, str]]) -> None:
        """`routes` has each operation's method and path by its id."""
        self.run = run
        self.values: dict[str, Any] = {
            "feed_url": run.catalogue_url,
            "write_back_url": run.write_back_url,
            "webhook_url": run.webhook_url,
            "failing_webhook_url": f"{run.webhook_url}?answer=503",
            "new_write_back_url": f"{run.write_back_url}-2",
        }
        self.masks = Masks(
            {
                f"{run.origin}/_local/shopify/{SHOP}/admin": f"https://{SHOP}/admin",
                run.catalogue_url: "https://shop.example.com/products.xml",
                f"{run.write_back_url}-2": "https://new.example.com/storepost/write-backs",
                f"{run.webhook_url}?answer=503": "https://old.example.com/storepost/events",
                run.webhook_url: "https://warehouse.example.com/storepost/events",
                run.write_back_url: "https://shop.example.com/storepost/write-backs",
            }
        )
        self.outside = ExitStack()
        """Patches that make shops behave differently from the pretend ones, until it is closed."""
        self._routes = routes

    def play(self, chapters: list[Chapter]) -> Iterator[Exchange]:
        """Yields each exchange, in the order of the story. Raises StoryBroken."""
        for chapter in chapters:
            for step in chapter:
                if isinstance(step, Step):
                    yield self._exchange(step)
                else:
                    step.happens(self)

    def resolved(self, value: Any) -> Any:  # noqa: ANN401 - JSON
        """Returns the value with its references resolved."""
        if isinstance(value, dict):
            return {name: self.resolved(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.resolved(inner) for inner in value]
        if not isinstance(value, str):
            return value
        if whole := _REFERENCE.fullmatch(value):
            return self._value(whole[1])
        return _REFERENCE.sub(lambda found: str(self._value(found[1])), value)

    def email_to(self, address: str) -> mail.Email:
        """Returns the latest email to an address."""
        return [each for each in mail.sent_emails() if each.to == address][-1]

    def keep_code(self, name: str, code: str) -> None:
        """Keeps a code as the story's `code`; `name` identifies its source."""
        self.values["code"] = code
        self.masks.add_code(f"{name} {clock.to_text(clock.now())}", code)

    def _value(self, reference: str) -> Any:  # noqa: ANN401 - JSON
        name, *rest = reference.split(".")
        value = self.values[name]
        for part in rest:
            value = value[int(part) if isinstance(value, list) else part]
        return value

    def _exchange(self, step: Step) -> Exchange:
        StandingClock.moment += timedelta(seconds=step.seconds)
        path, query = self.resolved(step.path), self.resolved(step.query)
        body = self.resolved(step.body)
        method, route = self._routes[step.operation]
        filled = route.format(**{name: quote(str(value), safe="") for name, value in path.items()})
        raw, media = _encoded(step.operation, body)
        headers = {"user-agent": BROWSER, **self.resolved(dict(step.headers))}
        if step.by:
            headers["authorization"] = f"Bearer {self.resolved(step.by)}"
        if raw:
            headers["content-type"] = media
        answer = gateway.handle(
            gateway.http_event(
                method, f"/v1{filled}", query=urlencode(query), headers=headers, body=raw
            )
        )
        _demand(step, answer)
        content = _decoded(answer)
        self.values |= {"location": answer.headers.get("Location", "")}
        if step.keep:
            self.values[step.keep] = content
        if method != "GET":
            self.run.deliver()
        shown = self.masks.shown
        if step.only:
            content = {name: content[name] for name in step.only}
        self.masks.learn(step.operation, content)
        self.masks.learn(step.operation, {"location": self.values["location"]})
        return Exchange(
            step.operation,
            shown(path),
            shown(query),
            dict(step.headers),
            shown(body),
            answer.status,
            shown(content),
        )


@contextmanager
def story_run(routes: dict[str, tuple[str, str]]) -> Iterator[StoryRun]:
    """Makes a run with pretend shops, whose time advances only with the story's steps."""
    variables = {name: os.environ.get(name) for name in _VARIABLES}
    try:
        with (
            socket.create_server(("127.0.0.1", 0)) as listening,
            seeded(),
            mock.patch.object(clock, "datetime", StandingClock),
            mock.patch.object(posting, "elapsed_ms", return_value=ATTEMPT_MILLISECONDS),
        ):
            StandingClock.moment = BEGINNING
            run = LocalRun(listening)
            run.serve()
            story = StoryRun(run, routes)
            try:
                yield story
            finally:
                story.outside.close()
                run.stop()
    finally:
        for name, value in variables.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def _encoded(operation: str, body: Any) -> tuple[bytes, str]:  # noqa: ANN401 - JSON
    if body is None:
        return b"", ""
    if operation in _FORMS:
        return urlencode(body).encode(), "application/x-www-form-urlencoded"
    return json.dumps(body).encode(), "application/json"


def _decoded(answer: gateway.Answer) -> Any:  # noqa: ANN401 - JSON
    media = {name.lower(): value for name, value in answer.headers.items()}.get("content-type", "")
    return json.loads(answer.body) if answer.body and media.startswith(_JSON) else None


def _demand(step: Step, answer: gateway.Answer) -> None:
    expected = answer.status < 400 if step.status is None else answer.status == step.status
    if not expected:
        raise StoryBroken(f"{step.operation}: {answer.status} {answer.body.decode()[:2000]}")
