"""Simulates how fast loads run on AWS, by half hours: their limits and their cost.

From AWS's documents, with `/amazondynamodb/latest/developerguide/` before the first three names:
`on-demand-capacity-mode.html` (a new table accepts 4,000 write units a second, then twice its
former peak, throttled if that is exceeded within half an hour; an account's quota is 40,000 a
table),
`warm-throughput-scenarios.html` and `bp-partition-key-design.html` (1,000 write units a second a
partition); and of SQS, `fifo-queue-lambda-behavior.html` (one function at a time a message group).
DynamoDB may split a hot key's items over partitions. It doesn't guarantee when, and a list that
grows at one end stays hot there, so a key counts as one partition.
"""

from collections import Counter
from dataclasses import dataclass

from benchmarks.measure.prices import DYNAMODB_WRITE_UNIT, LAMBDA_GB_SECOND

NEW_TABLE = 4_000
QUOTA = 40_000
PARTITION = 1_000
"""Write units a second."""
WINDOW_SECONDS = 1800
FUNCTION_GB = 1769 / 1024
WORKER, CONTAINERS, KEY, TABLE = "one worker", "containers", "partition key", "table"


@dataclass(frozen=True)
class Kind:
    """The cost of each row of a load, as benchmarks measured it."""

    name: str
    write_units: float
    """Including the stream readers' writes."""
    key_units: float
    """The units on the partition key of a workspace with the most writes."""
    milliseconds: float
    """One worker's time, if a call of DynamoDB takes 12 ms."""


@dataclass(frozen=True)
class Load:
    """A concurrent load of several workspaces, each with the same number of rows."""

    kind: Kind
    rows: int
    """The rows of all workspaces."""
    workspaces: int
    containers: int
    """The most containers that read the queue."""
    shards: int = 1
    """The number of workers of a workspace's load."""


@dataclass(frozen=True)
class LoadFigures:
    """A load's time and cost, and its limit for most of the time."""

    hours: float
    dollars: float
    bound: str


def simulate(load: Load, warm: float = NEW_TABLE) -> LoadFigures:
    """Loads everything into a table that first accepts `warm` write units a second."""
    remaining, seconds, busy = float(load.rows), 0.0, 0.0
    bounds: Counter[str] = Counter()
    while remaining > 0:
        rate, bound = _rate(load, warm)
        elapsed = min(WINDOW_SECONDS, remaining / rate)
        remaining -= rate * elapsed
        remaining = remaining if remaining > 0.5 else 0.0
        seconds += elapsed
        bounds[bound] += int(1000 * elapsed)
        busy += elapsed * rate * load.kind.milliseconds / 1000
        warm = min(QUOTA, max(warm, 2 * rate * load.kind.write_units))
    dollars = load.rows * load.kind.write_units * DYNAMODB_WRITE_UNIT
    dollars += busy * FUNCTION_GB * LAMBDA_GB_SECOND["arm64"]
    return LoadFigures(seconds / 3600, dollars, bounds.most_common(1)[0][0])


def _rate(load: Load, warm: float) -> tuple[float, str]:
    """Returns the rows a second of all workspaces together, and the limit."""
    kind, workers = load.kind, load.workspaces * load.shards
    alone = 1000 / kind.milliseconds
    rates = {
        WORKER: workers * alone,
        CONTAINERS: load.containers * alone,
        KEY: load.workspaces * PARTITION / kind.key_units,
        TABLE: warm / kind.write_units,
    }
    bound = min(rates, key=lambda name: rates[name])
    return rates[bound], bound
