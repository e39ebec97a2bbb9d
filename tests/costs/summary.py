"""The tables of the page that say what a million of something costs."""

import re
from collections.abc import Iterator

from benchmarks.measure import prices, reckoning
from benchmarks.measure.bounds import ANY, ANY_DOLLARS, FIRST, FIRST_DOLLARS
from benchmarks.measure.page_costs import FUNCTION, usage_at_most
from benchmarks.measure.reckoning import Usage, request_bill
from local.template import functions
from tests.costs.measuring import Findings, Measured

LEVELS = ((1, "1,900"), (2, "115,000"), (3, "a million and more"))
"""Of a counted tree, and up to how many entries it has so many."""
A_LEVEL_MORE = Usage(reads=1, read_calls=1, writes=2)
"""A node of it is read, and written in the transaction."""

_PRICES = (
    ("HTTP API", prices.HTTP_API_REQUEST, "a request, or each 512 KB of it"),
    ("Lambda", prices.LAMBDA_REQUEST, "a run"),
    ("DynamoDB", prices.DYNAMODB_READ_UNIT, "a read unit"),
    ("DynamoDB", prices.DYNAMODB_WRITE_UNIT, "a write unit"),
    ("SQS", prices.SQS_REQUEST, "a request"),
    ("SQS, FIFO", prices.SQS_FIFO_REQUEST, "a request"),
    ("S3", prices.S3_PUT, "an object put"),
    ("S3", prices.S3_GET, "an object read"),
    ("KMS", prices.KMS_REQUEST, "a request"),
    ("SES", prices.SES_EMAIL, "an email"),
)
_MINUTES = {"minute": 1, "hour": 60, "day": 24 * 60}
_MINUTES_A_MONTH = 30 * 24 * 60


def prices_table() -> Iterator[str]:
    """AWS's prices."""
    yield "| What | | $ a million |"
    yield "|---|---|--:|"
    for service, price, what in _PRICES:
        yield f"| {service} | {what} | {price * prices.MILLION:g} |"
    second = prices.LAMBDA_GB_SECOND[reckoning.architecture()] * prices.MILLION
    yield f"| Lambda, {reckoning.architecture()} | a second of a GB | {second:.2f} |"


def order_pages() -> Iterator[str]:
    """A page of a million orders, if it uses all that it may."""
    yield "| Page | Reads | Calls | $ a million | may cost |"
    yield "|---|--:|--:|--:|--:|"
    rows = (("the first", FIRST, FIRST_DOLLARS), ("any other", ANY, ANY_DOLLARS))
    for name, bound, most in rows:
        usage = usage_at_most(bound)
        dollars = sum(request_bill({FUNCTION: usage}).values())
        yield f"| {name} | {usage.reads:g} | {usage.calls:g} | {dollars:.2f} | {most:.2f} |"


def consent_by_item(measured: Measured, with_key: Measured) -> Iterator[str]:
    """The cost of a change of consent, by item."""
    alone, keyed = measured.bill, with_key.bill
    yield "| What | $ a million | With an idempotency key |"
    yield "|---|--:|--:|"
    for item in (item for item in keyed if keyed[item]):
        yield f"| {item} | {alone[item]:.2f} | {keyed[item]:.2f} |"
    yield f"| **Together** | **{sum(alone.values()):.2f}** | **{sum(keyed.values()):.2f}** |"


def consent_by_size(measured: Measured) -> Iterator[str]:
    """What it costs in a larger workspace."""
    yield "| Profiles | Levels | Reads | Writes | $ a million |"
    yield "|---|--:|--:|--:|--:|"
    usage = measured.own
    for levels, rows in LEVELS:
        all_runs = {**measured.used, measured.function: usage}
        together = sum(all_runs.values(), Usage())
        dollars = sum(request_bill(all_runs, measured.size_bytes).values())
        yield f"| to {rows} | {levels} | {together.reads:g} | {together.writes:g} | {dollars:.2f} |"
        usage += A_LEVEL_MORE


def schedules(findings: Findings) -> Iterator[str]:
    """The schedules."""
    yield "| Schedule | Runs a month | Reads | Writes | Calls | $ a month |"
    yield "|---|--:|--:|--:|--:|--:|"
    rules = {
        function.name: source["ScheduleExpression"]
        for function in functions()
        for source in function.events_of("ScheduleV2")
    }
    for name, usage in findings.schedules.items():
        runs = runs_a_month(rules[name])
        dollars = sum(reckoning.bill({name: usage}).values()) * runs / prices.MILLION
        figures = f"{usage.reads:g} | {usage.writes:g} | {usage.calls:g}"
        yield f"| {name.removesuffix('Function')} | {runs:,} | {figures} | {dollars:.2f} |"


def runs_a_month(rule: str) -> int:
    """How often it runs in 30 days; ValueError where the rule is no rate."""
    found = re.fullmatch(r"rate\((\d+) (minute|hour|day)s?\)", rule)
    if found is None:
        raise ValueError(f"{rule} is no rate")
    return _MINUTES_A_MONTH // (int(found[1]) * _MINUTES[found[2]])
