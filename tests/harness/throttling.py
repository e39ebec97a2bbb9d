"""Makes DynamoDB throttle, conflict and lose answers at random, and runs workers against that.

The errors are those that DynamoDB documents: for a whole call, for items or statements of a batch,
and as the reasons for which a transaction is cancelled. A fake clock, which only calls and waits
advance, determines the remaining time of a function.
"""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast
from unittest import mock

import pytest
from botocore.client import BaseClient

from local import functions
from local.events.pumps import reader_of
from local.template import resources
from storepost.platform.persistence.loads import in_flight
from tests.harness.faults import FAULT, NO_ANSWER, THROTTLED, FakeTime, refusal

CALL_SECONDS = 0.01
"""The time of each call."""
MANY = 0.2
"""The least share of calls that must meet a fault, for a test of faults to be meaningful."""
_MAX_RUNS = 200

_SINGLE_WRITES = ("PutItem", "UpdateItem", "DeleteItem")
_STATEMENT_ERRORS = ("ProvisionedThroughputExceeded", "ThrottlingError", "TransactionConflict")
_REASONS = ("TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded")


@dataclass(frozen=True)
class Rates:
    """The probability of each fault for a call that it can affect, from 0 to 1."""

    refused: float = 0.30
    """The call, or some items of a batch, is throttled or conflicts with a transaction."""
    unheard: float = 0.10
    """The call is carried out, and its answer is lost."""


@dataclass
class Throttling:
    """The faults that calls meet, determined by the seed."""

    time: FakeTime
    seed: int
    rates: Rates = field(default_factory=Rates)
    met: Counter[str] = field(default_factory=Counter)
    """The number of calls by fault."""
    calls: int = 0

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)

    @property
    def share(self) -> float:
        """The share of calls that met a fault, from 0 to 1."""
        return sum(self.met.values()) / max(1, self.calls)

    def call(self, plain: Callable[[Any], Any], operation: str, parameters: Any) -> Any:
        """Makes the call, unless a fault affects it."""
        self.calls += 1
        drawn = self.chance.random()
        if drawn < self.rates.refused:
            return self._refuse(plain, operation, parameters)
        answer = plain(parameters)
        if drawn < self.rates.refused + self.rates.unheard:
            self.met[f"{operation} unheard"] += 1
            raise self.chance.choice([NO_ANSWER, FAULT])
        return answer

    def _refuse(self, plain: Callable[[Any], Any], operation: str, parameters: Any) -> Any:
        is_whole = self.chance.random() < 0.5
        if operation == "TransactWriteItems" and not is_whole:
            self.met["transaction cancelled"] += 1
            raise self._cancelled(parameters)
        if operation == "BatchExecuteStatement" and not is_whole:
            self.met["statements refused"] += 1
            return self._some_statements(plain, parameters)
        if operation in {"BatchGetItem", "BatchWriteItem"} and not is_whole:
            self.met[f"{operation} unprocessed"] += 1
            return self._some_rows(plain, operation, parameters)
        if operation in _SINGLE_WRITES and not is_whole:
            self.met["single write in conflict"] += 1
            raise refusal("TransactionConflictException")
        self.met[f"{operation} throttled"] += 1
        raise refusal(self.chance.choice(THROTTLED))

    def _cancelled(self, parameters: Any) -> Exception:
        reasons = ["None"] * len(parameters["TransactItems"])
        for place in self.chance.sample(range(len(reasons)), self.chance.randint(1, len(reasons))):
            reasons[place] = self.chance.choice(_REASONS)
        return refusal("TransactionCanceledException", *reasons)

    def _some_statements(self, plain: Callable[[Any], Any], parameters: Any) -> Any:
        """Carries out some of the statements; each of the others has an error of its own."""
        statements = parameters["Statements"]
        done = {n for n in range(len(statements)) if self.chance.random() < 0.5}
        some = [each for n, each in enumerate(statements) if n in done]
        answered = iter(plain({**parameters, "Statements": some})["Responses"] if some else [])
        return {
            "Responses": [
                next(answered)
                if n in done
                else {"Error": {"Code": self.chance.choice(_STATEMENT_ERRORS), "Message": "later"}}
                for n in range(len(statements))
            ]
        }

    def _some_rows(self, plain: Callable[[Any], Any], operation: str, parameters: Any) -> Any:
        """Reads or writes the first of the rows, or none of them."""
        is_read = operation == "BatchGetItem"
        [(table, request)] = parameters["RequestItems"].items()
        rows = request["Keys"] if is_read else request
        done = self.chance.randrange(len(rows))
        answer: dict[str, Any] = {"Responses": {}}
        if done:
            some = {**request, "Keys": rows[:done]} if is_read else rows[:done]
            answer = dict(plain({**parameters, "RequestItems": {table: some}}))
        rest = {**request, "Keys": rows[done:]} if is_read else rows[done:]
        return {**answer, "UnprocessedKeys" if is_read else "UnprocessedItems": {table: rest}}


