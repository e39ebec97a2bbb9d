"""What a million such requests cost on AWS, apart from logs and traces."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from benchmarks.metering import Measured
from benchmarks.prices import (
    DYNAMODB_READ_UNIT,
    DYNAMODB_WRITE_UNIT,
    HTTP_API_REQUEST,
    LAMBDA_GB_SECOND,
    LAMBDA_REQUEST,
    MILLION,
    REGION,
    SINCE,
)
from benchmarks.reporting import Column, Table
from local.template import globals_, parameter_defaults

CALL_SECONDS = 0.005
"""What a function waits for an answer of DynamoDB: it promises milliseconds of one digit."""
_WHOLE_CPU_MB = 1769
"""A function with so much memory has one virtual CPU, others their share (Lambda's own figure)."""

COLUMNS = (
    Column("a million of"),
    Column("read units", digits=1),
    Column("calls", digits=1),
    Column("CPU", "ms", 1),
    Column("duration", "ms", 0),
    Column("DynamoDB", "$", 2),
    Column("Lambda", "$", 2),
    Column("gateway", "$", 2),
    Column("all", "$", 2),
    Column("may cost", "$", 2),
    Column("share", digits=2, most=1),
)
NOTES = (
    f"List prices of {REGION}, on demand, as they are since {SINCE:%B %Y}; logs and traces apart.",
    "Means of pages drawn at random, with what authentication reads.",
    "Duration: this machine's CPU time for the share of a CPU that the function's memory gives, and",
    f"{1000 * CALL_SECONDS:.0f} ms for each call of DynamoDB.",
)


@dataclass(frozen=True)
class Cost:
    """What one request costs, in dollars."""

    dynamodb: float
    function: float
    gateway: float = HTTP_API_REQUEST

    @property
    def whole(self) -> float:
        """All of it."""
        return self.dynamodb + self.function + self.gateway


def duration(calls: float, cpu_seconds: float) -> float:
    """How long the function runs, in seconds."""
    share = min(1.0, globals_()["MemorySize"] / _WHOLE_CPU_MB)
    return cpu_seconds / share + calls * CALL_SECONDS


def cost(reads: float, writes: float, seconds: float) -> Cost:
    """What a request costs that takes so many units, in a function that runs so long."""
    price = LAMBDA_GB_SECOND[parameter_defaults()["Architecture"]]
    gigabytes = globals_()["MemorySize"] / 1024
    return Cost(
        dynamodb=reads * DYNAMODB_READ_UNIT + writes * DYNAMODB_WRITE_UNIT,
        function=LAMBDA_REQUEST + seconds * gigabytes * price,
    )


def add_row(table: Table, name: str, taken: Sequence[Measured[Any]], most: float | None) -> None:
    """What a million of these cost."""
    reads = fmean(each.reads + each.authentication_reads for each in taken)
    calls = fmean(len(each.calls) for each in taken)
    cpu = median(each.cpu_seconds for each in taken)
    seconds = duration(calls, cpu)
    each = cost(reads, 0, seconds)
    table.add(
        name,
        reads,
        calls,
        1000 * cpu,
        1000 * seconds,
        MILLION * each.dynamodb,
        MILLION * each.function,
        MILLION * each.gateway,
        MILLION * each.whole,
        most,
        MILLION * each.whole / most if most else None,
    )
