"""Measuring on a machine that others use too: CPU time, never the clock's, everything in turn."""

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Sample:
    """What one way of doing a thing took, each time; in whatever unit was measured."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle one."""
        return median(self.values)

    @property
    def least(self) -> float:
        """The least: what is left when nothing else disturbed it."""
        return min(self.values)


def cpu_seconds(action: Callable[[], object]) -> float:
    """User and system time of this whole process while `action` ran."""
    began = time.process_time()
    action()
    return time.process_time() - began


def in_turn[Way](ways: Mapping[Way, Callable[[], float]], rounds: int) -> dict[Way, Sample]:
    """Measures every way once a round, each round in another order.

    What disturbs the machine for a while disturbs all of them, and none always follows another.
    """
    order, times = list(ways), {way: list[float]() for way in ways}
    shuffled = random.Random(0)
    for _ in range(rounds):
        shuffled.shuffle(order)
        for way in order:
            times[way].append(ways[way]())
    return {way: Sample(tuple(values)) for way, values in times.items()}
