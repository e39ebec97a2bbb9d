"""Injects DynamoDB's documented faults, which moto doesn't have, into botocore's calls."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from tests.harness.call_interruption import Side, around_calls

NO_ANSWER = ReadTimeoutError(endpoint_url="https://dynamodb.example.com")
THROTTLED = (
    "ProvisionedThroughputExceededException",
    "ThrottlingException",
    "RequestLimitExceeded",
)


def refusal(code: str, *reasons: str, status: int = 400) -> ClientError:
    """Returns botocore's exception for an error, with the reasons of a cancelled transaction."""
    response: dict[str, Any] = {
        "Error": {"Code": code, "Message": "refused"},
        "ResponseMetadata": {"HTTPStatusCode": status},
    }
    if reasons:
        response["CancellationReasons"] = [{"Code": reason} for reason in reasons]
    return ClientError(response, "any")  # type: ignore[arg-type]


CONFLICT = refusal("TransactionCanceledException", "None", "TransactionConflict")
"""Another transaction is writing a row of this one."""
CONFLICT_OF_ONE = refusal("TransactionConflictException")
"""A transaction is writing the row of a single write."""
FAULT = refusal("InternalServerError", status=500)

_MAX_MET = 20_000
"""More than a worker can meet within its timeout."""


@dataclass
class Faults:
    """The calls inside a block, and the faults that they met."""

    made: list[str] = field(default_factory=list)
    """The calls, by operation."""
    met: int = 0
    """How many of them met the fault."""


@contextmanager
def faults(
    error: Exception | Callable[[], Exception],
    operation: str,
    times: float = float("inf"),
    moment: Side = Side.BEFORE,
) -> Iterator[Faults]:
    """Makes `times` calls of an operation raise the error; with `AFTER` they are carried out."""
    seen = Faults()

    def step(_number: int, called: str, side: Side) -> None:
        if (called, side) == (operation, moment) and seen.met < times:
            seen.met += 1
            if seen.met > _MAX_MET:
                pytest.fail(f"{operation} is tried without end: is the clock a fake one?")
            raise error if isinstance(error, Exception) else error()

    with around_calls(step) as calls:
        seen.made = calls.made
        yield seen


def lost_answer(operation: str, times: float = 1) -> Any:
    """Makes `times` calls of an operation lose their answers after they are carried out."""
    return faults(NO_ANSWER, operation, times, Side.AFTER)


@dataclass
class FakeTime:
    """A clock that only sleeping advances."""

    now: float = 1000.0
    waits: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        """Advances the clock."""
        assert seconds >= 0
        self.waits.append(seconds)
        self.now += seconds

    def monotonic(self) -> float:
        """Returns the time."""
        return self.now


def fake_clock(patch: pytest.MonkeyPatch) -> FakeTime:
    """Replaces sleeping by a fake clock; each wait with jitter is as long as possible."""
    own = FakeTime()
    patch.setattr(random, "uniform", lambda _least, most: most)
    patch.setattr(time, "monotonic", own.monotonic)
    patch.setattr(time, "sleep", own.sleep)
    return own