@contextmanager
def throttled(own: Throttling) -> Iterator[None]:
    """Injects faults into calls to DynamoDB inside the block.

    Loads make one call at a time inside the block, so that a seed gives the same faults each time.
    """
    plain = _plain_call()

    def call(client: Any, operation: str, parameters: Any) -> Any:
        if client.meta.service_model.service_name != "dynamodb":
            return plain(client, operation, parameters)
        own.time.now += CALL_SECONDS
        return own.call(lambda sent: plain(client, operation, sent), operation, parameters)

    with (
        mock.patch.object(BaseClient, "_make_api_call", call),
        mock.patch.object(in_flight, "CALLS_IN_FLIGHT", 1),
    ):
        yield


def _plain_call() -> Any:
    return cast(Any, BaseClient)._make_api_call


class _Context(functions.Context):
    """Returns the function's remaining time by the clock."""

    def __init__(self, function_name: str, remaining_milliseconds: int) -> None:
        super().__init__(function_name, remaining_milliseconds)
        self._began = time.monotonic()

    def get_remaining_time_in_millis(self) -> int:
        gone = (time.monotonic() - self._began) * 1000
        return int(self.remaining_milliseconds - gone)


@dataclass
class Deliveries:
    """The runs of a queue's messages until the work was done."""

    runs: int = 0
    failed: int = 0
    """How many of them failed."""
    longest: float = 0
    """Seconds of the longest run."""


def run_until_done(
    own: Throttling,
    queue: str,
    run: Callable[[int], bool],
    more: Callable[[], bool],
    seconds: float | None = None,
) -> Deliveries:
    """Delivers a queue's message to its reader, with faults, until the work is complete.

    `run` runs the reader for a try and returns whether it succeeded; `more` returns whether the
    next message was sent. It asserts that no message needs more tries than the queue's maximum in
    the template, and that each run ends within the function's timeout, or within `seconds`.
    """
    function = reader_of(queue)
    most = resources("AWS::SQS::Queue")[queue]["RedrivePolicy"]["maxReceiveCount"]
    allowed = seconds or function.timeout_seconds
    found, tries = Deliveries(), 1
    while found.runs < _MAX_RUNS:
        began = own.time.now
        with in_seconds(allowed), throttled(own):
            is_done = run(tries)
        found.runs += 1
        found.longest = max(found.longest, own.time.now - began)
        assert found.longest < allowed, "the function would have been killed"
        if is_done and not more():
            return found
        found.failed += not is_done
        tries = 1 if is_done else tries + 1
        assert tries <= most, "the message would be in the dead-letter queue"
    raise AssertionError("it never ends")


@contextmanager
def in_seconds(allowed: float) -> Iterator[None]:
    """Sets the timeout of functions inside the block, by the clock."""

    def context(name: str, _milliseconds: int) -> _Context:
        return _Context(name, int(allowed * 1000))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(functions, "Context", context)
        yield
