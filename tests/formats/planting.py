"""The story up to its last chapter, with rows changed to those of another release."""

import json
from collections.abc import Callable, Iterable, Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest import mock
from urllib.parse import quote, urlencode

import pytest
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.sqs.models import sqs_backends

from local import aws, gateway
from local.events.pumps import StreamPump, pump_queue, read_queues
from local.running import FIRST_SECONDS
from openapi.story.chapters import CHAPTERS
from openapi.story.recording import routes
from openapi.story.steps import Step
from openapi.story.story_run import StoryRun, story_run
from storepost.accounts.identity import passwords
from storepost.platform.persistence.item import KIND
from storepost.platform.persistence.records import Record
from storepost.shopify.admin import AdminClient
from storepost.values.logs import logger
from tests.formats.raw import Raw, kind_of, put_raw, raw_rows
from tests.harness.engines import engine
from tests.harness.snapshots import Snapshot
from tests.harness.world import World

type Change = Callable[[Raw], Raw]
"""Turns a row into the one that another release would have stored."""
FURTHER = {"of": ["a", "later", "release"]}
"""An element that this release doesn't know."""


@dataclass
class PlantedStory:
    """The story so far: all rows, and the requests that read them."""

    story: StoryRun
    snapshot: Snapshot
    reads: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    rows: list[Raw] = field(default_factory=list)

    def kinds(self) -> set[str]:
        """Returns the kinds of the rows."""
        return set(map(kind_of, self.rows))

    def faults(self, kinds: Set[str], change: Change) -> list[str]:
        """Changes all rows of some kinds; returns the errors of reads, lists and the end."""
        pairs = [(row, change(row)) for row in self.rows if kind_of(row) in kinds]
        changed = [after for before, after in pairs if after != before]
        if not changed:
            return []
        return self.faults_over(changed)

    def faults_over(self, rows: Iterable[Raw]) -> list[str]:
        """Replaces the rows with the same keys; returns the errors that follow."""
        for row in rows:
            put_raw(row)
        with faults() as found:
            for name, request in self.reads:
                _note(found, name, gateway.handle(request))
            for operation, answer in self.end():
                _note(found, operation, answer)
        self.snapshot.restore(World())
        self.story.run._stream = StreamPump()
        return list(dict.fromkeys(found))

    def end(self) -> Iterator[tuple[str, gateway.Answer]]:
        """Runs the last chapter, which deletes everything; yields each operation and its answer."""
        for step in CHAPTERS[-1]:
            if isinstance(step, Step):
                yield step.operation, self._ask(step)
                _deliver(self.story)

    def _ask(self, step: Step) -> gateway.Answer:
        return gateway.handle(request_of(self.story, step))


def _deliver(story: StoryRun) -> None:
    """Delivers as the run does, but skips empty queues, whose receives took half of the time."""
    stream: StreamPump = story.run._stream
    backend = sqs_backends[DEFAULT_ACCOUNT_ID][aws.REGION]
    delivered = 1
    while delivered:
        waiting = [q for q in read_queues() if backend.queues[aws.queue_name(q)].messages]
        delivered = stream.pump() + sum(pump_queue(queue, FIRST_SECONDS) for queue in waiting)


def _note(found: list[str], name: str, answer: gateway.Answer) -> None:
    if answer.status >= 500:
        found.append(f"{name}: {answer.status}")


def records_of(row: Raw) -> dict[str, Record]:
    """Returns a row's attributes that are records, by their names in DynamoDB."""
    if not KIND.is_known(kind_of(row)):
        return {}
    model: Any = KIND.deserialize(kind_of(row))
    found = [each for each in model.get_attributes().values() if isinstance(each, Record)]
    return {each.attr_name: each for each in found if each.attr_name in row}


def with_further_elements(row: Raw) -> Raw:
    """Returns the row with an added element in each of its records."""
    after = dict(row)
    for name, attribute in records_of(row).items():
        value = json.loads(row[name]["S"])
        width = len(attribute.elements)
        longer = {
            key: [*each, *[None] * (width - len(each)), FURTHER]
            for key, each in attribute.records(value)
        }
        after[name] = {"S": json.dumps(attribute.replaced(value, longer))}
    return after


@contextmanager
def faults() -> Iterator[list[str]]:
    """Collects the unexpected errors that are logged inside the block, and their origins."""
    found = list[str]()

    def error(message: str, extra: dict[str, Any] | None = None, **_: Any) -> None:
        about = extra or {}
        found.append(f"{message}: {about.get('error')} {about.get('frames', [])[-3:]}")

    with mock.patch.object(logger, "error", error):
        yield found


def request_of(story: StoryRun, step: Step) -> dict[str, Any]:
    """Returns the gateway's event of the step."""
    method, route = routes()[step.operation]
    path = {n: quote(str(v), safe="") for n, v in story.resolved(step.path).items()}
    headers = dict(step.headers)
    if step.by:
        headers["authorization"] = f"Bearer {story.resolved(step.by)}"
    body = b"" if step.body is None else json.dumps(story.resolved(step.body)).encode()
    if body:
        headers["content-type"] = "application/json"
    query = urlencode(story.resolved(step.query))
    return gateway.http_event(
        method, f"/v1{route.format(**path)}", query=query, headers=headers, body=body
    )


def quicken(patch: pytest.MonkeyPatch) -> None:
    """Makes password hashing cheap."""
    patch.setattr(passwords, "MEMORY_KIB", 8)
    patch.setattr(passwords, "PASSES", 1)


@contextmanager
def planted_story() -> Iterator[PlantedStory]:
    """Plays the story up to its last chapter."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AdminClient, "wait", lambda _admin, _seconds, _why: None)
        quicken(patch)
        with story_run(routes()) as story:
            reads = list[tuple[str, Any]]()
            for chapter in CHAPTERS[:-1]:
                for step in chapter:
                    if isinstance(step, Step):
                        is_read = routes()[step.operation][0] == "GET" and step.status is None
                        for _ in story.play([[step]]):
                            pass
                        if is_read:
                            reads.append((step.operation, request_of(story, step)))
                    else:
                        step.happens(story)
            engine().lose_streams()
            story.run._stream = StreamPump()  # without pauses between tries
            yield PlantedStory(story, Snapshot.of_now(), reads, raw_rows())
    World().close()
