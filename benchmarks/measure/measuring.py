"""Measures on a shared machine: CPU time instead of wall time, and all ways in turn."""

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Sample:
    """All measurements of one way of doing something, in any unit."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median."""
        return median(self.values)

    @property
    def least(self) -> float:
        """The least, with the least disturbance by other processes."""
        return min(self.values)


def cpu_seconds(action: Callable[[], object]) -> float:
    """Returns the user and system time of this whole process while `action` runs."""
    began = time.process_time()
    action()
    return time.process_time() - began


def in_turn[Way](ways: Mapping[Way, Callable[[], float]], rounds: int) -> dict[Way, Sample]:
    """Measures every way once a round, each round in another order.

    So a temporary disturbance of the machine affects all ways, and none always follows another.
    """
    order, times = list(ways), {way: list[float]() for way in ways}
    shuffled = random.Random(0)
    for _ in range(rounds):
        shuffled.shuffle(order)
        for way in order:
            times[way].append(ways[way]())
    return {way: Sample(tuple(values)) for way, values in times.items()}
