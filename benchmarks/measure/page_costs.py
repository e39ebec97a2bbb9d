"""The cost of a million pages of orders, from the engine's counts: bench-lists' second table."""

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from benchmarks.measure.bounds import Bound
from benchmarks.measure.metering import Measured
from benchmarks.measure.prices import REGION, SINCE
from benchmarks.measure.reckoning import Usage, request_bill
from benchmarks.measure.reporting import Column, Table

FUNCTION = "OrdersFunction"

COLUMNS = (
    Column("a million of"),
    Column("read units", digits=1),
    Column("calls", digits=1),
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
    "Lambda's duration is reckoned from the calls and units (benchmarks/measure/reckoning.py).",
)


def usage_of_page(reads: float, calls: float) -> Usage:
    """Returns the usage of a run with these units and calls, including authentication's."""
    return Usage(invocations=1, reads=reads, read_calls=calls)


def usage_at_most(bound: Bound) -> Usage:
    """Returns the usage of a page at its limits, with authentication's one unit and call."""
    assert bound.calls is not None
    return usage_of_page(bound.units + 1, bound.calls + 1)


def add_row(
    table: Table, name: str, measured: Sequence[Measured[Any]], most: float | None = None
) -> None:
    """Adds the cost of a million of these pages."""
    reads = fmean(each.reads + each.authentication_reads for each in measured)
    calls = fmean(len(each.calls) for each in measured)
    lines = request_bill({FUNCTION: usage_of_page(reads, calls)})
    whole = sum(lines.values())
    table.add(
        name,
        reads,
        calls,
        lines["DynamoDB, reads"],
        lines["Lambda, requests"] + lines["Lambda, duration"],
        lines["HTTP API"],
        whole,
        most,
        whole / most if most else None,
    )
