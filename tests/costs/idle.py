"""The cost of a stack without requests, and of a person new to it."""

import re
from collections.abc import Iterator

from benchmarks.measure import prices, reckoning
from local.events.pumps import read_queues
from local.template import ROOT, functions, resources
from tests.costs.measuring import Findings
from tests.costs.summary import runs_a_month

POLLERS = 5
POLL_SECONDS = 20
"""Lambda asks each queue by so many long polls at once, and each waits so long where nothing comes
(Lambda developer guide, "Using Lambda with Amazon SQS")."""
MONTH_SECONDS = 30 * 24 * 60 * 60
LOG_BYTES_A_RUN = 500
"""What Lambda itself writes of a run: its start, its end and its report."""

NEWCOMERS = (
    ("`POST /profiles`", "profiles.upsert", "new", 1),
    ("a customer of a custom store", "customers.put", "new person", 1),
    ("the same, subscribed, with a store to tell", "customers.put", "new person, subscribed", 1),
    ("an order of a custom store", "orders.put", "a new buyer's", 1),
    ("an order by Shopify's webhook", "webhooks.shopify", "an order of somebody new", 1),
    ("an event", "events.create", "a new person's", 1),
    ("many events, each of 500", "events.createBulk", "500 of as many new people", 500),
    ("a batch of customers, each of 500", "stores.createBatch", "500 customers, new", 500),
    ("an import of consent, alone", "consent.import", "1 new person", 1),
    ("an import of consent, each of 500", "consent.import", "500 new people", 500),
)
"""How people come: in words, the scenario, and how many come by it."""


def idle(findings: Findings) -> Iterator[str]:
    """The monthly cost without requests."""
    yield "| What | How much | $ a month |"
    yield "|---|---|--:|"
    rows = [*_polling(), *_watching(), _keys(), *_running(findings)]
    for what, how_much, dollars in rows:
        yield f"| {what} | {how_much} | {dollars:.2f} |"
    yield f"| **Together** | | **{sum(dollars for _, _, dollars in rows):.2f}** |"


def newcomers(findings: Findings) -> Iterator[str]:
    """The cost of a million new people, by the way in which they arrive."""
    yield "| By | Reads | Writes | $ a million |"
    yield "|---|--:|--:|--:|"
    for how, operation, case, people in NEWCOMERS:
        found = findings.of(operation, case)
        together = sum(found.others.values(), found.own)
        reads, writes = together.reads / people, together.writes / people
        yield f"| {how} | {reads:,.1f} | {writes:,.1f} | {found.dollars / people:,.2f} |"


def _polling() -> Iterator[tuple[str, str, float]]:
    queues = resources("AWS::SQS::Queue")
    polls = POLLERS * MONTH_SECONDS // POLL_SECONDS
    for name, price, fifo in (
        ("Queues that are polled", prices.SQS_REQUEST, False),
        ("FIFO queues that are polled", prices.SQS_FIFO_REQUEST, True),
    ):
        count = sum(queues[queue].get("FifoQueue", False) is fifo for queue in read_queues())
        yield name, f"{count} at {polls:,} requests", count * polls * price


def _watching() -> Iterator[tuple[str, str, float]]:
    alarms = len(resources("AWS::CloudWatch::Alarm"))
    yield "Alarms", f"{alarms} at {prices.ALARM:.2f}", alarms * prices.ALARM
    yield "Dashboard", "1", prices.DASHBOARD
    # The log's own metric is there as soon as a schedule has written a line.
    filters = len(resources("AWS::Logs::MetricFilter"))
    yield "Metrics of the log", f"{filters} at {prices.METRIC:.2f}", filters * prices.METRIC


def _keys() -> tuple[str, str, float]:
    keys = len(resources("AWS::KMS::Key"))
    return "Keys", f"{keys} at {prices.KMS_KEY:.2f}", keys * prices.KMS_KEY


def _running(findings: Findings) -> Iterator[tuple[str, str, float]]:
    rules = {
        function.name: source["ScheduleExpression"]
        for function in functions()
        for source in function.events_of("ScheduleV2")
    }
    runs = {name: runs_a_month(rule) for name, rule in rules.items()}
    dollars = sum(
        sum(reckoning.bill({name: usage}).values()) * runs[name] / prices.MILLION
        for name, usage in findings.schedules.items()
    )
    total = sum(runs.values())
    yield "Schedules, with what they read", f"{total:,} runs", dollars
    yield "Schedules, being fired", f"{total:,} runs", total * prices.SCHEDULER_RUN
    gigabytes = total * LOG_BYTES_A_RUN / 1e9
    yield "Log", f"{gigabytes:.2f} GB", gigabytes * prices.LOGS_GB


def own_metrics() -> int:
    """How many metrics the code counts under: each is paid for while something is counted."""
    code = "".join(path.read_text() for path in (ROOT / "layers/core").rglob("*.py"))
    named = re.findall(r'count\("(\w+)"|WriteBackStatus\.\w+: "(\w+)"', code)
    return len({one or other for one, other in named})
