"""`make bench-budgets`: the cost of request budgets, and how exactly they are enforced.

A tenant sends requests with one key, to some containers, by a clock of the benchmark's own; another
tenant uses a tenth of its budget meanwhile. The rows are in dynoxide, which reports the units.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from statistics import median
from time import perf_counter
from unittest import mock

import benchmarks.measure.environment  # noqa: F401 - before the service, which reads it
from benchmarks.measure.metering import Meter
from benchmarks.measure.reporting import Column, Table
from benchmarks.measure.tables import tables
from local.aws.dynoxide import VERSION
from local.template import parameter_defaults
from storepost.platform.budgets.model import LEASE, Budget, Policy
from storepost.platform.budgets.repository import key_budget_key, workspace_budget_key
from storepost.platform.budgets.spending import Spending
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.scope import WorkspaceScope

SECONDS = int(os.environ.get("SECONDS", "30"))
"""Duration by the benchmark's clock."""
MAX_UNITS = 0.1
BURST = int(parameter_defaults()["BudgetBurstSeconds"])
KEY = Policy("key", int(parameter_defaults()["CallerRequestsPerSecond"]), BURST)
WORKSPACE = Policy("workspace", int(parameter_defaults()["WorkspaceRequestsPerSecond"]), BURST)
QUIET = KEY.per_second / 10
LOADS = ((0.1, 1), (0.1, 50), (0.5, 10), (1, 10), (1, 50), (10, 1), (10, 10), (10, 100), (10, 1000))
"""Request rates as multiples of the key's budget, and numbers of containers."""

COLUMNS = (
    Column("asked", "a second"),
    Column("containers"),
    Column("passed", "a second", 1),
    Column("past the budget", "requests", 1),
    Column("at most", "requests"),
    Column("write units", "a request", 3, most=MAX_UNITS),
    Column("longest wait", "s", 1),
    Column("check", "µs of CPU", 1),
    Column("the other refused", most=0),
)
NOTES = (
    f"{SECONDS} seconds each; a key may make {KEY.per_second} a second and {KEY.quota} at once.",
    "past the budget: of all windows the one with most requests beyond burst + rate x length.",
    "at most: what docs/adr/0015 bounds that by, three leases of forty requests a container.",
    "write units: of all that was asked, key's row and workspace's, refused requests too.",
    "check: the median request, which asks no table.",
    "the other refused: requests of a tenant at a tenth of its budget, on as many containers.",
)


@dataclass
class Tenant:
    """A workspace with one key, whose requests go to random containers."""

    containers: int
    random: Random
    budgets: list[Budget] = field(init=False)
    spendings: list[Spending] = field(init=False)
    passed: list[float] = field(default_factory=list)
    """The times in seconds of allowed requests."""
    requests: int = 0
    longest_wait: float = 0.0
    checks: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begins with new containers."""
        workspace = WorkspaceScope(new_id())
        self.budgets = [
            Budget(key_budget_key(workspace, new_id()), KEY),
            Budget(workspace_budget_key(workspace), WORKSPACE),
        ]
        self.spendings = [Spending() for _ in range(self.containers)]

    def request(self, second: float) -> None:
        """Sends one request to a random container."""
        container = self.random.choice(self.spendings)
        self.requests += 1
        began = perf_counter()
        standings = container.spend(self.budgets)
        self.checks.append(perf_counter() - began)
        wait = max(each.wait for each in standings)
        self.longest_wait = max(self.longest_wait, wait / 1000)
        if not wait:
            self.passed.append(second)

    @property
    def past(self) -> float:
        """The most requests above the key's budget, over all windows."""
        level, last, most = 0.0, 0.0, 0.0
        for second in self.passed:
            level = max(0.0, level - (second - last) * KEY.per_second) + 1
            most, last = max(most, level - KEY.quota), second
        return most


def arrivals(random: Random, rate: float) -> Iterator[float]:
    """Yields random arrival times of requests in seconds, at a rate a second."""
    second = random.expovariate(rate)
    while second < SECONDS:
        yield second
        second += random.expovariate(rate)


def measured(multiple: float, containers: int, meter: Meter, table: Table) -> None:
    """Measures one row of the table."""
    random = Random(f"{multiple} {containers}")
    rate = multiple * KEY.per_second
    busy, quiet = Tenant(containers, random), Tenant(containers, random)
    coming = sorted(
        [(second, busy) for second in arrivals(random, rate)]
        + [(second, quiet) for second in arrivals(random, QUIET)],
        key=lambda each: each[0],
    )
    began = datetime.now(UTC)

    def work() -> None:
        for second, tenant in coming:
            moment = clock.to_milliseconds(began + timedelta(seconds=second))
            with mock.patch.object(clock, "now", return_value=moment):
                tenant.request(second)

    used = meter.measured(work)
    table.add(
        rate,
        containers,
        len(busy.passed) / SECONDS,
        busy.past,
        3 * containers * 2 * LEASE,
        used.writes / len(coming),
        busy.longest_wait,
        1e6 * median(busy.checks),
        quiet.requests - len(quiet.passed),
    )


def main() -> None:
    """Measures every combination of rates and containers, in new tables."""
    table = Table("budgets", "Budgets of requests", COLUMNS, {"dynoxide": VERSION}, NOTES)
    with tables():
        meter = Meter()
        for multiple, containers in LOADS:
            measured(multiple, containers, meter, table)
    table.publish()


if __name__ == "__main__":
    main()
