"""The arithmetic of costs without requests, and of new people."""

from dataclasses import dataclass, field

import pytest

from benchmarks.measure.reckoning import Usage
from local.events.pumps import read_queues
from local.template import functions, resources
from tests.costs.idle import NEWCOMERS, idle
from tests.costs.scenarios import ALL


@dataclass
class Nothing:
    """Schedules that read nothing."""

    schedules: dict[str, Usage] = field(
        default_factory=lambda: {
            f.name: Usage(invocations=1) for f in functions() if f.events_of("ScheduleV2")
        }
    )


def rows() -> dict[str, tuple[str, float]]:
    """The table's lines: how much and dollars, by what."""
    _, _, *lines = idle(Nothing())  # type: ignore[arg-type]
    cells = [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in lines]
    return {what: (how_much, float(dollars)) for what, how_much, dollars in cells}


def test_total_is_the_sum_of_all_lines() -> None:
    lines = rows()
    _, together = lines.pop("Together")
    assert together == pytest.approx(sum(dollars for _, dollars in lines.values()), abs=0.05)


def test_queue_polling_cost_per_month() -> None:
    """Five polls of 20 seconds at once: 648,000 a month of 30 days, at 0.40 or 0.50 a million."""
    fifo = [q for q in read_queues() if resources("AWS::SQS::Queue")[q].get("FifoQueue")]
    standard = len(read_queues()) - len(fifo)
    assert rows()["FIFO queues that are polled"][1] == round(len(fifo) * 0.648 * 0.5, 2)
    assert rows()["Queues that are polled"][1] == round(standard * 0.648 * 0.4, 2)


def test_fixed_monthly_costs() -> None:
    assert rows()["Keys"] == ("2 at 1.00", 2.0)
    alarms = len(resources("AWS::CloudWatch::Alarm"))
    assert rows()["Alarms"] == (f"{alarms} at 0.10", round(alarms * 0.1, 2))


def test_every_way_to_create_a_profile_is_measured() -> None:
    measured = {(scenario.operation, scenario.case) for scenario in ALL}
    assert {(operation, case) for _, operation, case, _ in NEWCOMERS} <= measured
