"""One container: it runs functions on events, one at a time, and counts its lost races.

Importing this module prepares the process, so that containers can be forked from it.
"""

import importlib
import json
import os
import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from typing import Any

from botocore.client import BaseClient
from botocore.exceptions import ClientError

from local import aws, functions, gateway, template
from storepost.platform.persistence import sealing
from storepost.platform.persistence.item import dynamodb_client

type Event = dict[str, Any]

_WRITES = ("TransactWriteItems", "PutItem", "UpdateItem", "DeleteItem")


@dataclass(frozen=True)
class Task:
    """A function, or the gateway if its name is empty, and its events, one after the other."""

    function: str
    events: Sequence[Event]
    again: frozenset[str] = frozenset()
    """Codes of problems after which a client would retry; the container does so."""
    within_seconds: float = 0
    """The most seconds by which it starts later than the others."""


@dataclass
class Done:
    """A task's result: one answer per event, and the refusals and retries of its writes."""

    answers: list[Any] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    """Writes that DynamoDB refused because another writer was first, by operation."""
    again: Counter[str] = field(default_factory=Counter)
    """Retries, by the problem's code."""
    error: str = ""


class _Count:
    """Counts the writes that a condition or a conflict refused."""

    def __init__(self) -> None:
        self.refused: Counter[str] = Counter()
        plain = BaseClient._make_api_call  # type: ignore[attr-defined]

        def counted(client: BaseClient, operation: str, params: Any) -> Any:
            try:
                return plain(client, operation, params)
            except ClientError as error:
                code = error.response["Error"]["Code"]
                if operation in _WRITES and code in _REFUSALS:
                    self.refused[operation] += 1
                raise

        BaseClient._make_api_call = counted  # type: ignore[attr-defined]

    def counted(self) -> Counter[str]:
        """Returns the refused writes since the last call."""
        counted, self.refused = self.refused, Counter()
        return counted


_REFUSALS = frozenset(
    {
        "ConditionalCheckFailedException",
        "TransactionCanceledException",
        "TransactionConflictException",
    }
)


def run(pipe: Connection, together: Barrier, environment: Mapping[str, str]) -> None:
    """Runs tasks from the pipe until it closes; each starts in all containers at once."""
    _be_quiet()
    os.environ.update(environment)
    # A container makes this client during its first request. Fifty containers on a few processors
    # would have no time left for the request.
    sealing._kms()
    count = _Count()
    while True:
        try:
            task: Task = pipe.recv()
        except EOFError:
            return
        done = Done()
        together.wait()
        time.sleep(random.uniform(0, task.within_seconds))
        try:
            done.answers = [_answer(task, event, done.again) for event in task.events]
        except Exception as error:
            done.error = repr(error)
        done.refused = count.counted()
        pipe.send(done)


def _answer(task: Task, event: Event, again: Counter[str]) -> Any:
    if task.function:
        declared = next(f for f in template.functions() if f.name == task.function)
        return functions.invoke(declared, event)
    while True:
        answer = gateway.handle(event)
        code = json.loads(answer.body)["code"] if answer.status >= 400 else ""
        if code not in task.again:
            return answer
        again[code] += 1
        time.sleep(float(answer.headers.get("Retry-After", 0)) + random.uniform(0, 0.1))


def _be_quiet() -> None:
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)


aws.prepare_environment()
for _function in template.functions():
    functions.handler_of(_function.name)
dynamodb_client()
importlib.import_module("aws_lambda_powertools.utilities.idempotency")
