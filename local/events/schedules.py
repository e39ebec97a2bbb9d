"""The template's schedules, by the service's clock: advancing it runs those that become due."""

import re
import threading
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from local.console import say_failure
from local.events.pumps import run_schedule
from local.template import functions
from storepost.values import clock

# EventBridge Scheduler invokes asynchronously, and Lambda then tries twice more.
TRIES = 3
_RATE = re.compile(r"rate\((\d+) (minute|hour|day)s?\)")


@dataclass
class Schedule:
    """A function, by its folder's name, and its interval."""

    job: str
    every: timedelta
    due_at: datetime


def every(expression: str) -> timedelta:
    """Returns the interval of `rate(5 minutes)`. Raises ValueError for other expressions."""
    found = _RATE.fullmatch(expression)
    if not found:
        raise ValueError(f"the local run knows rate(...) only, not {expression}")
    return timedelta(**{f"{found[2]}s": int(found[1])})


class Schedules:
    """All schedules of the template; each first runs one interval from now."""

    def __init__(self) -> None:
        """Reads the template."""
        self._lock = threading.Lock()
        self._schedules = [
            Schedule(function.job, interval, clock.now() + interval)
            for function in functions()
            for source in function.events_of("ScheduleV2")
            for interval in [every(source["ScheduleExpression"])]
        ]

    def listed(self) -> list[Schedule]:
        """Returns copies of all schedules."""
        with self._lock:
            return [replace(schedule) for schedule in self._schedules]

    def run_due(self) -> int:
        """Runs each due schedule once, however overdue it is; returns how many were due."""
        with self._lock:
            now = clock.now()
            due = [schedule for schedule in self._schedules if schedule.due_at <= now]
            for schedule in due:
                schedule.due_at = now + schedule.every
                _try_to_run(schedule.job)
            return len(due)


def _try_to_run(job: str) -> None:
    for _ in range(TRIES):
        try:
            run_schedule(job)
            return
        except Exception as error:
            say_failure(job, error)
