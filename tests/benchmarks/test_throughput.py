"""How fast loads may go on AWS by simulation: each bound alone, and a table that warms up."""

import pytest

from benchmarks.measure.prices import DYNAMODB_WRITE_UNIT
from benchmarks.simulation.throughput import CONTAINERS, KEY, TABLE, WORKER, Kind, Load, simulate

PLAIN = Kind("rows", write_units=1, key_units=0.001, milliseconds=1)
"""A worker does 1,000 a second, with 1,000 write units."""


@pytest.mark.parametrize(
    ("load", "a_second", "bound"),
    [
        (Load(PLAIN, 3_600_000, 1, 5), 1000, WORKER),
        (Load(PLAIN, 3_600_000, 1, 5, shards=3), 3000, WORKER),
        (Load(PLAIN, 3_600_000, 10, 2), 2000, CONTAINERS),
        (Load(Kind("rows", 2, 2, 1), 3_600_000, 2, 5), 1000, KEY),
    ],
)
def test_load_speed_is_set_by_the_bottleneck(load: Load, a_second: float, bound: str) -> None:
    elapsed = simulate(load)
    assert elapsed.hours == pytest.approx(1000 / a_second)
    assert elapsed.bound == bound
    writes = 3_600_000 * load.kind.write_units * DYNAMODB_WRITE_UNIT
    assert writes < elapsed.dollars < 1.2 * writes


def test_on_demand_table_doubles_every_half_hour_up_to_the_quota() -> None:
    half_hours = [4_000, 8_000, 16_000, 32_000, 40_000, 40_000]
    rows = 1800 * sum(half_hours)
    elapsed = simulate(Load(PLAIN, rows, 1000, 1000))
    assert elapsed.hours == pytest.approx(3)
    assert elapsed.bound == TABLE
    assert simulate(Load(PLAIN, rows, 1000, 1000), warm=40_000).hours == pytest.approx(1.75)
