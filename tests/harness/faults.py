"""Faults that DynamoDB has and moto has not, at the calls of botocore: as AWS documents them."""

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
    """What botocore raises: DynamoDB's error, and of a cancelled transaction its reasons."""
    response: dict[str, Any] = {
        "Error": {"Code": code, "Message": "refused"},
        "ResponseMetadata": {"HTTPStatusCode": status},
    }
    if reasons:
        response["CancellationReasons"] = [{"Code": reason} for reason in reasons]
    return ClientError(response, "any")  # type: ignore[arg-type]


CONFLICT = refusal("TransactionCanceledException", "None", "TransactionConflict")
"""Another transaction has a row of this one."""
CONFLICT_OF_ONE = refusal("TransactionConflictException")
"""A transaction has the row that a single write is for."""
FAULT = refusal("InternalServerError", status=500)

_MAX_MET = 20_000
"""More than a worker meets in all of its time."""


@dataclass
class Faults:
    """What befell calls inside a block."""

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
    """So many calls of an operation meet the error; after a call it is the answer that is lost."""
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
    """So many calls are carried out, and nobody hears of it."""
    return faults(NO_ANSWER, operation, times, Side.AFTER)


@dataclass
class FakeTime:
    """A clock that only waiting moves."""

    now: float = 1000.0
    waits: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        """Waits."""
        assert seconds >= 0
        self.waits.append(seconds)
        self.now += seconds

    def monotonic(self) -> float:
        """Returns the time."""
        return self.now


def fake_clock(patch: pytest.MonkeyPatch) -> FakeTime:
    """Waits take no time from now on, each is as long as may be, and a clock counts them."""
    own = FakeTime()
    patch.setattr(random, "uniform", lambda _least, most: most)
    patch.setattr(time, "monotonic", own.monotonic)
    patch.setattr(time, "sleep", own.sleep)
    return own
